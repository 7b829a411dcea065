/**
 * Timing of caches and memory: an in-order core's accesses go through {@link
 * io.howdah.nvmsim.timing.CacheHierarchy} to a {@link io.howdah.nvmsim.timing.MemoryDevice}. The
 * clock counts picoseconds and is the caller's. Events, which are the starts of queued writes in
 * the banks, happen in the order of their times, when the clock has passed them. Nothing allocates
 * after construction. For one thread.
 *
 * <p>The package knows no protocol: who owns a cached line is a number, and what leaves the last
 * level goes to a {@link io.howdah.nvmsim.timing.VictimHandler}.
 */
@NullMarked
package io.howdah.nvmsim.timing;

import org.jspecify.annotations.NullMarked;
