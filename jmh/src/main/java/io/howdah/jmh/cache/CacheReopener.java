package io.howdah.jmh.cache;

import io.howdah.Store;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.collections.PersistentCache;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;

/**
 * A program that opens the cache of a killed {@link CacheFiller}, uses it for a second, says what
 * it has found, and waits to be killed. Ends by itself when its standard input ends.
 */
public final class CacheReopener {

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int BATCH = 64;

  private CacheReopener() {}

  /** Runs the program. */
  public static void main(String[] args) throws IOException {
    CacheAfterKill.Plan plan = CacheAfterKill.Plan.of(args);
    Zipf keys = CacheFiller.keys(plan.entries());
    SplittableRandom random = new SplittableRandom(2);
    byte[] value = new byte[plan.valueBytes()];
    long processorBegan = processorNanos();
    long began = System.nanoTime();
    // Not closed: whatever started this kills it.
    Store store = Store.open(plan.folder(), CacheFiller.options(plan));
    PersistentCache<Long, byte[]> cache = CacheFiller.open(store, plan.entries());
    long hits = 0;
    long requests = 0;
    while (hits == 0) {
      hits += CacheFiller.use(cache, keys, random, 1, value);
      requests++;
    }
    long firstHit = System.nanoTime() - began;
    long processor = processorNanos() - processorBegan;
    while (System.nanoTime() - began < SECOND_NANOS) {
      hits += CacheFiller.use(cache, keys, random, BATCH, value);
      requests += BATCH;
    }
    System.out.println(
        CacheFiller.DONE
            + new CacheAfterKill.Opening(
                firstHit,
                processor,
                requests,
                hits,
                store.<Long, RuntimeException>read(cache::size),
                store.admin().recoveryReport().memory() instanceof MemoryOrigin.Attached)
            + CacheFiller.END);
    CacheFiller.awaitKill();
    store.close();
  }

  private static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }
}
