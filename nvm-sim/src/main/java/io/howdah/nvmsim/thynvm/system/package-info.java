/**
 * The systems of ThyNVM's evaluation with their timing: a {@link
 * io.howdah.nvmsim.thynvm.system.Core} runs a program over caches, and what leaves them meets a
 * {@link io.howdah.nvmsim.thynvm.system.MemorySystem}. Times are picoseconds. For one thread.
 */
@NullMarked
package io.howdah.nvmsim.thynvm.system;

import org.jspecify.annotations.NullMarked;
