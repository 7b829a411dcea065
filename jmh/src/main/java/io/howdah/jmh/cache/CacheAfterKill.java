package io.howdah.jmh.cache;

import io.howdah.Store;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.collections.PersistentCache;
import io.howdah.core.Backing;
import io.howdah.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** What a cache has after its process was killed by SIGKILL. */
public final class CacheAfterKill {

  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final long TIMEOUT_NANOS = 1800 * SECOND_NANOS;
  private static final int POLL_MILLIS = 20;
  private static final int BATCH = 64;
  private static final int HEAP_MIB = 512;

  private CacheAfterKill() {}

  /**
   * What was found.
   *
   * @param ratioBefore of hits, in as many requests as the cache has entries, just before the kill
   * @param firstHitNanos from the beginning of the opening until a request has found an entry
   * @param ratioInFirstSecond of hits, from the opening's beginning until a second later
   * @param requests in that second
   * @param entries in the cache when it was open
   * @param isAttached whether the opening has found the memory of the killed process
   */
  public record Result(
      double ratioBefore,
      long firstHitNanos,
      double ratioInFirstSecond,
      long requests,
      long entries,
      boolean isAttached) {}

  /** Returns how much room on disk the measurement may take. */
  public static long neededBytes(int entries, int valueBytes) {
    return 3 * CacheFiller.maxBytes(entries, valueBytes) + (2L << 30);
  }

  /**
   * Fills a cache in a process, kills it, and opens the store.
   *
   * @param folder for the store; absent
   */
  public static Result measure(Path folder, Backing backing, int entries, int valueBytes)
      throws IOException, InterruptedException {
    double before = fillAndKill(folder, backing, entries, valueBytes);
    Zipf keys = CacheFiller.keys(entries);
    SplittableRandom random = new SplittableRandom(2);
    byte[] value = new byte[valueBytes];
    long began = System.nanoTime();
    try (Store store = Store.open(folder, CacheFiller.options(backing, entries, valueBytes))) {
      PersistentCache<Long, byte[]> cache = CacheFiller.open(store, entries);
      double hits = 0;
      long requests = 0;
      while (hits == 0) {
        hits += CacheFiller.use(cache, keys, random, 1, value);
        requests++;
      }
      long firstHit = System.nanoTime() - began;
      while (System.nanoTime() - began < SECOND_NANOS) {
        hits += BATCH * CacheFiller.use(cache, keys, random, BATCH, value);
        requests += BATCH;
      }
      return new Result(
          before,
          firstHit,
          hits / requests,
          requests,
          store.<Long, RuntimeException>read(cache::size),
          store.admin().recoveryReport().memory() instanceof MemoryOrigin.Attached);
    }
  }

  private static double fillAndKill(Path folder, Backing backing, int entries, int valueBytes)
      throws IOException, InterruptedException {
    Path output = folder.resolveSibling("child.log");
    long zipfMib = (16L * entries) >> 20;
    ChildJvm child =
        ChildJvm.start(
            Map.of(),
            List.of("-Xmx" + (HEAP_MIB + zipfMib) + "m"),
            CacheFiller.class,
            CacheFiller.arguments(folder, backing, entries, valueBytes),
            output);
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    String said = "";
    while (!said.contains(";")) {
      if (!child.isAlive() || System.nanoTime() - deadline > 0) {
        child.kill();
        throw new IOException("the process with the cache " + child.lastWords());
      }
      Thread.sleep(POLL_MILLIS);
      said = Files.readString(output);
    }
    child.kill();
    Files.delete(output);
    int at = said.lastIndexOf(CacheFiller.DONE) + CacheFiller.DONE.length();
    return Double.parseDouble(said.substring(at, said.indexOf(';', at)));
  }
}
