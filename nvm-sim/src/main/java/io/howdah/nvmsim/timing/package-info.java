/**
 * Latencies and sizes of caches and memory devices. The clock counts picoseconds and is the
 * caller's. What keeps these times is not exported.
 */
@NullMarked
package io.howdah.nvmsim.timing;

import org.jspecify.annotations.NullMarked;
