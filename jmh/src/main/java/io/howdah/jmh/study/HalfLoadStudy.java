package io.howdah.jmh.study;

import io.howdah.AdminClient;
import io.howdah.jmh.study.YcsbStudy.Cell;
import io.howdah.jmh.study.YcsbStudy.Load;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.ycsb.LoadResult;
import io.howdah.jmh.ycsb.Mix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Latencies at a fixed rate, half of what a server reaches, while Howdah takes one checkpoint after
 * another. Operations are due at fixed times and their latency counts from then, so a stall counts
 * for every operation that it delays. For one thread.
 */
public final class HalfLoadStudy implements AutoCloseable {

  /** Between the end of a checkpoint and the start of the next. */
  private static final int CHECKPOINT_PAUSE_MILLIS = 100;

  private final List<RunningServer> running = new ArrayList<>();
  private final StudyProgress progress;

  /**
   * One server's samples, a round each, and what all rounds gave together.
   *
   * @param capacity operations per second as fast as the server answers, the median
   * @param wanted operations that were due per second
   * @param achieved operations that were answered per second
   * @param p999Micros latency that 99.9 % of a round's requests did not exceed
   * @param all requests of all rounds
   * @param checkpoints that were taken meanwhile
   */
  public record Samples(
      ServerSubject subject,
      double capacity,
      double wanted,
      List<Double> achieved,
      List<Double> p999Micros,
      LoadResult all,
      int checkpoints) {}

  /** Starts the servers, each with a folder in this one, and loads the records. */
  public HalfLoadStudy(Path folder, List<ServerSubject> subjects, Load load, StudyProgress progress)
      throws IOException, InterruptedException {
    this.progress = progress;
    try {
      RunningServer.start(folder, subjects, load, progress, running);
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Measures all servers, in turns.
   *
   * @param warmUpNanos of full load before
   * @param share of its capacity that each server is put under, above 0
   */
  public List<Samples> measure(Cell cell, Effort effort, long warmUpNanos, double share)
      throws Exception {
    for (RunningServer one : running) {
      progress.begins("%s: warming up".formatted(one.subject().name()));
      one.load().run(cell.mix(), cell.depth(), warmUpNanos);
    }
    Rounds capacities = new Rounds().shuffled();
    List<List<Double>> rates = new ArrayList<>();
    for (RunningServer one : running) {
      List<Double> own = new ArrayList<>();
      rates.add(own);
      capacities.add(one.subject().name(), () -> capacity(one, cell, effort.roundNanos(), own));
    }
    capacities.run(0, effort.rounds(), progress.rounds("full load, depth " + cell.depth()));
    List<Samples> samples = new ArrayList<>();
    List<Turns> turns = new ArrayList<>();
    Rounds rounds = new Rounds().shuffled();
    for (int i = 0; i < running.size(); i++) {
      double capacity = median(rates.get(i));
      Turns own = new Turns(running.get(i), cell, capacity, capacity * share);
      turns.add(own);
      rounds.add(own.server.subject().name(), () -> own.take(effort.roundNanos()));
    }
    rounds.run(0, effort.rounds(), progress.rounds("half load, depth " + cell.depth()));
    for (Turns own : turns) {
      samples.add(own.samples());
    }
    return samples;
  }

  private static double median(List<Double> samples) {
    return samples.stream().sorted().toList().get(samples.size() / 2);
  }

  private static double capacity(RunningServer one, Cell cell, long nanos, List<Double> rates)
      throws InterruptedException {
    LoadResult result = one.load().run(cell.mix(), cell.depth(), nanos);
    rates.add(result.operationsPerSecond());
    return result.operationsPerSecond();
  }

  /** A server's rounds at the fixed rate. */
  private static final class Turns {
    private final RunningServer server;
    private final Mix mix;
    private final int depth;
    private final double capacity;
    private final double wanted;
    private final List<LoadResult> results = new ArrayList<>();
    private int checkpoints;

    Turns(RunningServer server, Cell cell, double capacity, double wanted) {
      this.server = server;
      this.mix = cell.mix();
      this.depth = cell.depth();
      this.capacity = capacity;
      this.wanted = wanted;
    }

    double take(long nanos) throws InterruptedException {
      LoadResult result;
      try (Checkpoints taken = new Checkpoints(server)) {
        result = server.load().run(mix, depth, nanos, wanted);
        checkpoints += taken.end();
      }
      results.add(result);
      return result.operationsPerSecond();
    }

    Samples samples() {
      return new Samples(
          server.subject(),
          capacity,
          wanted,
          results.stream().map(LoadResult::operationsPerSecond).toList(),
          results.stream().map(each -> each.latencyNanos(0.999) / 1e3).toList(),
          LoadResult.sum(results),
          checkpoints);
    }
  }

  /** Has a server take checkpoints until it is closed; none of one that has no store. */
  private static final class Checkpoints implements AutoCloseable {
    private final Thread thread;
    private volatile boolean ends;
    private int taken; // by the thread, until it has ended

    Checkpoints(RunningServer server) {
      Path store = server.subject().storeIn(server.folder());
      thread =
          Thread.ofPlatform()
              .name("checkpoints")
              .unstarted(store == null ? () -> {} : () -> run(store));
      thread.start();
    }

    private void run(Path store) {
      try {
        while (!ends) {
          AdminClient.checkpoint(store);
          taken++;
          Thread.sleep(CHECKPOINT_PAUSE_MILLIS);
        }
      } catch (InterruptedException _) {
        // It ends.
      }
    }

    int end() throws InterruptedException {
      ends = true;
      thread.join();
      return taken;
    }

    @Override
    public void close() {
      ends = true;
    }
  }

  /** Stops the servers. */
  @Override
  public void close() {
    running.forEach(RunningServer::close);
    running.clear();
  }
}
