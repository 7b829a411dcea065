package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import java.util.List;

/**
 * What a study of memory persistency runs.
 *
 * @param threads numbers of inserting threads, each 1 to {@value
 *     DeterministicScheduler#MAX_THREADS}
 * @param inserts per run, of all threads together
 * @param seed of the random schedules
 * @param schedule of the headline; of kinds with a seed, several share the inserts
 * @param models names of the models to analyse under; empty for all
 * @param modelLoader where models of the user's own are looked for
 * @param persistGranularities atomic persist sizes of Figure 4, in bytes
 * @param trackingGranularities conflict tracking sizes of Figure 5, in bytes
 * @param nativeInserts maximum inserts per sample of this host's instruction rate; 0 measures
 *     nothing that depends on the host
 */
public record PersistencyPlan(
    List<Integer> threads,
    long inserts,
    long seed,
    ScheduleKind schedule,
    List<String> models,
    ClassLoader modelLoader,
    List<Integer> persistGranularities,
    List<Integer> trackingGranularities,
    long nativeInserts) {
  public PersistencyPlan {
    threads = List.copyOf(threads);
    models = List.copyOf(models);
    persistGranularities = List.copyOf(persistGranularities);
    trackingGranularities = List.copyOf(trackingGranularities);
    for (int count : threads) {
      if (count < 1 || count > DeterministicScheduler.MAX_THREADS) {
        throw new IllegalArgumentException(
            "threads must be 1 to " + DeterministicScheduler.MAX_THREADS + ": " + count);
      }
    }
    if (inserts < 1) {
      throw new IllegalArgumentException("inserts must be at least 1: " + inserts);
    }
    if (nativeInserts < 0) {
      throw new IllegalArgumentException("native inserts must be at least 0: " + nativeInserts);
    }
    persistGranularities.forEach(p -> AnalysisOptions.DEFAULT.withGranularity(p, 8));
    trackingGranularities.forEach(g -> AnalysisOptions.DEFAULT.withGranularity(8, g));
  }
}
