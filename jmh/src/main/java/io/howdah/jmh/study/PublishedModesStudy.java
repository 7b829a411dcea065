package io.howdah.jmh.study;

import io.howdah.StoreOptions;
import io.howdah.jmh.published.PublishedWords;
import io.howdah.jmh.study.CommitModesStudy.Mode;
import io.howdah.jmh.study.CommitModesStudy.SplitPhase;
import io.howdah.jmh.study.CommitModesStudy.Waiting;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the ways to commit cost in the model of Hathi as it was published ({@link PublishedWords}).
 * For one thread.
 */
public final class PublishedModesStudy implements AutoCloseable {

  private static final int WARM_UPS = 2;
  private static final Durability[] WAITED_FOR = {Durability.SYNC, Durability.PARTITION};
  private static final String FORCE = "raw force";
  private static final String ASYNC = "async";

  private final int processors = Runtime.getRuntime().availableProcessors();
  private final Effort effort;
  private final StudyProgress progress;
  private final RawDisk disk;
  private final PublishedWords words;

  /**
   * What it scored; each list has an entry for each round.
   *
   * @param threads that commit, each with a log of its own
   * @param forcesPerSecond of small raw writes
   * @param asyncPerSecond transactions
   * @param asyncCpuShares of all processors, meanwhile
   * @param modes all others
   */
  public record Rates(
      int threads,
      List<Double> forcesPerSecond,
      List<Double> asyncPerSecond,
      List<Double> asyncCpuShares,
      List<Mode> modes) {}

  /** Fills the store of the study. */
  public PublishedModesStudy(
      Path folder, long heapBytes, StoreOptions options, Effort effort, StudyProgress progress)
      throws IOException {
    this.effort = effort;
    this.progress = progress;
    progress.begins("filling a heap");
    this.words = PublishedWords.fill(folder.resolve("logs"), options, heapBytes, processors);
    try {
      this.disk = RawDisk.create(folder);
    } catch (IOException | RuntimeException e) {
      words.close();
      throw e;
    }
  }

  /** Measures all modes in shuffled turns. */
  public Rates rates() throws Exception {
    List<ThreadTeam.Outcome> async = new ArrayList<>();
    Rounds rounds =
        new Rounds()
            .add(FORCE, () -> disk.forcesPerSecond(effort.roundNanos()))
            .add(
                ASYNC,
                () -> {
                  ThreadTeam.Outcome outcome =
                      words.run(Durability.ASYNC, processors, effort.roundNanos());
                  async.add(outcome);
                  return outcome.perSecond();
                });
    List<List<Double>> commitsPerForce = new ArrayList<>();
    int[] waiting = processors == 1 ? new int[] {1} : new int[] {1, processors};
    for (Durability durability : WAITED_FOR) {
      for (double interval : CommitModesStudy.INTERVALS_MILLIS) {
        rounds.add(
            name(durability, interval),
            () ->
                words
                    .splitPhase(
                        durability, processors, effort.roundNanos(), (long) (interval * 1e6))
                    .perSecond());
      }
      for (int threads : waiting) {
        List<Double> own = new ArrayList<>();
        commitsPerForce.add(own);
        rounds.add(name(durability, threads), () -> waitingRound(durability, threads, own));
      }
    }
    Rounds.Samples samples =
        rounds.shuffled().run(WARM_UPS, effort.rounds(), progress.rounds("commits"));
    List<Mode> modes = new ArrayList<>();
    int next = 0;
    for (Durability durability : WAITED_FOR) {
      for (double interval : CommitModesStudy.INTERVALS_MILLIS) {
        String name = name(durability, interval);
        modes.add(
            new SplitPhase(
                durability,
                interval,
                processors,
                false,
                samples.of(name),
                samples.ratios(name, ASYNC)));
      }
      for (int threads : waiting) {
        String name = name(durability, threads);
        modes.add(
            new Waiting(
                durability,
                threads,
                false,
                samples.of(name),
                samples.ratios(name, ASYNC),
                List.copyOf(counted(commitsPerForce.get(next++)))));
      }
    }
    return new Rates(
        processors,
        samples.of(FORCE),
        samples.of(ASYNC),
        counted(async).stream().map(outcome -> outcome.cpuShare(processors)).toList(),
        modes);
  }

  private double waitingRound(Durability durability, int threads, List<Double> commitsPerForce)
      throws Exception {
    long before = words.forces();
    ThreadTeam.Outcome outcome = words.run(durability, threads, effort.roundNanos());
    // At least one: a commit that another thread's force covered waits for none of its own.
    double forces = Math.max(1, words.forces() - before);
    commitsPerForce.add(outcome.operations() / forces);
    return outcome.perSecond();
  }

  private static <T> List<T> counted(List<T> all) {
    return all.subList(WARM_UPS, all.size());
  }

  private static String name(Durability durability, double intervalMillis) {
    return durability + " every " + intervalMillis + " ms";
  }

  private static String name(Durability durability, int threads) {
    return durability + ", " + threads + " threads";
  }

  /**
   * Checks the store: no addition to a word was lost.
   *
   * @throws IllegalStateException if one was
   */
  public void verify() {
    progress.begins("verifying the heap");
    words.verify();
  }

  @Override
  public void close() throws IOException {
    words.close();
    disk.close();
  }
}
