package io.howdah.crashtest.soak;

import io.howdah.CheckpointStats;
import io.howdah.Store;
import io.howdah.collections.Range;
import io.howdah.core.HowdahException;
import io.howdah.crashtest.soak.SoakBoard.Gauge;
import io.howdah.crashtest.soak.SoakBoard.Phase;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The process under load: opens the store, shows on the {@link SoakBoard} what it holds, waits for
 * the word to go on, and works until it is killed or its standard input ends; then it closes the
 * store and ends.
 */
final class SoakChild {

  private static final long POLL_NANOS = 1_000_000;
  private static final int EXIT_FAILED = 3;
  private static final int LOSE_ONE_IN = 100;
  private static final int LEAKED_FILES = 4;
  private static final int LEAKED_ARRAYS = 16;
  private static final int LEAK_BYTES = 1 << 16;
  private static final int CHECKPOINT_EVERY_SAMPLES = 10;
  private static final int READ_ONE_IN = 4;
  private static final int READ_ENTRIES = 20;

  private final SoakBoard board;
  private final SoakStore soak;
  private final long seed;
  private final long intervalNanos;
  private final SoakPlant plant;

  /** What is leaked on purpose. */
  private final List<Object> leaked = new ArrayList<>();

  private volatile boolean ending;

  private SoakChild(
      SoakBoard board, SoakStore soak, long seed, long intervalNanos, SoakPlant plant) {
    this.board = board;
    this.soak = soak;
    this.seed = seed;
    this.intervalNanos = intervalNanos;
    this.plant = plant;
  }

  /** Returns what {@link #main} takes. */
  static List<String> arguments(SoakOptions options, Path board) {
    return List.of(
        options.store().toString(),
        board.toString(),
        Long.toString(options.seed()),
        Integer.toString(options.workers()),
        Integer.toString(options.rate()),
        options.plant().name());
  }

  /** Runs until it is killed, or told to end. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try {
      int workers = Integer.parseInt(args[3]);
      int rate = Integer.parseInt(args[4]);
      SoakBoard board = new SoakBoard(Path.of(args[1]), workers);
      InstantSource clock = () -> Instant.ofEpochMilli(board.clock());
      board.phase(Phase.OPENING);
      long started = System.nanoTime();
      Store store = Store.open(Path.of(args[0]), SoakStore.options(clock));
      board.opened(System.nanoTime() - started);
      SoakStore soak = SoakStore.over(store, workers, clock);
      SoakContent content = SoakContent.of(soak, clock);
      content.problems().forEach(System.out::println);
      System.out.flush();
      board.show(content);
      board.phase(Phase.RECOVERED);
      long interval = rate == 0 ? 0 : TimeUnit.SECONDS.toNanos(workers) / rate;
      new SoakChild(board, soak, Long.parseLong(args[2]), interval, SoakPlant.valueOf(args[5]))
          .run(content);
    } catch (HowdahException e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(EXIT_FAILED);
    }
  }

  private void run(SoakContent content) throws IOException, InterruptedException {
    Thread.ofPlatform().daemon().name("input").start(this::awaitEnd);
    while (!board.mayRun() && !ending) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    board.phase(Phase.RUNNING);
    List<Thread> threads = new ArrayList<>();
    for (int worker = 0; worker < soak.workers; worker++) {
      int number = worker;
      Thread.Builder builder =
          worker % 2 == 0
              ? Thread.ofPlatform().name("worker-" + worker)
              : Thread.ofVirtual().name("worker-" + worker);
      threads.add(builder.start(() -> work(number, content.done(number))));
    }
    long taken = 0;
    while (!ending) {
      long wanted = board.wantedSample();
      if (wanted != taken) {
        taken = wanted;
        sample(taken);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    soak.store.close();
    System.exit(0);
  }

  /** The parent's end of the pipe closes when it ends, however it ends. */
  private void awaitEnd() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever sent.
      }
    } catch (IOException _) {
      // Gone as well.
    }
    ending = true;
  }

  private void work(int worker, long done) {
    SoakWork work = new SoakWork(seed, worker);
    long next = System.nanoTime();
    try {
      for (long n = done + 1; !ending; n++) {
        long wait = next - System.nanoTime();
        if (wait > 0) {
          LockSupport.parkNanos(wait);
        }
        next = Math.max(next + intervalNanos, System.nanoTime() - TimeUnit.SECONDS.toNanos(1));
        long started = System.nanoTime();
        if (plant != SoakPlant.LOST_OPERATIONS || n % LOSE_ONE_IN != 0) {
          soak.run(work, n);
        }
        board.count(worker, System.nanoTime() - started);
        board.acknowledged(worker, n);
        if (n % READ_ONE_IN == 0) {
          read(worker, n);
        }
      }
    } catch (RuntimeException | Error e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(EXIT_FAILED);
    }
  }

  /** Reads what any worker has written: values belong to their keys, and keys ascend. */
  private void read(int worker, long n) {
    long from = SoakWork.sharedKey((int) (n % soak.workers), n % 997);
    soak.store.read(
        tx -> {
          long[] before = {Long.MIN_VALUE};
          soak.sorted
              .range(tx, Range.from(from))
              .limit(READ_ENTRIES)
              .forEach(
                  entry -> {
                    belongs(entry);
                    if (entry.getKey() <= before[0]) {
                      throw new IllegalStateException(entry.getKey() + " after " + before[0]);
                    }
                    before[0] = entry.getKey();
                  });
          soak.byGroup
              .entries(tx, n % SoakWork.SHARED_WORDS)
              .limit(READ_ENTRIES)
              .forEach(SoakChild::belongs);
          String text = soak.map.get(tx, from);
          if (text != null) {
            belongs(Map.entry(from, text));
          }
          long sum = 0;
          for (int word = 0; word < SoakWork.SHARED_WORDS; word++) {
            sum += soak.shared(tx, word);
          }
          if (sum != 0) {
            throw new IllegalStateException(
                "worker " + worker + " sees shared words whose sum is " + sum);
          }
          return sum;
        });
  }

  private static void belongs(Map.Entry<Long, String> entry) {
    if (!entry.getValue().startsWith(entry.getKey() + ":")) {
      throw new IllegalStateException("key " + entry.getKey() + " has " + entry.getValue());
    }
  }

  private void sample(long number) throws IOException {
    plant();
    if (number % CHECKPOINT_EVERY_SAMPLES == 0) {
      soak.store.admin().checkpoint();
    }
    // What stays after a collection is what a leak adds to.
    System.gc();
    board.gauge(
        Gauge.HEAP_BYTES, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    CheckpointStats checkpoints = soak.store.admin().checkpointStats();
    board.gauge(Gauge.STORE_BYTES, soak.store.admin().stats().allocatedBytes());
    board.gauge(Gauge.LOG_BYTES, checkpoints.logBytes());
    board.gauge(Gauge.CHECKPOINTS, checkpoints.taken());
    board.takenSample(number);
  }

  private void plant() throws IOException {
    switch (plant) {
      case NONE, LOST_OPERATIONS -> {}
      case HEAP -> {
        for (int i = 0; i < LEAKED_ARRAYS; i++) {
          leaked.add(new byte[LEAK_BYTES]);
        }
      }
      case DESCRIPTORS -> {
        for (int i = 0; i < LEAKED_FILES; i++) {
          leaked.add(Files.newInputStream(Path.of(System.getProperty("java.home"), "release")));
        }
      }
      case THREADS ->
          leaked.add(Thread.ofPlatform().daemon().name("leaked").start(LockSupport::park));
    }
  }
}
