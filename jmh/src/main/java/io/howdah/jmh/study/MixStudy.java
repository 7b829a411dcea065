package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.Latency;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.jmh.workload.TransactionMix;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * A mix of transactions in every commit mode, in turns: what durability costs a program. For one
 * thread.
 */
public final class MixStudy implements AutoCloseable {

  private static final int WARM_UPS = 3;
  private static final String FORCE = "raw force";

  /** Of so many transactions one is timed, so that the clock takes none of the time. */
  private static final int TIMED = 8;

  private final Effort effort;
  private final int threads;
  private final OpenedResources open = new OpenedResources();
  private final RawDisk disk;
  private final TransactionMix inMemory;
  private final TransactionMix durable;

  /** How transactions commit. */
  public enum Mode {
    /** Without a log. */
    VOLATILE(Durability.ASYNC),
    /** Asynchronously. */
    ASYNC(Durability.ASYNC),
    /** Durable with what they depend on when they return. */
    PARTITION(Durability.PARTITION),
    /** Durable with all before when they return. */
    SYNC(Durability.SYNC);

    private final Durability durability;

    Mode(Durability durability) {
      this.durability = durability;
    }
  }

  /**
   * What a mode scored; each list has an entry for each round.
   *
   * @param perSecond transactions
   * @param overVolatile that rate over the one without a log
   * @param overAsync that rate over the one of asynchronous commits
   * @param cpuNanos of the whole process, for each transaction
   * @param latencies of single transactions in nanoseconds, of all rounds; empty if none was timed
   */
  public record Figures(
      Mode mode,
      List<Double> perSecond,
      List<Double> overVolatile,
      List<Double> overAsync,
      List<Double> cpuNanos,
      Histogram latencies) {}

  /**
   * What all modes scored.
   *
   * @param forcesPerSecond of small raw writes, by round
   * @param verified what {@link TransactionMix#verify} returned for the durable store
   */
  public record Result(List<Double> forcesPerSecond, List<Figures> figures, long verified) {}

  /**
   * Creates and fills the stores.
   *
   * @param fill fills a new store
   */
  public MixStudy(
      Path folder,
      StoreOptions options,
      Function<Store, TransactionMix> fill,
      int threads,
      Effort effort,
      StudyProgress progress)
      throws IOException {
    this.effort = effort;
    this.threads = threads;
    try {
      Files.createDirectories(folder);
      progress.begins("filling the stores");
      this.inMemory = fill.apply(open.add(Store.inMemory(options)));
      this.durable = fill.apply(open.add(Store.open(folder.resolve("durable"), options)));
      this.disk = open.add(RawDisk.create(folder));
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Runs all modes in shuffled turns, then verifies the data of both stores. */
  public Result measure(StudyProgress progress) throws Exception {
    Rounds rounds = new Rounds().add(FORCE, () -> disk.forcesPerSecond(effort.roundNanos()));
    Map<Mode, Notes> notes = new EnumMap<>(Mode.class);
    for (Mode mode : Mode.values()) {
      Notes own = new Notes();
      notes.put(mode, own);
      rounds.add(mode.name(), () -> round(mode, own));
    }
    Rounds.Samples samples =
        rounds.shuffled().run(WARM_UPS, effort.rounds(), progress.rounds("transactions"));
    progress.begins("verifying the data");
    inMemory.verify();
    List<Figures> figures = new ArrayList<>();
    notes.forEach(
        (mode, own) ->
            figures.add(
                new Figures(
                    mode,
                    samples.of(mode.name()),
                    samples.ratios(mode.name(), Mode.VOLATILE.name()),
                    samples.ratios(mode.name(), Mode.ASYNC.name()),
                    List.copyOf(own.cpuNanos.subList(WARM_UPS, own.cpuNanos.size())),
                    own.latencies)));
    return new Result(samples.of(FORCE), figures, durable.verify());
  }

  /** What is noted beside the rate. */
  private static final class Notes {
    private final List<Double> cpuNanos = new ArrayList<>();
    private final Histogram latencies = Latency.histogram();
  }

  private double round(Mode mode, Notes notes) throws Exception {
    TransactionMix mix = mode == Mode.VOLATILE ? inMemory : durable;
    List<Histogram> timed = new ArrayList<>();
    ThreadTeam.Outcome outcome =
        ThreadTeam.run(
            threads,
            effort.roundNanos(),
            thread -> {
              TransactionMix.Worker worker = mix.worker(thread);
              Histogram own = Latency.histogram();
              timed.add(own);
              return stop -> repeat(worker, mode.durability, stop, own);
            });
    notes.cpuNanos.add((double) outcome.cpuNanos() / Math.max(1, outcome.operations()));
    if (notes.cpuNanos.size() > WARM_UPS) {
      timed.forEach(notes.latencies::add);
    }
    return outcome.perSecond();
  }

  private static long repeat(
      TransactionMix.Worker worker, Durability durability, ThreadTeam.Stop stop, Histogram timed) {
    long done = 0;
    do {
      if (done % TIMED == 0) {
        long begin = System.nanoTime();
        worker.next(durability);
        timed.recordValue(System.nanoTime() - begin);
      } else {
        worker.next(durability);
      }
      done++;
    } while (!stop.isSet());
    return done;
  }

  @Override
  public void close() throws IOException {
    open.close();
  }
}
