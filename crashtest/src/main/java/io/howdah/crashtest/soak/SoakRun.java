package io.howdah.crashtest.soak;

import io.howdah.Store;
import io.howdah.crashtest.soak.SoakBoard.Gauge;
import io.howdah.crashtest.soak.SoakBoard.Phase;
import io.howdah.process.ChildJvm;
import io.howdah.process.EarlyEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets processes work on a store, one after the other; kills them, now and then closes one in
 * order, now and then kills one that opens the store; and compares what each opening shows with
 * models, which this process keeps. The first broken promise ends the run. If this JVM is told to
 * end (Ctrl-C), the run ends early, with a comparison, and the JVM waits until the run is closed.
 * For one thread.
 */
public final class SoakRun implements AutoCloseable {

  private static final int CLOSE_ONE_IN = 4;
  private static final int KILL_OPENING_ONE_IN = 3;
  private static final long POLL_NANOS = 2_000_000;
  private static final long OPEN_TIMEOUT_NANOS = 120_000_000_000L;
  private static final long SAMPLE_TIMEOUT_NANOS = 60_000_000_000L;

  /** A heap of one size, all of it in memory, so that memory grows only if something leaks. */
  private static final List<String> FLAGS =
      List.of(
          "-Xms256m",
          "-XX:+AlwaysPreTouch",
          "-XX:-UseDynamicNumberOfCompilerThreads",
          "-Djdk.virtualThreadScheduler.parallelism=2",
          "-Djdk.virtualThreadScheduler.maxPoolSize=4");

  private final SoakOptions options;
  private final Progress progress;
  private final SplittableRandom random;
  private final List<SoakModel> models = new ArrayList<>();
  private final List<SoakSample> samples = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private long ranNanos;
  private long maxOpeningNanos = 1_000_000;
  private long checkpoints;
  private int life;
  private int kills;
  private int killsWhileOpening;
  private int closes;
  private final EarlyEnd early = new EarlyEnd();

  /** Told while operations run, on the thread that runs. */
  public interface Progress {

    /** So many operations are done, after so many seconds, in the process with this number. */
    void running(double seconds, int life, long operations);
  }

  /** Prepares a run. */
  public SoakRun(SoakOptions options, Progress progress) {
    this.options = options;
    this.progress = progress;
    this.random = new SplittableRandom(options.seed());
    for (int worker = 0; worker < options.workers(); worker++) {
      models.add(new SoakModel(new SoakWork(options.seed(), worker)));
    }
  }

  /** Lets the JVM end, if it has been told to. */
  @Override
  public void close() {
    early.close();
  }

  /** Runs to the end, or to the first broken promise. */
  public SoakReport run() throws IOException, InterruptedException {
    Path scratch = Files.createTempDirectory("howdah-soak");
    Path boardFile = scratch.resolve("board");
    Path output = scratch.resolve("child.log");
    Files.createDirectories(options.store());
    try (SoakBoard board = new SoakBoard(boardFile, options.workers())) {
      board.clock(1);
      String end = "new";
      for (long nanos : lives()) {
        if (!violations.isEmpty() || early.isAsked()) {
          break;
        }
        life++;
        end = live(board, boardFile, output, nanos, end);
      }
      if (violations.isEmpty()) {
        judgeHere(board, end);
      }
    } finally {
      Files.deleteIfExists(boardFile);
      Files.deleteIfExists(output);
      Files.delete(scratch);
    }
    List<Flatness.Verdict> verdicts = Flatness.judge(samples);
    for (Flatness.Verdict verdict : verdicts) {
      if (!verdict.isFlat()) {
        violations.add(
            "%s is not flat %s: %.1f %s in the first third, %.1f in the last, at most %.1f"
                .formatted(
                    verdict.series().text(),
                    verdict.where(),
                    verdict.first(),
                    verdict.series().unit(),
                    verdict.last(),
                    verdict.limit()));
      }
    }
    return new SoakReport(
        ranNanos / 1e9,
        models.stream().mapToLong(SoakModel::done).sum(),
        kills,
        killsWhileOpening,
        closes,
        maxOpeningNanos,
        checkpoints,
        samples,
        verdicts,
        violations,
        early.isAsked());
  }

  /** Returns how long each process works: many in the first half, one in the second. */
  private long[] lives() {
    long half = options.time().toNanos() / 2;
    long[] lives = new long[options.kills() + 1];
    double[] parts = new double[options.kills()];
    double sum = 0;
    for (int i = 0; i < parts.length; i++) {
      parts[i] = 0.2 + random.nextDouble();
      sum += parts[i];
    }
    for (int i = 0; i < parts.length; i++) {
      lives[i] = (long) (half * (parts[i] / sum));
    }
    lives[parts.length] = half;
    return lives;
  }

  /** Lets a process open the store, compares, lets it work and ends it; returns how. */
  private String live(SoakBoard board, Path boardFile, Path output, long nanos, String before)
      throws IOException, InterruptedException {
    ChildJvm child = start(board, boardFile, output);
    if (!reaches(board, child, Phase.RECOVERED)) {
      if (early.isAskedSoon()) {
        child.kill();
        return before;
      }
      violations.add(
          "the store did not open after " + before + "; the process " + child.lastWords());
      child.kill();
      return before;
    }
    maxOpeningNanos = Math.max(maxOpeningNanos, board.openingNanos());
    List<String> problems = new ArrayList<>();
    if (board.problems() > 0) {
      problems.add(Files.readString(output).strip());
    }
    judge(board, board.shown(), problems, before);
    if (!violations.isEmpty()) {
      child.kill();
      return before;
    }
    work(board, child, nanos);
    if (!violations.isEmpty()) {
      child.kill();
      return before;
    }
    String end;
    if (random.nextInt(CLOSE_ONE_IN) == 0) {
      child.endGently();
      closes++;
      end = "close";
    } else {
      child.kill();
      kills++;
      end = "kill";
    }
    if (!early.isAsked() && random.nextInt(KILL_OPENING_ONE_IN) == 0) {
      killWhileOpening(board, boardFile, output);
    }
    return end;
  }

