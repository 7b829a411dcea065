package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A store whose content does not grow takes no more room, however long it runs: blocks of many
 * lengths come and go, few of each at a time.
 */
final class SlabsThatComeAndGoTest {

  private static final int BLOCKS = 200;
  private static final int WARM_UP = 20_000;
  private static final int TRANSACTIONS = 60_000;
  private static final int SHORTEST = 450;
  private static final int LONGEST = 2_000;

  /** Some twenty lengths with ten blocks each, in slabs of at least a page. */
  private static final long MOST_PER_BYTE = 6;

  private final Store store =
      Store.inMemory(
          StoreOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(1));
  private final SplittableRandom random = new SplittableRandom(5);
  private final long[] blocks = new long[BLOCKS];

  @AfterEach
  void close() {
    store.close();
  }

  private void replaceBlocks(int transactions) {
    for (int i = 0; i < transactions; i++) {
      int at = random.nextInt(BLOCKS);
      int length = random.nextInt(SHORTEST, LONGEST);
      long old = blocks[at];
      blocks[at] =
          store.call(
              tx -> {
                if (old != 0) {
                  tx.free(old);
                }
                return tx.allocate(length);
              });
    }
  }

  @Test
  void blocksThatAreReplacedForLongTakeNoMoreRoom() {
    replaceBlocks(WARM_UP);
    long before = store.admin().stats().allocatedBytes();
    replaceBlocks(TRANSACTIONS);
    assertThat(store.admin().stats().allocatedBytes())
        .as("bytes taken; %d of them after the first replacements", before)
        .isLessThan(before + before / 10)
        .isLessThan(MOST_PER_BYTE * BLOCKS * (SHORTEST + LONGEST) / 2);
  }
}
