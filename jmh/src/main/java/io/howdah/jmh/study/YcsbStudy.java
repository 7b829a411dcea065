package io.howdah.jmh.study;

import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.ycsb.LoadResult;
import io.howdah.jmh.ycsb.Mix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Servers under YCSB's mixes, in turns. All run all the time; one is under load, the others have
 * nothing to do but what they put off. For one thread.
 */
public final class YcsbStudy implements AutoCloseable {

  private static final int STUDY_DEPTH = 16;
  private static final double MEDIAN = 0.5;
  private static final double HIGH = 0.99;

  private final List<RunningServer> running = new ArrayList<>();
  private final StudyProgress progress;

  /**
   * What is measured.
   *
   * @param records of the load phase
   * @param valueBytes length of each value
   * @param clientThreads of the load
   * @param connections in all
   * @param serverThreads of each server
   */
  public record Load(
      long records, int valueBytes, int clientThreads, int connections, int serverThreads) {}

  /** One point of the study: a mix at a depth. */
  public record Cell(Mix mix, int depth) {}

  /**
   * One server's samples, a round each.
   *
   * @param operationsPerSecond completed operations
   * @param cpuMicros processor time of the server for each operation
   * @param p50Micros median latency of a request
   * @param p99Micros latency that 99 % of the requests did not exceed
   * @param hitRatio share of reads that found their record
   */
  public record Samples(
      ServerSubject subject,
      List<Double> operationsPerSecond,
      List<Double> cpuMicros,
      List<Double> p50Micros,
      List<Double> p99Micros,
      List<Double> hitRatio) {

    private Samples(ServerSubject subject) {
      this(
          subject,
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>());
    }

    /** Returns, round by round, this server's processor time over another's. */
    public List<Double> cpuOver(Samples other) {
      return ratios(cpuMicros, other.cpuMicros);
    }

    /** Returns, round by round, this server's rate over another's. */
    public List<Double> rateOver(Samples other) {
      return ratios(operationsPerSecond, other.operationsPerSecond);
    }

    private static List<Double> ratios(List<Double> above, List<Double> below) {
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < above.size(); i++) {
        ratios.add(above.get(i) / below.get(i));
      }
      return ratios;
    }
  }

  /** Starts the servers, each with a folder in this one, and loads the records. */
  public YcsbStudy(Path folder, List<ServerSubject> subjects, Load load, StudyProgress progress)
      throws IOException, InterruptedException {
    this.progress = progress;
    try {
      RunningServer.start(folder, subjects, load, progress, running);
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Lets the compilers of every server see every mix before anything counts. */
  public void warmUp(List<Mix> mixes, long nanosEach) throws InterruptedException {
    for (RunningServer one : running) {
      for (Mix mix : mixes) {
        progress.begins("%s: warming up, %s".formatted(one.subject().name(), mix));
        one.load().run(mix, STUDY_DEPTH, nanosEach);
      }
    }
  }

  /** Measures one cell: rounds in which every server has its turn. */
  public List<Samples> measure(Cell cell, Effort effort) throws Exception {
    List<Samples> samples = new ArrayList<>();
    Rounds rounds = new Rounds().shuffled();
    for (RunningServer one : running) {
      Samples own = new Samples(one.subject());
      samples.add(own);
      rounds.add(one.subject().name(), () -> turn(one, cell, effort.roundNanos(), own));
    }
    rounds.run(
        0,
        effort.rounds(),
        progress.rounds("workload %s, depth %d".formatted(cell.mix(), cell.depth())));
    return samples;
  }

  private static double turn(RunningServer one, Cell cell, long nanos, Samples samples)
      throws InterruptedException {
    long before = one.process().usage().cpuNanos();
    LoadResult result = one.load().run(cell.mix(), cell.depth(), nanos);
    long cpu = one.process().usage().cpuNanos() - before;
    samples.operationsPerSecond.add(result.operationsPerSecond());
    samples.cpuMicros.add(cpu / 1e3 / result.operations());
    samples.p50Micros.add(result.latencyNanos(MEDIAN) / 1e3);
    samples.p99Micros.add(result.latencyNanos(HIGH) / 1e3);
    samples.hitRatio.add(result.hitRatio());
    return result.operationsPerSecond();
  }

  /** Stops the servers. */
  @Override
  public void close() {
    for (RunningServer one : running) {
      one.close();
    }
    running.clear();
  }
}
