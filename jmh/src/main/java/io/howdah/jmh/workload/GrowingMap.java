package io.howdah.jmh.workload;

import io.howdah.txn.Durability;
import io.howdah.txn.PersistentMap;
import io.howdah.txn.Store;
import io.howdah.txn.StoreOptions;
import io.howdah.txn.Tx;
import io.howdah.txn.codec.Codec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Puts the same entries, one by one and in turns, into a map that grows all the way and into one
 * that has grown to that size before and is empty; and counts between them, which waits for nobody.
 * What all three wait for now and then (the garbage collector, the scheduler of the machine) is not
 * the growth's. That is timed by itself, too: each step of it is a JFR event.
 *
 * <p>The store is in memory: a disk would make puts wait, grown map or not.
 */
public final class GrowingMap {

  /** Beyond this nobody is to wait for growth. */
  private static final long LONG_NANOS = 1_000_000;

  private static final int BATCH = 500;
  private static final int WARM_UP = 100_000;
  private static final int COUNTING_STEPS = 500;
  private static final int MAX_LONG = 10_000;
  private static final int VALUE_BYTES = 100;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final String GROWTH = "io.howdah.MapGrowth";
  private static final String PAUSE = "jdk.GCPhasePause";
  private static final Duration LEAST_STEP = Duration.ofNanos(20_000);

  private final long count;
  private final Subject growing = new Subject();
  private final Subject grown = new Subject();
  private final Subject counting = new Subject();
  private long state = 1;

  /** One of those that take turns. */
  private static final class Subject {
    final Latencies latencies = new Latencies();

    /** Those beyond a millisecond: by when they had ended, and how long they took. */
    final List<Span> longOnes = new ArrayList<>();

    void add(long from, long to) {
      latencies.add(to - from);
      if (to - from > LONG_NANOS && longOnes.size() < MAX_LONG) {
        Instant end = Instant.now();
        longOnes.add(new Span(end.minusNanos(to - from), end));
      }
    }

    Figures figures(List<Span> pauses) {
      return new Figures(
          latencies.quantile(0.9999),
          latencies.longest(),
          longOnes.size(),
          (int) longOnes.stream().filter(one -> pauses.stream().anyMatch(one::meets)).count());
    }
  }

  private record Span(Instant from, Instant to) {
    boolean meets(Span other) {
      return from.isBefore(other.to) && other.from.isBefore(to);
    }
  }

  /**
   * What came of one subject.
   *
   * @param p9999Nanos what all but one of 10,000 do not exceed
   * @param overMillisecond how many took longer than a millisecond
   * @param inPauses how many of these while the garbage collector had stopped everybody
   */
  public record Figures(long p9999Nanos, long longestNanos, int overMillisecond, int inPauses) {}

  /**
   * What came of all.
   *
   * @param longestStepNanos of growth; {@code stepsSeen} is 0 if none took 20 µs, and then this is
   *     20 µs
   * @param mostMoved most entries that one of these steps has moved
   */
  public record Result(
      Figures growing,
      Figures grown,
      Figures counting,
      long longestStepNanos,
      int stepsSeen,
      int stepsInPauses,
      int mostMoved) {}

  private GrowingMap(long count) {
    this.count = count;
  }

  /**
   * Runs it.
   *
   * @param count entries of each map
   * @param recording file for what was recorded
   * @param progress told of what was done so far, of three times as much
   */
  public static Result run(long count, Path recording, LongConsumer progress) throws IOException {
    GrowingMap run = new GrowingMap(count);
    try (Store store = Store.inMemory(StoreOptions.defaults().maxSize(Entries.maxSize(2 * count)));
        Recording recorder = new Recording()) {
      PersistentMap<Long, byte[]> ready = store.map("grown", Codec.int64(), Codec.bytes());
      run.each(BATCH, store, (tx, key) -> ready.put(tx, key, new byte[0]), progress, 0);
      run.each(BATCH, store, (tx, key) -> ready.remove(tx, key), progress, count);
      recorder.enable(GROWTH).withThreshold(LEAST_STEP).withoutStackTrace();
      recorder.enable(PAUSE).withoutThreshold();
      recorder.setToDisk(true);
      recorder.start();
      run.takeTurns(store, store.map("growing", Codec.int64(), Codec.bytes()), ready, progress);
      recorder.stop();
      recorder.dump(recording);
      return run.result(RecordingFile.readAllEvents(recording));
    }
  }

  private interface Change {
    void apply(Tx tx, long key);
  }

  private void each(int batch, Store store, Change change, LongConsumer progress, long done) {
    for (long at = 0; at < count; at += batch) {
      long from = at;
      long to = Math.min(count, at + batch);
      store.run(
          Durability.ASYNC,
          tx -> {
            for (long i = from; i < to; i++) {
              change.apply(tx, i * MULTIPLIER);
            }
          });
      if (at % (1000L * batch) == 0) {
        progress.accept(done + at);
      }
    }
  }

  private void takeTurns(
      Store store,
      PersistentMap<Long, byte[]> first,
      PersistentMap<Long, byte[]> second,
      LongConsumer progress) {
    byte[] value = new byte[VALUE_BYTES];
    long warmUp = Math.min(count / 10, WARM_UP);
    for (long i = 0; i < count; i++) {
      long key = i * MULTIPLIER;
      long start = System.nanoTime();
      store.run(Durability.ASYNC, tx -> first.put(tx, key, value));
      long afterFirst = System.nanoTime();
      store.run(Durability.ASYNC, tx -> second.put(tx, key, value));
      long afterSecond = System.nanoTime();
      count();
      long end = System.nanoTime();
      // The first ones run in the interpreter.
      if (i >= warmUp) {
        growing.add(start, afterFirst);
        grown.add(afterFirst, afterSecond);
        counting.add(afterSecond, end);
      }
      if (i % 500_000 == 0) {
        progress.accept(2 * count + i);
      }
    }
    if (state == 0) {
      throw new IllegalStateException("the count was lost");
    }
  }

  /** Takes about as long as a put. */
  private void count() {
    long x = state;
    for (int i = 0; i < COUNTING_STEPS; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    state = x;
  }

  private Result result(List<RecordedEvent> events) {
    List<Span> pauses = new ArrayList<>();
    List<RecordedEvent> steps = new ArrayList<>();
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals(PAUSE)) {
        pauses.add(span(event));
      } else if (event.getEventType().getName().equals(GROWTH)) {
        steps.add(event);
      }
    }
    long longest = LEAST_STEP.toNanos();
    int most = 0;
    int inPauses = 0;
    for (RecordedEvent step : steps) {
      longest = Math.max(longest, step.getDuration().toNanos());
      most = Math.max(most, step.getInt("moved"));
      Span span = span(step);
      inPauses += pauses.stream().anyMatch(span::meets) ? 1 : 0;
    }
    return new Result(
        growing.figures(pauses),
        grown.figures(pauses),
        counting.figures(pauses),
        longest,
        steps.size(),
        inPauses,
        most);
  }

  private static Span span(RecordedEvent event) {
    return new Span(event.getStartTime(), event.getEndTime());
  }
}
