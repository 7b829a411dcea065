package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.Item;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** How much memory items take, and whether the limit of memory counts that much. */
final class ItemSizesTest {

  private static final int HALF = 20_000;

  /** What the region's blocks grow by for each item, and what the items count for the limit. */
  private record PerItem(double taken, double counted) {}

  /** memcached 1.6 takes 192 bytes for such an item, and 8 of its hash table: 1.3 times that. */
  @Test
  void anItemOfAHundredBytesTakesLittleMemory() {
    assertThat(perItem(() -> 100).taken).isLessThan(260);
  }

  @Test
  void whatItemsCountIsWhatTheyTake() {
    Random random = new Random(1);
    PerItem bytes = perItem(() -> random.nextInt(1500));
    assertThat(bytes.counted).isBetween(0.9 * bytes.taken, 1.1 * bytes.taken);
  }

  /**
   * Fills an empty store. The first half of the items does not count for what is taken: the
   * allocator takes some blocks of each length at once.
   */
  private static PerItem perItem(IntSupplier valueBytes) {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(64 << 20))) {
      ItemStore items =
          new ItemStore(store, new ItemStoreOptions(64 << 20, true, null, () -> 1_700_000_000));
      ConnectionCache cache = items.connect();
      long before = 0;
      for (int i = 0; i < 2 * HALF; i++) {
        if (i == HALF) {
          before = store.admin().stats().allocatedBytes();
        }
        byte[] key = String.format("user%016d", i).getBytes(StandardCharsets.US_ASCII);
        byte[] value = new byte[valueBytes.getAsInt()];
        cache.update(key, _ -> new Item(0, 0, 0, 0, value));
      }
      assertThat(items.size()).isEqualTo(2L * HALF);
      double taken = (store.admin().stats().allocatedBytes() - before) / (double) HALF;
      return new PerItem(taken, items.bytes() / (double) items.size());
    }
  }
}
