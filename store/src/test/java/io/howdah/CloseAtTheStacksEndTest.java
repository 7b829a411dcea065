package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A close that overflows the stack is as if it had not begun: a later one closes the store. */
@Timeout(60)
final class CloseAtTheStacksEndTest {

  private static final int MAX_FRAMES = 600;
  private static final int FRAMES_BETWEEN = 40;

  @Test
  void aLaterCloseReleasesEverything() throws Exception {
    int overflowed = 0;
    for (int frames = 0; frames < MAX_FRAMES; frames += FRAMES_BETWEEN) {
      SimulatedDisk disk = SimulatedDisk.seeded(1);
      Store store = open(disk);
      store.run(TxOptions.async(), tx -> tx.root(0, tx.allocate(8)));
      overflowed += closesAbove(frames, store) ? 0 : 1;
      store.close();
      try (Store again = open(disk)) {
        assertThat((long) again.read(tx -> tx.root(0))).isNotZero();
      }
    }
    assertThat(overflowed).isPositive();
  }

  private static Store open(SimulatedDisk disk) {
    return Store.open(
        StoreOptions.defaults()
            .withMaxSize(1 << 18)
            .withOrecs(1 << 10)
            .withPartitions(1)
            .withRingBytes(1 << 16)
            .withStorage(disk.storage()));
  }

  /** Closes the store so many frames above the end of a stack; returns whether that succeeded. */
  private static boolean closesAbove(int frames, Store store) throws InterruptedException {
    boolean[] closed = new boolean[1];
    Thread thread = new Thread(null, () -> above(frames, store, closed), "close", 256 << 10);
    thread.start();
    thread.join();
    return closed[0];
  }

  @SuppressWarnings("InfiniteRecursion") // up to the stack's end
  private static int above(int frames, Store store, boolean[] closed) {
    int distance;
    try {
      distance = above(frames, store, closed) + 1;
    } catch (StackOverflowError e) {
      distance = 0;
    }
    if (distance == frames) {
      try {
        store.close();
        closed[0] = true;
      } catch (StackOverflowError e) {
        closed[0] = false;
      }
    }
    return distance;
  }
}
