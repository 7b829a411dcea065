package io.howdah.cli.sim;

import io.howdah.cli.sim.LocCells.TraceKey;
import io.howdah.nvmsim.loc.Setting;
import io.howdah.nvmsim.workload.WorkloadKind;

/**
 * One variation of what all figures are drawn for.
 *
 * @param name for tables and metrics
 * @param cachePercent of the usual caches
 * @param operations per transaction
 * @param footprintScale times the workloads' usual size
 * @param allSeeds whether it runs with every seed, or with the first only
 */
record LocVariant(
    String name, int cachePercent, int operations, int footprintScale, boolean allSeeds) {

  /** Operations per transaction, frozen by H-WAL's mean alone: docs/nvm-sim-loc.md tells how. */
  static final int OPERATIONS = 2;

  static final LocVariant HEADLINE = new LocVariant("headline", 100, OPERATIONS, 1, true);

  /** The setting on this variant's caches. */
  Setting on(Setting setting) {
    return setting.withCachePercent(cachePercent);
  }

  TraceKey trace(WorkloadKind workload, long seed) {
    return new TraceKey(workload, operations, footprintScale, seed);
  }
}
