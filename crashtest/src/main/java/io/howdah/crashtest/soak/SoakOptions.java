package io.howdah.crashtest.soak;

import java.nio.file.Path;
import java.time.Duration;

/**
 * How a soak runs.
 *
 * @param store folder of the store, absent or empty
 * @param seed of the operations and of the moments of the kills
 * @param time how long operations run, all processes together, at least a second
 * @param workers every second one is a virtual thread; 1 to 64
 * @param rate operations of all workers a second; 0 for as many as there can be
 * @param kills how often the process is killed, or now and then closed, in the first half; at least
 *     1. The second half is one life, which ends with a kill, too
 * @param plant what is wrong on purpose
 */
public record SoakOptions(
    Path store, long seed, Duration time, int workers, int rate, int kills, SoakPlant plant) {

  /** Most workers. */
  public static final int MAX_WORKERS = 64;

  private static final int SAMPLES = 600;
  private static final long MIN_SAMPLE_MILLIS = 500;

  /** Checks the bounds. */
  public SoakOptions {
    if (time.compareTo(Duration.ofSeconds(1)) < 0
        || workers < 1
        || workers > MAX_WORKERS
        || rate < 0
        || kills < 1) {
      throw new IllegalArgumentException(
          "time at least 1 s, workers 1 to %d, rate at least 0, kills at least 1: %s, %d, %d, %d"
              .formatted(MAX_WORKERS, time, workers, rate, kills));
    }
  }

  /** Returns how far samples are apart, in milliseconds. */
  long sampleMillis() {
    return Math.max(MIN_SAMPLE_MILLIS, time.toMillis() / SAMPLES);
  }
}
