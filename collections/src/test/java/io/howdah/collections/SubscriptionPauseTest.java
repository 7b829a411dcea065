package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Subscription;
import io.howdah.testkit.schedule.SystemThreads;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How long a subscription pauses after failures, on a clock that its pauses move. */
final class SubscriptionPauseTest {

  private static final long SECOND = 1_000_000_000;

  /** Calls of the listener until the pause is the longest, and one more. */
  private static final int FAILURES = 12;

  /** Pauses of the subscription's thread take no time but on its clock, and are noted. */
  private static final class Pauses extends SystemThreads {
    private final BlockingQueue<Long> noted = new LinkedBlockingQueue<>();
    private final AtomicLong skipped = new AtomicLong();

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    private static boolean isSubscription() {
      return Thread.currentThread().getName().startsWith("howdah-changes");
    }

    @Override
    public long nanoTime() {
      return system.nanoTime() + (isSubscription() ? skipped.get() : 0);
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (isSubscription() && blocker instanceof Subscription) {
        noted.add(nanos);
        skipped.addAndGet(nanos);
      } else {
        system.parkNanos(blocker, nanos);
      }
    }
  }

  @Test
  void aPauseIsTwiceTheOneBeforeAndAtMostAMinute() throws InterruptedException {
    Pauses pauses = new Pauses();
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch taken = new CountDownLatch(2);
    WordOptions options =
        WordOptions.defaults()
            .withMaxSize(1 << 22)
            .withOrecs(1 << 10)
            .withPartitions(1)
            .withExecution(pauses);
    try (WordStore store = WordStore.inMemory(options)) {
      PersistentMap<Long, Long> map =
          store.map("map", Codec.int64(), Codec.int64(), ChangeJournal.keeping(10));
      Subscription subscription =
          map.changes()
              .subscribe(
                  0,
                  _ -> {
                    int call = calls.incrementAndGet();
                    if (call <= FAILURES || call == FAILURES + 2) {
                      throw new IllegalStateException("call " + call);
                    }
                    taken.countDown();
                  });
      store.run(
          tx -> {
            map.put(tx, 1L, 1L);
            map.put(tx, 2L, 2L);
          });
      assertThat(taken.await(30, TimeUnit.SECONDS)).isTrue();
      subscription.close();
    }

    assertThat(calls).hasValue(FAILURES + 3);
    List<Long> tenths =
        Stream.of(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 1)
            .map(tenth -> tenth * SECOND / 10)
            .toList();
    assertThat((Collection<Long>) pauses.noted).containsExactlyElementsOf(tenths);
  }
}
