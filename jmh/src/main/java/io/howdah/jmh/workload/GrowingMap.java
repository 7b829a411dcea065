package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.HdrHistogram.Histogram;

/**
 * Puts the same entries, one by one and in turns, into a map that grows all the way and into one
 * that has grown to that size before and is empty; and counts between them, which waits for nobody.
 * What all three wait for now and then (the garbage collector, the scheduler of the machine) is not
 * the growth's. That is timed by itself, too: each step of it is a JFR event.
 *
 * <p>Then another map grows where the first one was. Memory that a process uses for the first time
 * the kernel has to find and clear, and a hypervisor to back, whoever touches it first: in the
 * first map that is in the steps now and then, in the second one it is not. What a page costs is
 * measured by itself.
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

  /** Puts that took so long are looked at again if a step of growth was in them. */
  private static final long SLOW_NANOS = 50_000;

  private static final long HUGE_PAGE_BYTES = 2L << 20;
  private static final int TOUCHES = 32;

  private final long count;
  private final Subject growing = new Subject();
  private final Subject grown = new Subject();
  private final Subject counting = new Subject();

  /** Puts into the second map that were slow, with the processor time that each took. */
  private final List<Slow> slow = new ArrayList<>();

  private long state = 1;

  private record Slow(Span span, long processorNanos) {}

  /** One of those that take turns. */
  private static final class Subject {
    final Histogram latencies = Latency.histogram();

    /** Those beyond a millisecond: by when they had ended, and how long they took. */
    final List<Span> longOnes = new ArrayList<>();

    void add(long from, long to) {
      latencies.recordValue(to - from);
      if (to - from > LONG_NANOS && longOnes.size() < MAX_LONG) {
        longOnes.add(Span.endingNow(to - from));
      }
    }

    Figures figures(List<Span> pauses) {
      return new Figures(
          Latency.quantile(latencies, 0.9999),
          latencies.getMaxValue(),
          longOnes.size(),
          (int) longOnes.stream().filter(one -> pauses.stream().anyMatch(one::meets)).count());
    }
  }

  private record Span(Instant from, Instant to) {
    static Span endingNow(long nanos) {
      Instant end = Instant.now();
      return new Span(end.minusNanos(nanos), end);
    }

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
   * The steps of growth that one map took.
   *
   * @param longestNanos of growth; {@code seen} is 0 if none took 20 µs, and then this is 20 µs
   * @param longestProcessorNanos the same, but of each step no more than the processor time of the
   *     put it was in: without what that waited for a processor
   * @param mostMoved most entries that one of these steps has moved
   */
  public record Steps(long longestNanos, long longestProcessorNanos, int seen, int mostMoved) {}

  /**
   * What came of all.
   *
   * @param fresh steps of the first map, in memory that was never touched before
   * @param used steps of the second one
   * @param firstTouchNanos of 2 MiB of memory, by a transaction of one word; the longest of up to
   *     32
   */
  public record Result(
      Figures growing,
      Figures grown,
      Figures counting,
      Steps fresh,
      Steps used,
      long firstTouchNanos) {}

  private GrowingMap(long count) {
    this.count = count;
  }

  /**
   * Runs it.
   *
   * @param count entries of each map
   * @param recording file for what was recorded
   * @param progress told of what was done so far, of five times as much
   */
  public static Result run(long count, Path recording, LongConsumer progress) throws IOException {
    GrowingMap run = new GrowingMap(count);
    try (Store store =
        Store.inMemory(StoreOptions.defaults().withMaxSize(Entries.maxSize(2 * count)))) {
      long touch = longestTouch(store);
      PersistentMap<Long, byte[]> ready = store.map("grown", Codec.int64(), Codec.bytes());
      run.each(BATCH, store, (tx, key) -> ready.put(tx, key, new byte[0]), progress, 0);
      run.each(BATCH, store, (tx, key) -> ready.remove(tx, key), progress, count);
      PersistentMap<Long, byte[]> first = store.map("growing", Codec.int64(), Codec.bytes());
      List<RecordedEvent> turns =
          record(recording, () -> run.takeTurns(store, first, ready, progress));
      run.each(BATCH, store, (tx, key) -> first.remove(tx, key), progress, 3 * count);
      store.admin().drop("growing");
      PersistentMap<Long, byte[]> second = store.map("again", Codec.int64(), Codec.bytes());
      List<RecordedEvent> again = record(recording, () -> run.grow(store, second, progress));
      List<Span> pauses = spans(turns, PAUSE);
      return new Result(
          run.growing.figures(pauses),
          run.grown.figures(pauses),
          run.counting.figures(pauses),
          run.steps(turns),
          run.steps(again),
          touch);
    }
  }

  private static List<RecordedEvent> record(Path file, Runnable work) throws IOException {
    try (Recording recorder = new Recording()) {
      recorder.enable(GROWTH).withThreshold(LEAST_STEP).withoutStackTrace();
      recorder.enable(PAUSE).withoutThreshold();
      recorder.setToDisk(true);
      recorder.start();
      work.run();
      recorder.stop();
      recorder.dump(file);
      return RecordingFile.readAllEvents(file);
    }
  }

  /** Touches memory of a store, stretch by stretch, that nobody has touched before. */
  private static long longestTouch(Store store) {
    long touches = Math.min(TOUCHES, store.admin().stats().maxBlockBytes() / 4 / HUGE_PAGE_BYTES);
    long block = store.call(tx -> tx.allocate(Math.max(1, touches) * HUGE_PAGE_BYTES));
    long longest = 0;
    for (int i = 0; i < touches; i++) {
      long word = block + i * HUGE_PAGE_BYTES;
      long start = System.nanoTime();
      store.run(TxOptions.async(), tx -> tx.putLong(word, 1));
      longest = Math.max(longest, System.nanoTime() - start);
    }
    store.run(tx -> tx.free(block));
    return longest;
  }

  /** Puts all entries into a map, and nothing else. */
  private void grow(Store store, PersistentMap<Long, byte[]> map, LongConsumer progress) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    byte[] value = new byte[VALUE_BYTES];
    long processorBefore = threads.getCurrentThreadCpuTime();
    for (long i = 0; i < count; i++) {
      long key = i * MULTIPLIER;
      long start = System.nanoTime();
      store.run(TxOptions.async(), tx -> map.put(tx, key, value));
      long end = System.nanoTime();
      long processor = threads.getCurrentThreadCpuTime();
      if (end - start > SLOW_NANOS && slow.size() < MAX_LONG) {
        slow.add(new Slow(Span.endingNow(end - start), processor - processorBefore));
      }
      processorBefore = processor;
      if (i % 500_000 == 0) {
        progress.accept(4 * count + i);
      }
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
          TxOptions.async(),
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
      store.run(TxOptions.async(), tx -> first.put(tx, key, value));
      long afterFirst = System.nanoTime();
      store.run(TxOptions.async(), tx -> second.put(tx, key, value));
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

  private Steps steps(List<RecordedEvent> events) {
    long longest = LEAST_STEP.toNanos();
    long longestProcessor = longest;
    int most = 0;
    int seen = 0;
    for (RecordedEvent event : events) {
      if (event.getEventType().getName().equals(GROWTH)) {
        long nanos = event.getDuration().toNanos();
        seen++;
        longest = Math.max(longest, nanos);
        longestProcessor = Math.max(longestProcessor, Math.min(nanos, processorNanos(event)));
        most = Math.max(most, event.getInt("moved"));
      }
    }
    return new Steps(longest, longestProcessor, seen, most);
  }

  /** Returns the processor time of the put that a step was in, as far as it is known. */
  private long processorNanos(RecordedEvent step) {
    Span span = span(step);
    return slow.stream()
        .filter(put -> put.span().meets(span))
        .mapToLong(Slow::processorNanos)
        .max()
        .orElse(Long.MAX_VALUE);
  }

  private static List<Span> spans(List<RecordedEvent> events, String type) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(type))
        .map(GrowingMap::span)
        .toList();
  }

  private static Span span(RecordedEvent event) {
    return new Span(event.getStartTime(), event.getEndTime());
  }
}
