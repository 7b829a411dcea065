package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A long transaction among short ones that change what it reads. */
@Timeout(240)
final class LongAmongShortTest {

  private static final long FIRST = 8192;

  @Test
  void oneLongTransactionEndsAmongManyShortWriters() throws Exception {
    int words = 2000;
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong shortCommits = new AtomicLong();
    try (WordEngine store =
        WordEngine.inMemory(
            EngineOptions.defaults()
                .withMaxSize(4 << 20)
                .withOrecs(1 << 14)
                .withIrrevocableAfterAborts(8))) {
      List<Thread> writers = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int own = t;
        writers.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int i = own; !over.get(); i = (i + 7) % words) {
                        long address = FIRST + 64L * i;
                        store.run(tx -> tx.putLong(address, tx.getLong(address) + 1));
                        shortCommits.incrementAndGet();
                      }
                    }));
      }
      for (int round = 0; round < 10; round++) {
        long shortBefore = shortCommits.get();
        store.run(
            tx -> {
              long sum = 0;
              for (int i = 0; i < words; i++) {
                sum += tx.getLong(FIRST + 64L * i);
              }
              tx.putLong(FIRST + 64L * words, sum);
            });
        while (shortCommits.get() < shortBefore + 100) {
          Thread.onSpinWait(); // the short ones go on, too
        }
      }
      over.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
      assertThat(store.commits()).isEqualTo(shortCommits.get() + 10 + 1);
      // Each long one lost at most eight times in a row, then nobody else was let in.
      assertThat(store.irrevocableTransactions()).isLessThanOrEqualTo(10L + shortCommits.get());
    }
  }
}
