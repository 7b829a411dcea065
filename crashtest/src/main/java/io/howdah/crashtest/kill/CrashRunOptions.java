package io.howdah.crashtest.kill;

import io.howdah.core.Backing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a crash run does.
 *
 * @param store folder of the store; absent or empty
 * @param cities how many of the cities are in it, at least {@value #MIN_CITIES}; {@link
 *     #ALL_CITIES}
 * @param seed of the transfers and the moments of the kills
 * @param threads of the child, 1 to {@value #MAX_THREADS}
 * @param kills how often the child is killed while it runs transfers, at least 1
 * @param running how long transfers run, all children together
 * @param plans what the children do, in turn
 * @param sabotage what is broken after the first kill, to see the run fail
 * @param death what ends the children
 * @param backing of the stores that the children open, and that judge them after a kill
 */
public record CrashRunOptions(
    Path store,
    int cities,
    long seed,
    int threads,
    int kills,
    Duration running,
    List<String> plans,
    Sabotage sabotage,
    Death death,
    Backing backing) {

  /** More threads than this make the board long and the figures meaningless. */
  public static final int MAX_THREADS = 256;

  /** Every city that the program has. */
  public static final int ALL_CITIES = Integer.MAX_VALUE;

  /** As many as threads meet in most. */
  public static final int MIN_CITIES = Transfers.BUSY_CITIES;

  /** Checks the ranges. */
  public CrashRunOptions {
    require(cities >= MIN_CITIES, "cities", cities);
    require(threads >= 1 && threads <= MAX_THREADS, "threads", threads);
    require(kills >= 1, "kills", kills);
    require(running.compareTo(Duration.ofMillis(kills)) >= 0, "time for the kills", running);
    require(!plans.isEmpty(), "plans", plans);
    plans = List.copyOf(plans);
  }

  private static void require(boolean holds, String what, Object value) {
    if (!holds) {
      throw new IllegalArgumentException(what + " is out of range: " + value);
    }
  }
}