  private ChildJvm start(SoakBoard board, Path boardFile, Path output) throws IOException {
    board.reset();
    ChildJvm child =
        ChildJvm.start(
            Map.of(), FLAGS, SoakChild.class, SoakChild.arguments(options, boardFile), output);
    early.goFirst();
    return child;
  }

  private static boolean reaches(SoakBoard board, ChildJvm child, Phase phase) {
    long deadline = System.nanoTime() + OPEN_TIMEOUT_NANOS;
    while (board.phase().compareTo(phase) < 0) {
      if (!child.isAlive() || System.nanoTime() - deadline > 0) {
        return board.phase().compareTo(phase) >= 0;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  private void killWhileOpening(SoakBoard board, Path boardFile, Path output)
      throws IOException, InterruptedException {
    ChildJvm child = start(board, boardFile, output);
    if (reaches(board, child, Phase.OPENING)) {
      LockSupport.parkNanos(random.nextLong(maxOpeningNanos));
    }
    child.kill();
    killsWhileOpening++;
  }

  private void work(SoakBoard board, ChildJvm child, long nanos)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    long clock = board.clock();
    long before = ranNanos;
    long sampled = begin;
    long[] counts = board.latencies();
    long number = 0;
    board.letRun();
    while (System.nanoTime() - begin < nanos && !early.isAsked()) {
      if (!child.isAlive()) {
        if (early.isAskedSoon()) {
          break;
        }
        violations.add("process " + life + " stopped by itself; it " + child.lastWords());
        return;
      }
      long now = System.nanoTime();
      ranNanos = before + now - begin;
      board.clock(clock + (now - begin) / 1_000_000);
      follow(board);
      progress.running(ranNanos / 1e9, life, operations());
      if (now - sampled >= options.sampleMillis() * 1_000_000 && child.isAlive()) {
        number++;
        long[] next = sample(board, child, number, (now - begin) / 1e9, now - sampled, counts);
        counts = next;
        sampled = now;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    ranNanos = before + System.nanoTime() - begin;
  }

  /** The models keep up with what is acknowledged, so that an opening need not wait for them. */
  private void follow(SoakBoard board) {
    for (int worker = 0; worker < models.size(); worker++) {
      models.get(worker).advance(board.acknowledged(worker));
    }
  }

  private long operations() {
    return models.stream().mapToLong(SoakModel::done).sum();
  }

  private long[] sample(
      SoakBoard board, ChildJvm child, long number, double age, long nanos, long[] before)
      throws IOException {
    board.wantSample(number);
    long deadline = System.nanoTime() + SAMPLE_TIMEOUT_NANOS;
    while (board.takenSample() != number && child.isAlive()) {
      if (System.nanoTime() - deadline > 0) {
        violations.add("process " + life + " gives no figures for a minute");
        return before;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    Map<SoakSeries, Double> values = new EnumMap<>(SoakSeries.class);
    ProcessFigures.read(child.pid(), values);
    ProcessFigures.files(options.store(), values);
    values.put(SoakSeries.HEAP, board.gauge(Gauge.HEAP_BYTES) / 1e6);
    values.put(SoakSeries.STORE, board.gauge(Gauge.STORE_BYTES) / 1e6);
    values.put(SoakSeries.LOG, board.gauge(Gauge.LOG_BYTES) / 1e6);
    checkpoints = Math.max(checkpoints, board.gauge(Gauge.CHECKPOINTS));
    long[] after = board.latencies();
    long[] counts = new long[after.length];
    long total = 0;
    for (int i = 0; i < after.length; i++) {
      counts[i] = after[i] - before[i];
      total += counts[i];
    }
    values.put(SoakSeries.RATE, total * 1e9 / nanos);
    values.put(SoakSeries.P50, LatencyBuckets.quantile(counts, 0.5) / 1e3);
    values.put(SoakSeries.P99, LatencyBuckets.quantile(counts, 0.99) / 1e3);
    values.put(SoakSeries.P999, LatencyBuckets.quantile(counts, 0.999) / 1e3);
    samples.add(new SoakSample(ranNanos / 1e9, life, age, values));
    return after;
  }

  /** Opens the store in this process, and compares. */
  private void judgeHere(SoakBoard board, String before) {
    InstantSource clock = () -> Instant.ofEpochMilli(board.clock());
    long started = System.nanoTime();
    try (Store store = Store.open(options.store(), SoakStore.options(clock))) {
      maxOpeningNanos = Math.max(maxOpeningNanos, System.nanoTime() - started);
      SoakContent content = SoakContent.of(SoakStore.over(store, options.workers(), clock), clock);
      judge(board, content, content.problems(), before);
    }
  }

  private void judge(SoakBoard board, SoakContent content, List<String> problems, String before) {
    violations.addAll(problems);
    for (int worker = 0; worker < models.size(); worker++) {
      long acknowledged = board.acknowledged(worker);
      long found = content.done(worker);
      // At most one operation was under way.
      if (found < acknowledged || found > acknowledged + 1) {
        violations.add(
            "worker %d: %d operations after %s, acknowledged were %d"
                .formatted(worker, found, before, acknowledged));
        return;
      }
      models.get(worker).advance(found);
      board.acknowledged(worker, found);
    }
    for (String difference : content.differences(models)) {
      violations.add("after " + before + ": " + difference);
    }
  }
}
