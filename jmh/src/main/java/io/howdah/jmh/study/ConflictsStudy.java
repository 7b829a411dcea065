package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.ContendedMaps;
import io.howdah.jmh.workload.ContendedMaps.Figures;
import io.howdah.jmh.workload.ContendedMaps.Kind;
import io.howdah.jmh.workload.ContendedMaps.Work;
import io.howdah.jmh.workload.Rounds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** How often transactions of several threads on one map conflict, and what that costs. */
public final class ConflictsStudy implements AutoCloseable {

  private static final int WARM_UPS = 3;
  private static final int WARM_UPS_ALONE = 3;

  private final Store store;
  private final ContendedMaps maps;
  private final Effort effort;

  /** What a work scored on a map, round by round. */
  public record Result(Kind kind, Work work, List<Figures> rounds) {

    /** Returns one of the figures of all rounds. */
    public List<Double> all(ToDoubleFunction<Figures> figure) {
      return rounds.stream().map(figure::applyAsDouble).toList();
    }
  }

  /**
   * Creates and fills the store.
   *
   * @param entries of each map
   */
  public ConflictsStudy(
      Path folder, long entries, int threads, Effort effort, StudyProgress progress) {
    this.effort = effort;
    this.store =
        Store.open(folder, StoreOptions.defaults().withMaxSize(ContendedMaps.maxSize(entries)));
    try {
      progress.begins("filling the maps");
      this.maps = ContendedMaps.fill(store, entries, threads);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Returns how much room on disk the study may take. */
  public static long neededBytes(long entries) {
    return 3 * ContendedMaps.maxSize(entries) + (4L << 30);
  }

  /** Runs each work on each kind of map, in turns. */
  public List<Result> run(StudyProgress progress) throws Exception {
    List<Result> results = new ArrayList<>();
    Rounds rounds = new Rounds();
    for (Work work : Work.values()) {
      for (Kind kind : Kind.values()) {
        Result result = new Result(kind, work, new ArrayList<>());
        results.add(result);
        rounds.add(
            kind + ", " + work.text(),
            () -> {
              Figures figures = maps.run(kind, work, effort.roundNanos());
              result.rounds().add(figures);
              return figures.commitsPerCpuSecond();
            });
      }
    }
    for (Result result : results) {
      progress.begins("warming up: " + result.kind() + ", " + result.work().text());
      maps.warmUp(result.kind(), result.work(), WARM_UPS_ALONE * effort.roundNanos());
    }
    rounds.mirrored().run(WARM_UPS, effort.rounds(), progress.rounds("conflicts"));
    for (Result result : results) {
      result.rounds().subList(0, WARM_UPS).clear();
    }
    return results;
  }

  @Override
  public void close() {
    store.close();
  }
}
