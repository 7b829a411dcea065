package io.howdah.collections;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands until a test moves it. Thread-safe. */
final class TestClock implements InstantSource {

  /** Milliseconds since 1970 at which each clock begins. */
  static final long START = 1_700_000_000_000L;

  private final AtomicLong millis = new AtomicLong(START);

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis.get());
  }

  @Override
  public long millis() {
    return millis.get();
  }

  void move(long byMillis) {
    millis.addAndGet(byMillis);
  }
}
