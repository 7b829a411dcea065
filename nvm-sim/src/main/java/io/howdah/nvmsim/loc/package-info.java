/**
 * Loose-Ordering Consistency (Lu, Shu, Sun, Mutlu, ICCD 2014) and what it is compared with. A
 * {@link io.howdah.nvmsim.loc.Protocol} names a protocol; its {@link
 * io.howdah.nvmsim.loc.TransactionCore} executes loads, stores and transactions on simulated caches
 * and memory. Start at {@code LogWindowCore}, which is H-WAL, EC-WAL and LOC-WAL; the ordering
 * argument is in docs/nvm-sim-loc.md. For one thread.
 */
@NullMarked
package io.howdah.nvmsim.loc;

import org.jspecify.annotations.NullMarked;
