package io.howdah.jmh.cache;

import io.howdah.core.Backing;
import io.howdah.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a cache has after its process was killed by SIGKILL. Each opening is one of a JVM of its
 * own, in which no store was open before. For one thread.
 */
public final class CacheAfterKill {

  private static final long TIMEOUT_NANOS = 1_800_000_000_000L;
  private static final int POLL_MILLIS = 20;
  private static final int HEAP_MIB = 512;

  private CacheAfterKill() {}

  /**
   * The store that is killed.
   *
   * @param folder absent
   * @param recoveryGoal {@link io.howdah.StoreOptions#withRecoveryGoal}
   */
  public record Plan(
      Path folder, Backing backing, int entries, int valueBytes, Duration recoveryGoal) {

    List<String> arguments() {
      return List.of(
          folder.toString(),
          backing.name(),
          Integer.toString(entries),
          Integer.toString(valueBytes),
          recoveryGoal.toString());
    }

    static Plan of(String[] arguments) {
      return new Plan(
          Path.of(arguments[0]),
          Backing.valueOf(arguments[1]),
          Integer.parseInt(arguments[2]),
          Integer.parseInt(arguments[3]),
          Duration.parse(arguments[4]));
    }
  }

  /**
   * What was found.
   *
   * @param ratioBefore of hits, in as many requests as the cache has entries, just before the kill
   * @param openings one after the other, each ended by a kill
   */
  public record Result(double ratioBefore, List<Opening> openings) {}

  /**
   * What an opening has found.
   *
   * @param firstHitNanos from the beginning of the opening until a request has found an entry
   * @param processorNanos of all threads of the JVM in this time, its compilers too
   * @param requests from the opening's beginning until a second later
   * @param hits of these requests
   * @param entries in the cache when it was open
   * @param isAttached whether the opening has found the memory of the killed process
   */
  public record Opening(
      long firstHitNanos,
      long processorNanos,
      long requests,
      long hits,
      long entries,
      boolean isAttached) {

    @Override
    public String toString() {
      return "%d %d %d %d %d %b"
          .formatted(firstHitNanos, processorNanos, requests, hits, entries, isAttached);
    }

    private static Opening of(String text) {
      String[] fields = text.split(" ", -1);
      return new Opening(
          Long.parseLong(fields[0]),
          Long.parseLong(fields[1]),
          Long.parseLong(fields[2]),
          Long.parseLong(fields[3]),
          Long.parseLong(fields[4]),
          Boolean.parseBoolean(fields[5]));
    }
  }

  /** Returns how much room on disk the measurement may take. */
  public static long neededBytes(int entries, int valueBytes) {
    return 3 * CacheFiller.maxBytes(entries, valueBytes) + (2L << 30);
  }

  /**
   * Fills a cache in a process and kills it. Then opens the store in another process, uses the
   * cache for a second, and kills that, again and again.
   */
  public static Result measure(Plan plan, int openings) throws IOException, InterruptedException {
    double before = Double.parseDouble(saidBeforeKill(CacheFiller.class, plan));
    List<Opening> found = new ArrayList<>();
    for (int i = 0; i < openings; i++) {
      found.add(Opening.of(saidBeforeKill(CacheReopener.class, plan)));
    }
    return new Result(before, List.copyOf(found));
  }

  /** Starts a program, and kills it when it has said what it found. */
  private static String saidBeforeKill(Class<?> program, Plan plan)
      throws IOException, InterruptedException {
    Path output = plan.folder().resolveSibling("child.log");
    long zipfMib = (16L * plan.entries()) >> 20;
    ChildJvm child =
        ChildJvm.start(
            Map.of(),
            List.of("-Xmx" + (HEAP_MIB + zipfMib) + "m"),
            program,
            plan.arguments(),
            output);
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    String said = "";
    while (!said.contains(CacheFiller.END)) {
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
    return said.substring(at, said.indexOf(CacheFiller.END, at));
  }
}
