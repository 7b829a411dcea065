package io.howdah.testkit;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands until a test moves it: for stores whose entries expire. Give it to {@code
 * StoreOptions.withClock}. Thread-safe.
 */
public final class SettableClock implements InstantSource {

  /** Milliseconds since 1970 at which each clock begins. */
  public static final long START = 1_700_000_000_000L;

  private final AtomicLong millis = new AtomicLong(START);

  /** Creates one that shows {@link #START}. */
  public SettableClock() {}

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis.get());
  }

  @Override
  public long millis() {
    return millis.get();
  }

  /** Moves the clock by milliseconds, back if they are negative. */
  public void move(long byMillis) {
    millis.addAndGet(byMillis);
  }
}
