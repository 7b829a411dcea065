package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.Execution;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wall clock is set, again and again; waits take as long as they would. */
@Timeout(60)
final class ClockJumpTest {

  private static final long WORD = 8192;
  private static final Duration LIMIT = Duration.ofMillis(300);
  private static final Duration LATE = Duration.ofSeconds(20);

  /** The home of a lane that no context has leased. */
  private static final int NO_CONTEXT = 1 << 20;

  /** A wall clock that jumps at each look. */
  private static final class JumpingClock extends SystemThreads {
    private final AtomicLong millis = new AtomicLong(System.currentTimeMillis());
    private final long stepMillis;

    JumpingClock(Duration step) {
      this.stepMillis = step.toMillis();
    }

    @Override
    public Thread start(String name, Runnable body) {
      return Execution.system().start(name, body);
    }

    @Override
    public long wallClockMillis() {
      return millis.addAndGet(stepMillis);
    }
  }

  @Test
  void aWaitForDurabilityEndsAtItsTimeWhateverTheClockSays() {
    for (Duration step : new Duration[] {Duration.ofDays(1), Duration.ofDays(-1)}) {
      StoreOptions options =
          StoreOptions.defaults()
              .withMaxSize(1 << 20)
              .withPartitions(2)
              .withRingBytes(1 << 16)
              .withOrecs(1 << 12)
              .withDurabilityTimeout(LIMIT)
              .withExecution(new JumpingClock(step));
      try (LoggedStore logged = new LoggedStore(options)) {
        Lane stuck = logged.log.lanes().lease(NO_CONTEXT, RedoRecordLayout.MIN_LENGTH, 0);
        assertThat(logged.log.lanes().spinForAppendLock(stuck, RedoRecordLayout.MIN_LENGTH))
            .isTrue();
        stuck.announce();
        try {
          long started = System.nanoTime();
          assertThat(
                  catchThrowableOfType(
                      NotYetDurableException.class,
                      () -> logged.store.run(TxOptions.sync(), tx -> tx.putLong(WORD, 1))))
              .isNotNull();
          assertThat(Duration.ofNanos(System.nanoTime() - started))
              .as("the clock jumps by %s", step)
              .isBetween(LIMIT, LIMIT.plus(LATE));
        } finally {
          stuck.finish();
        }
      }
    }
  }
}
