package io.howdah.jmh.workload;

import io.howdah.core.storage.file.Regions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What memory can do without the engine: being touched for the first time, and taking stores to
 * random words. Everything runs on as many threads as there are processors.
 */
public final class RawMemory {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
  private static final int PAGE_BYTES = 4096;

  private RawMemory() {}

  /** Returns how many seconds the first touch of so many bytes takes, of stores' own memory. */
  public static double touchSeconds(long bytes) throws InterruptedException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = Regions.anonymous(arena, bytes & -PAGE_BYTES);
      return seconds(thread -> touch(memory, thread));
    }
  }

  /** Returns how many stores to random words of touched memory are done in a second. */
  public static double storesPerSecond(long bytes, long stores) throws InterruptedException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = Regions.anonymous(arena, bytes & -PAGE_BYTES);
      seconds(thread -> touch(memory, thread));
      return stores / seconds(thread -> store(memory, thread, stores));
    }
  }

  /**
   * Returns the same of a new private mapping of a file, where each page is a fault and a copy when
   * it is first stored to.
   */
  public static double mappedStoresPerSecond(Path file, long stores)
      throws IOException, InterruptedException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = channel.map(MapMode.PRIVATE, 0, channel.size() & -PAGE_BYTES, arena);
      return stores / seconds(thread -> store(memory, thread, stores));
    }
  }

  private static int threads() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** Touches one thread's share of the pages. */
  private static void touch(MemorySegment memory, int thread) {
    long pages = memory.byteSize() / PAGE_BYTES;
    long end = pages * (thread + 1) / threads();
    for (long page = pages * thread / threads(); page < end; page++) {
      WORD.set(memory, page * PAGE_BYTES, 1L);
    }
  }

  /** Does one thread's share of the stores. */
  private static void store(MemorySegment memory, int thread, long stores) {
    RandomWords random = new RandomWords(thread);
    long words = memory.byteSize() / Long.BYTES;
    for (long left = stores / threads(); left > 0; left--) {
      WORD.set(memory, random.next(words) * Long.BYTES, left);
    }
  }

  private interface Share {
    void run(int thread);
  }

  private static double seconds(Share share) throws InterruptedException {
    try (ExecutorService executor = Executors.newFixedThreadPool(threads())) {
      long begin = System.nanoTime();
      List<Future<?>> shares = new ArrayList<>();
      for (int i = 0; i < threads(); i++) {
        int thread = i;
        shares.add(executor.submit(() -> share.run(thread)));
      }
      for (Future<?> running : shares) {
        running.get();
      }
      return (System.nanoTime() - begin) / 1e9;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
