/**
 * Checks that memory under ThyNVM recovers from a power failure at any write: {@link
 * io.howdah.nvmsim.crash.thynvm.CrashRun} runs the controller that the figures time on real
 * contents, cuts the power after every event with every choice of writes under way, and compares
 * what {@link io.howdah.nvmsim.crash.thynvm.Recovery} finds with what software saw at the end of
 * that epoch.
 */
@NullMarked
package io.howdah.nvmsim.crash.thynvm;

import org.jspecify.annotations.NullMarked;
