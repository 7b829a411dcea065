package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.Tx;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A transaction whose write of a range found no room on the stack leaves the next one sound. */
final class RangeAtTheStacksEndTest {

  private static final byte[] RANGE = new byte[800];
  private static final int STEPS = 700;
  private static final int STACK_BYTES = 300 << 10;

  /** Frames of two sizes, so that the stack ends at other instructions from round to round. */
  private static void dive(Tx tx, int depth, long block, int sizes) {
    if (depth == 0) {
      tx.write(block, RANGE);
    } else if ((sizes & 1) == 0) {
      dive(tx, depth - 1, block, sizes);
    } else {
      diveFurther(tx, depth - 1, block, sizes >> 1, 0, 0, 0);
    }
  }

  @SuppressWarnings("unused")
  private static void diveFurther(Tx tx, int depth, long block, int sizes, long a, long b, long c) {
    dive(tx, depth, block, sizes);
  }

  private static long countToTen(WordEngine store, long counter) {
    store.run(tx -> tx.putLong(counter, 0));
    return store.call(
        tx -> {
          for (int i = 0; i < 10; i++) {
            tx.putLong(counter, tx.getLong(counter) + 1);
          }
          return tx.getLong(counter);
        });
  }

  @Test
  void theNextTransactionSeesItsOwnWrites() throws InterruptedException {
    AtomicLong wrong = new AtomicLong(10);
    AtomicInteger overflows = new AtomicInteger();
    try (WordEngine store = WordEngine.inMemory(EngineOptions.defaults().withMaxSize(1 << 20))) {
      long block = store.call(tx -> tx.allocate(1024));
      long counter = store.call(tx -> tx.allocate(16));
      for (int round = 0; round < 3; round++) {
        int sizes = round;
        Thread thread =
            new Thread(
                null,
                () -> {
                  int depth = 200;
                  int fits = 0;
                  for (int step = 0; step < STEPS && wrong.get() == 10; step++) {
                    boolean isOver = isOver(store, depth, block, sizes);
                    wrong.set(countToTen(store, counter));
                    if (isOver) {
                      overflows.incrementAndGet();
                      depth = Math.max(10, depth - (fits > 3 ? 7 : 1));
                      fits = 0;
                    } else {
                      depth += ++fits < 8 ? 1 : 40;
                    }
                  }
                },
                "deep",
                STACK_BYTES);
        thread.start();
        thread.join();
      }
    }
    assertThat(wrong).as("counted to ten").hasValue(10);
    assertThat(overflows).hasPositiveValue();
  }

  private static boolean isOver(WordEngine store, int depth, long block, int sizes) {
    try {
      store.run(tx -> dive(tx, depth, block, sizes));
      return false;
    } catch (StackOverflowError e) {
      return true;
    }
  }
}
