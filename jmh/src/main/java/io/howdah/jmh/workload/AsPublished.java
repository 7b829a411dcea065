package io.howdah.jmh.workload;

import io.howdah.StoreOptions;
import io.howdah.store.research.Research;
import java.time.Duration;

/**
 * Options of a store that commits as Hathi did when it was published (DaMoN 2012), to compare with:
 * a log for each thread, forced by itself after 10 ms, or 512 KiB, or when a thread waits.
 */
public final class AsPublished {

  private AsPublished() {}

  /**
   * Returns options that commit as published.
   *
   * @param threads how many logs there are
   */
  public static StoreOptions of(StoreOptions options, int threads) {
    return options
        .withPartitions(threads)
        .withGroupCommitInterval(Duration.ofMillis(10))
        .withRingBytes(1 << 19)
        .withResearch(Research.asPublished());
  }
}
