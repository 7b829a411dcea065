package io.howdah.jmh.workload;

import io.howdah.core.storage.file.Regions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * What threads can do without the engine: count, copy memory, and hand a cache line to each other.
 * The baselines of scaling. For one thread, which starts the others.
 */
public final class RawLoops implements AutoCloseable {

  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /** Longs on both sides of the line that is handed over: two lines, since some come in pairs. */
  private static final int PADDING = 16;

  private static final int PAGE_BYTES = 4096;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int SPINS = 10_000;

  /** Turns of each thread in a series, which takes some ten microseconds. */
  private static final int TURNS = 64;

  private final Arena arena;
  private final MemorySegment source;
  private final MemorySegment target;

  @SuppressWarnings("UnusedVariable") // keeps results alive
  private volatile long blackHole;

  private RawLoops(Arena arena, long copyBytes) {
    this.arena = arena;
    this.source = Regions.anonymous(arena, copyBytes);
    this.target = Regions.anonymous(arena, copyBytes);
    for (long at = 0; at < copyBytes; at += PAGE_BYTES) {
      source.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
      target.set(ValueLayout.JAVA_BYTE, at, (byte) 1);
    }
  }

  /**
   * Creates the memory that is copied, and touches it.
   *
   * @param copyBytes of source and target each; more than the caches hold. At least 1 MiB
   */
  public static RawLoops create(long copyBytes) {
    if (copyBytes < CHUNK_BYTES) {
      throw new IllegalArgumentException("copyBytes must be at least 1 MiB: " + copyBytes);
    }
    Arena arena = Arena.ofShared();
    try {
      return new RawLoops(arena, copyBytes);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** Returns how many random numbers all threads draw in a second; they share nothing. */
  public double emptyPerSecond(int threads, long nanos) throws Exception {
    return ThreadTeam.run(
            threads,
            nanos,
            thread -> {
              RandomWords random = new RandomWords(thread);
              return stop -> {
                long done = 0;
                long sum = 0;
                do {
                  sum += random.next(Long.MAX_VALUE);
                  done++;
                } while (!stop.isSet());
                blackHole = sum;
                return done;
              };
            })
        .perSecond();
  }

  /** Returns how many bytes all threads copy in a second, a mebibyte at a time. */
  public double copiedBytesPerSecond(int threads, long nanos) throws Exception {
    long chunks = source.byteSize() / CHUNK_BYTES;
    return ThreadTeam.run(
                threads,
                nanos,
                thread -> {
                  RandomWords random = new RandomWords(thread);
                  return stop -> {
                    long done = 0;
                    do {
                      MemorySegment.copy(
                          source,
                          random.next(chunks) * CHUNK_BYTES,
                          target,
                          random.next(chunks) * CHUNK_BYTES,
                          CHUNK_BYTES);
                      done++;
                    } while (!stop.isSet());
                    return done;
                  };
                })
            .perSecond()
        * CHUNK_BYTES;
  }

  /**
   * Returns how many nanoseconds it takes until a cache line that one thread has changed is read
   * and changed by another one. Two threads take turns: each loads a word until it is its turn, and
   * adds one. That is what the version clock's line goes through with each transaction, which loads
   * it at the begin and adds one at the commit, if each transaction comes from another processor.
   *
   * <p>Returns the lowest decile over short series of turns: in the other series one of the threads
   * may have waited for a processor.
   */
  public double handOverNanos(long nanos) throws Exception {
    long[] line = new long[2 * PADDING];
    Histogram series = Latency.histogram();
    ThreadTeam.run(2, nanos, thread -> stop -> turns(line, thread, stop, series));
    return (double) Latency.quantile(series, 0.1) / (2 * TURNS);
  }

  /** Takes turns, and as thread 0 notes how long each series took. */
  private static long turns(long[] line, int thread, ThreadTeam.Stop stop, Histogram series) {
    long done = 0;
    long begin = System.nanoTime();
    while (true) {
      int spins = 0;
      while (((long) WORD.getAcquire(line, PADDING) & 1) != thread) {
        if (stop.isSet() && done >= TURNS) { // each thread gets that far
          return done;
        }
        if (++spins >= SPINS) {
          LockSupport.parkNanos(1); // the other one may wait for this processor
        }
      }
      long _ = (long) WORD.getAndAdd(line, PADDING, 1L);
      done++;
      if (thread == 0 && done % TURNS == 0) {
        long now = System.nanoTime();
        series.recordValue(now - begin);
        begin = now;
      }
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
