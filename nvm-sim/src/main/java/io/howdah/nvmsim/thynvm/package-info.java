/**
 * ThyNVM (MICRO 2015): a memory controller that keeps DRAM and NVM consistent in checkpoints, by
 * block remapping and by page writeback. {@link io.howdah.nvmsim.thynvm.system.ThyNvmSystem} is the
 * timed system, {@link io.howdah.nvmsim.thynvm.system.MemorySystem} what a core sees of any system.
 */
@NullMarked
package io.howdah.nvmsim.thynvm;

import org.jspecify.annotations.NullMarked;
