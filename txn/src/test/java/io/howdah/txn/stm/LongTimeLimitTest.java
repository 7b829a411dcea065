package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.schedule.SystemThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Time limits that are so long that the end of one is no number of nanoseconds. */
final class LongTimeLimitTest {

  /** A clock under which a limit begins after the thread of all limits has read the time. */
  private static final class Threads extends SystemThreads {
    private final List<Runnable> started = new ArrayList<>();
    private Runnable afterReading = () -> {};
    private long now = 1_000;

    @Override
    public Thread start(String name, Runnable body) {
      started.add(body);
      return Thread.currentThread();
    }

    @Override
    public long nanoTime() {
      long read = now++;
      Runnable then = afterReading;
      afterReading = () -> {};
      now += 100;
      then.run();
      return read;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      throw new IllegalStateException("one round is enough");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 292, 293, 1000, Long.MAX_VALUE / 100_000_000})
  void isNotOverWhenItBegins(long years) {
    Threads threads = new Threads();
    TimeLimits limits = new TimeLimits(threads);
    long nanos = TimeLimits.nanos(Duration.ofSeconds(years * 31_556_952));
    TimeLimits.Limit before = limits.begin(nanos);
    List<TimeLimits.Limit> begun = new ArrayList<>(List.of(before));
    threads.afterReading = () -> begun.add(limits.begin(nanos));
    try {
      threads.started.getFirst().run();
    } catch (IllegalStateException e) {
      assertThat(e).hasMessage("one round is enough");
    }
    assertThat(begun).hasSize(2);
    for (TimeLimits.Limit limit : begun) {
      assertThat(limit.isOver()).isFalse();
      assertThat(limit.leftNanos()).isPositive();
    }
  }
}
