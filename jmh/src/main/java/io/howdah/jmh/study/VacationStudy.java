package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.jmh.workload.Vacation;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The travel agency of STAMP in several stores of one JVM, in turns: what durability costs, and
 * what waiting for it at intervals costs (Hathi, Figure 4(b)). For one thread.
 */
public final class VacationStudy implements AutoCloseable {

  private static final int WARM_UPS = 3;
  private static final double[] INTERVALS_MILLIS = {0.2, 0.5, 1, 2, 5, 10};
  private static final Durability[] WAITED_FOR = {Durability.SYNC, Durability.PARTITION};
  private static final String FORCE = "raw force";
  private static final String VOLATILE = "volatile";
  private static final String ASYNC = "async";
  private static final String BESIDE_WAITS = "async, beside the waits";

  private final Effort effort;
  private final int threads;
  private final OpenedResources open = new OpenedResources();
  private final RawDisk disk;
  private final Vacation inMemory;
  private final Vacation durable;

  /**
   * Another one like {@link #durable}, for the waits: customers have the more reservations the more
   * sessions a store has seen, and only stores of the same age compare.
   */
  private final Vacation waiting;

  /**
   * Asynchronous sessions that are waited for at intervals.
   *
   * @param perSecond sessions, by round
   * @param overAsync that rate over the one without waits, in the same store
   */
  public record SplitPhase(
      Durability durability,
      double intervalMillis,
      List<Double> perSecond,
      List<Double> overAsync) {}

  /**
   * What one setting scored; each list has an entry for each round.
   *
   * @param forcesPerSecond of small raw writes: the baseline of the waits
   * @param volatilePerSecond sessions without a log
   * @param asyncPerSecond sessions with asynchronous commit
   * @param asyncOverVolatile ratio of the two
   * @param cpuShares of all processors, of asynchronous sessions
   * @param splitPhases the waits
   * @param reservations that customers have at the end, in the durable store
   */
  public record Result(
      Vacation.Contention contention,
      List<Double> forcesPerSecond,
      List<Double> volatilePerSecond,
      List<Double> asyncPerSecond,
      List<Double> asyncOverVolatile,
      List<Double> cpuShares,
      List<SplitPhase> splitPhases,
      long reservations) {}

  /**
   * Creates and fills the stores.
   *
   * @param relations rows of each table
   */
  public VacationStudy(
      Path folder, int relations, int threads, Effort effort, StudyProgress progress)
      throws Exception {
    this.effort = effort;
    this.threads = threads;
    StoreOptions options = StoreOptions.defaults().withMaxSize(Vacation.maxSize(relations));
    try {
      Files.createDirectories(folder);
      progress.begins("filling the tables");
      this.inMemory = filled(Store.inMemory(options), relations);
      this.durable = filled(Store.open(folder.resolve("durable"), options), relations);
      this.waiting = filled(Store.open(folder.resolve("waiting"), options), relations);
      this.disk = RawDisk.create(folder);
      open.add(disk);
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  private Vacation filled(Store store, int relations) {
    open.add(store);
    return Vacation.fill(store, relations);
  }

  /** Runs all ways in shuffled turns, then verifies the tables of each store. */
  public Result measure(Vacation.Contention contention, StudyProgress progress) throws Exception {
    List<Double> cpuShares = new ArrayList<>();
    int processors = Runtime.getRuntime().availableProcessors();
    long nanos = effort.roundNanos();
    Rounds rounds =
        new Rounds()
            .add(FORCE, () -> disk.forcesPerSecond(nanos))
            .add(VOLATILE, () -> inMemory.run(contention, threads, nanos).perSecond())
            .add(
                ASYNC,
                () -> {
                  ThreadTeam.Outcome outcome = durable.run(contention, threads, nanos);
                  cpuShares.add(outcome.cpuShare(processors));
                  return outcome.perSecond();
                })
            .add(BESIDE_WAITS, () -> waiting.run(contention, threads, nanos).perSecond());
    for (Durability durability : WAITED_FOR) {
      for (double interval : INTERVALS_MILLIS) {
        rounds.add(
            name(durability, interval),
            () ->
                waiting
                    .splitPhase(contention, durability, threads, nanos, (long) (interval * 1e6))
                    .perSecond());
      }
    }
    Rounds.Samples samples =
        rounds
            .shuffled()
            .run(WARM_UPS, effort.rounds(), progress.rounds(contention.name() + " contention"));
    List<SplitPhase> splitPhases = new ArrayList<>();
    for (Durability durability : WAITED_FOR) {
      for (double interval : INTERVALS_MILLIS) {
        String name = name(durability, interval);
        splitPhases.add(
            new SplitPhase(
                durability, interval, samples.of(name), samples.ratios(name, BESIDE_WAITS)));
      }
    }
    progress.begins("verifying the tables");
    inMemory.verify();
    waiting.verify();
    return new Result(
        contention,
        samples.of(FORCE),
        samples.of(VOLATILE),
        samples.of(ASYNC),
        samples.ratios(ASYNC, VOLATILE),
        List.copyOf(cpuShares.subList(WARM_UPS, cpuShares.size())),
        splitPhases,
        durable.verify());
  }

  private static String name(Durability durability, double intervalMillis) {
    return durability + " every " + intervalMillis + " ms";
  }

  /** Returns how much room on disk the study may take. */
  public static long neededBytes(int relations) {
    return 6 * Vacation.maxSize(relations) + (4L << 30);
  }

  @Override
  public void close() throws IOException {
    open.close();
  }
}
