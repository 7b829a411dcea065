/**
 * What a power failure can leave behind: every state of persistent memory that the persist order of
 * a run allows. {@link io.howdah.nvmsim.crash.ScheduleSearch} enumerates runs, {@link
 * io.howdah.nvmsim.crash.CrashStates} the states of a run, and a {@link
 * io.howdah.nvmsim.crash.RecoveryOracle} judges what recovery makes of a state. The packages below
 * apply this to the simulator's own queues and protocols. For one thread.
 */
@NullMarked
package io.howdah.nvmsim.crash;

import org.jspecify.annotations.NullMarked;
