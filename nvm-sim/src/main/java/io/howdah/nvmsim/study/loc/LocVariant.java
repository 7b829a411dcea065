package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.study.loc.LocCells.TraceKey;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.WorkloadKind;

/**
 * One variation of what all figures are drawn for.
 *
 * @param name for tables and metrics
 * @param cachePercent of the usual caches
 * @param banks of the memory with one latency; other devices keep theirs
 * @param operations per transaction
 * @param footprintScale times the workloads' usual size
 * @param homeOverlap whether home writes go on beside the next window
 * @param allSeeds whether it runs with every seed, or with the first only
 */
record LocVariant(
    String name,
    int cachePercent,
    int banks,
    int operations,
    int footprintScale,
    boolean homeOverlap,
    boolean allSeeds) {

  /** Operations per transaction: docs/nvm-sim-loc.md tells how they were chosen. */
  static final int OPERATIONS = 1;

  static final LocVariant HEADLINE =
      new LocVariant("headline", 100, DeviceTiming.LOC_BANKS, OPERATIONS, 1, false, true);

  private LocVariant named(String other) {
    return new LocVariant(
        other, cachePercent, banks, operations, footprintScale, homeOverlap, false);
  }

  static LocVariant caches(String name, int percent) {
    LocVariant h = HEADLINE.named(name);
    return new LocVariant(name, percent, h.banks, OPERATIONS, 1, false, false);
  }

  static LocVariant operations(int operations) {
    return banks(DeviceTiming.LOC_BANKS, operations).named(operations + " operations");
  }

  /** Banks and operations per transaction, as the calibration varies them. */
  static LocVariant banks(int banks, int operations) {
    return new LocVariant(
        banks + " banks, " + operations + " op", 100, banks, operations, 1, false, false);
  }

  static LocVariant data(int scale) {
    return new LocVariant(
        "data x " + scale, 100, DeviceTiming.LOC_BANKS, OPERATIONS, scale, false, false);
  }

  static LocVariant overlap() {
    return new LocVariant("home overlap", 100, DeviceTiming.LOC_BANKS, OPERATIONS, 1, true, false);
  }

  /** The setting on this variant's machine. */
  Setting on(Setting setting) {
    DeviceTiming memory = setting.memory();
    boolean oneLatency = memory.equals(DeviceTiming.fixed(memory.readNs()));
    return setting
        .withCachePercent(cachePercent)
        .withMemory(oneLatency ? memory.withBanks(banks) : memory)
        .withHomeOverlap(homeOverlap);
  }

  TraceKey trace(WorkloadKind workload, long seed) {
    return new TraceKey(workload, operations, footprintScale, seed);
  }
}
