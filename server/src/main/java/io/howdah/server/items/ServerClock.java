package io.howdah.server.items;

import java.util.function.LongSupplier;

/**
 * Seconds since 1970 that pass evenly: the system's clock is read once, at the start. If somebody
 * sets it while the server runs, no item expires earlier or later.
 */
public final class ServerClock implements LongSupplier {

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private final long startSeconds = System.currentTimeMillis() / 1000;
  private final long startNanos = System.nanoTime();

  /** Reads the system's clock. */
  public ServerClock() {}

  @Override
  public long getAsLong() {
    return startSeconds + (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
  }
}
