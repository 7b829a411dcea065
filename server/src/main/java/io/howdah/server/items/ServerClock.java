package io.howdah.server.items;

import java.util.function.LongSupplier;

/**
 * Seconds since 1970 that pass evenly: the system's clock is read once, at the start. If somebody
 * sets it while the server runs, no item expires earlier or later. Thread-safe.
 */
public final class ServerClock implements LongSupplier {

  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private static final long RUNNING = Long.MIN_VALUE;

  private final long startSeconds = System.currentTimeMillis() / 1000;
  private final long startNanos = System.nanoTime();

  private volatile long movedSeconds;

  /** The second at which the clock stands, or {@link #RUNNING}. */
  private volatile long pausedAt = RUNNING;

  /** Reads the system's clock. */
  public ServerClock() {}

  @Override
  public long getAsLong() {
    long paused = pausedAt;
    return paused != RUNNING ? paused : running() + movedSeconds;
  }

  private long running() {
    return startSeconds + (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
  }

  /**
   * Moves the clock, for tests.
   *
   * @param seconds added to it; may be negative
   */
  public synchronized void move(long seconds) {
    if (pausedAt == RUNNING) {
      movedSeconds = movedSeconds + seconds;
    } else {
      pausedAt = pausedAt + seconds;
    }
  }

  /** Stops the clock, or lets it go on from where it is, for tests. */
  public synchronized void pause(boolean paused) {
    if (paused) {
      pausedAt = getAsLong();
    } else if (pausedAt != RUNNING) {
      movedSeconds = pausedAt - running();
      pausedAt = RUNNING;
    }
  }
}
