/**
 * What a failure can leave: every state of persistent memory that the persist order of a run
 * allows, and what a recovery makes of it. Start at {@link io.howdah.nvmsim.crash.QueueCrashCheck};
 * the parts, for other structures, are {@link io.howdah.nvmsim.crash.ScheduleSearch} (runs), {@link
 * io.howdah.nvmsim.crash.CrashStates} (states) and {@link io.howdah.nvmsim.crash.RecoveryOracle}
 * (verdicts). Everything here is for one thread.
 */
@NullMarked
package io.howdah.nvmsim.crash;

import org.jspecify.annotations.NullMarked;
