package io.howdah.jmh.workload;

import io.howdah.core.storage.file.Regions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the machine can do with six random words, read and written, without transactions: the limit
 * of {@link SixWords}. The memory is that of stores in memory: with large pages where native access
 * is enabled, and without otherwise.
 */
public final class RawWords implements AutoCloseable {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final int PAGE_BYTES = 4096;

  private final Arena arena;
  private final MemorySegment memory;
  private final long words;
  private final AtomicInteger seeds = new AtomicInteger();

  private RawWords(Arena arena, MemorySegment memory) {
    this.arena = arena;
    this.memory = memory;
    this.words = memory.byteSize() / Long.BYTES;
  }

  /** Creates the memory and touches all of it. */
  public static RawWords create(long bytes) {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = Regions.anonymous(arena, bytes);
      for (long offset = 0; offset < bytes; offset += PAGE_BYTES) {
        WORD.setOpaque(memory, offset, 1L);
      }
      return new RawWords(arena, memory);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** Returns how many times a second all threads together read and write six words. */
  public double perSecond(int threads, long nanos) throws Exception {
    return ThreadTeam.run(threads, nanos, _ -> stop -> repeat(stop)).perSecond();
  }

  private long repeat(ThreadTeam.Stop stop) {
    RandomWords random = new RandomWords(seeds.getAndIncrement());
    long done = 0;
    do {
      for (int i = 0; i < SixWords.WORDS; i++) {
        long offset = random.next(words) * Long.BYTES;
        WORD.setOpaque(memory, offset, (long) WORD.getOpaque(memory, offset) + 1);
      }
      done++;
    } while (!stop.isSet());
    return done;
  }

  @Override
  public void close() {
    arena.close();
  }
}
