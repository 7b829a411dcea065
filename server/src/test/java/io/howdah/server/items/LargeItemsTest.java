package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items with large values: all of them come back, and none leaves anything behind. */
final class LargeItemsTest {

  private static final StoreOptions SMALL = StoreOptions.defaults().withMaxSize(64 << 20);

  @TempDir Path folder;
  private long now = 1_700_000_000;
  private Store store = Store.inMemory(SMALL);
  private ItemStore items = new ItemStore(store, options(1 << 24, true));
  private ConnectionCache cache = items.connect();

  @BeforeEach
  void openInTheFolder() {
    store.close();
    store = Store.open(folder, SMALL);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private ItemStoreOptions options(long maxBytes, boolean evicts) {
    return new ItemStoreOptions(maxBytes, evicts, null, () -> now);
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  /** Items whose values are large from 100 bytes on. */
  private void openWithSmallChunks(long maxBytes, boolean evicts) {
    items = new ItemStore(store, options(maxBytes, evicts), Numbering.RANGE, 100);
    cache = items.connect();
  }

  private static byte[] value(int length) {
    byte[] value = new byte[length];
    new Random(length).nextBytes(value);
    return value;
  }

  private @Nullable Item putLarge(String key, int length) {
    return cache.update(key(key), _ -> new Item(0, 0, Item.NEW_CAS, 0, value(length)));
  }

  private void assertLarge(String key, int length) {
    Item item = cache.get(key(key));
    assertThat(item).isNotNull();
    assertThat(LargeValuesCheck.valueOf(cache, item)).isEqualTo(value(length));
  }

  @ParameterizedTest
  @ValueSource(ints = {99, 100, 101, 199, 200, 201, 100_000})
  void largeValuesComeBackAlsoAfterARestart(int length) {
    openWithSmallChunks(1 << 24, true);
    putLarge("a", length);
    assertLarge("a", length);
    LargeValuesCheck.nothingIsPending(store, items);
    store.close();
    store = Store.open(folder, SMALL);
    openWithSmallChunks(1 << 24, true);
    assertLarge("a", length);
    assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items)).isGreaterThan(length);
  }

  @Test
  void everyChangeOfALargeValueFreesWhatItReplaces() {
    openWithSmallChunks(1 << 24, true);
    putLarge("a", 1000);
    putLarge("a", 2000);
    Item touched =
        cache.updateAndGet(key("a"), item -> item == null ? null : item.withExpiry(now + 9));
    assertThat(touched).isNotNull();
    assertThat(LargeValuesCheck.valueOf(cache, touched)).isEqualTo(value(2000));
    assertLarge("a", 2000);
    cache.update(
        key("a"), // as append does: another array in each attempt
        item ->
            item == null ? null : item.withValue(Arrays.copyOf(value(2000), 2500), Item.NEW_CAS));
    Item longer = cache.get(key("a"));
    assertThat(longer).isNotNull();
    assertThat(LargeValuesCheck.valueOf(cache, longer)).isEqualTo(Arrays.copyOf(value(2000), 2500));
    assertThat(longer.expiresAt()).isEqualTo(now + 9);
    LargeValuesCheck.nothingIsPending(store, items);
    now += 9;
    assertThat(cache.get(key("a"))).isNull();
    items.reclaim(items.sweep(), 1000);
    assertThat(items.size()).isZero();
    putLarge("b", 1000);
    putLarge("b", 10);
    putLarge("c", 1000);
    cache.update(key("c"), _ -> null);
    putLarge("d", 1000);
    cache.update(key("d"), item -> item); // refused: nothing changes
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items));
  }

  @Test
  void aLargeValueThatIsNotStoredLeavesNothing() {
    openWithSmallChunks(1 << 24, true);
    int[] calls = {0};
    cache.update(
        key("a"), _ -> calls[0]++ == 0 ? new Item(0, 0, Item.NEW_CAS, 0, value(1000)) : null);
    assertThat(calls[0]).isEqualTo(2); // another client was faster, say
    assertThat(cache.get(key("a"))).isNull();
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(store.read(items.values()::owners)).isEmpty();
  }

  @Test
  void largeValuesThatDoNotFitAreRefusedAndLeaveNothing() {
    openWithSmallChunks(ItemStoreOptions.MIN_BYTES, false);
    putLarge("a", 500_000);
    assertThatThrownBy(() -> putLarge("b", 500_000)).isInstanceOf(CacheFullException.class);
    assertLarge("a", 500_000);
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void largeValuesAreEvictedWithAllTheirChunks() {
    openWithSmallChunks(ItemStoreOptions.MIN_BYTES, true);
    for (int i = 0; i < 100; i++) {
      putLarge("key" + i, 50_000);
      assertThat(items.bytes()).isLessThanOrEqualTo(ItemStoreOptions.MIN_BYTES);
    }
    assertLarge("key99", 50_000);
    assertThat(items.size()).isBetween(3L, 20L);
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(store.read(items.values()::owners)).hasSize((int) items.size());
  }

  @Test
  void aRegionThatIsFullOfLargeValuesIsNotTheEnd() {
    store.close();
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(4 << 20));
    openWithSmallChunks(1L << 40, true);
    for (int i = 0; i < 100; i++) {
      putLarge("key" + i, 100_000);
    }
    assertLarge("key99", 100_000);
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void expiredLargeValuesAreReclaimedFromAFullRegion() {
    store.close();
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(4 << 20));
    openWithSmallChunks(1L << 40, false);
    for (int length : new int[] {100_000, 1000, 200}) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 40_000; i++) {
                  putLarge(length + "key" + i, length);
                }
              })
          .isInstanceOf(CacheFullException.class);
    }
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 40_000; i++) {
                putLarge("key" + i, 100);
              }
            })
        .isInstanceOf(CacheFullException.class);
    cache.flush(now);
    for (int turn = 0; turn < 3; turn++) {
      items.reclaim(items.sweep(), 40_000);
    }
    assertThat(items.size()).isZero();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aLargeValueThatIsBeingStoredIsNotFreed() {
    openWithSmallChunks(1 << 24, true);
    cache.update(
        key("a"),
        _ -> {
          // The second time the value is written and no item's: what the background sees then.
          CompletableFuture.runAsync(() -> items.reclaim(items.sweep(), 100)).join();
          return new Item(0, 0, Item.NEW_CAS, 0, value(1000));
        });
    assertLarge("a", 1000);
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aValueMayBeLargerThanAnEntryOfAMap() {
    items = new ItemStore(store, options(64 << 20, true));
    cache = items.connect();
    putLarge("a", 20 << 20);
    assertLarge("a", 20 << 20);
    putLarge("a", 19 << 20);
    assertLarge("a", 19 << 20);
    LargeValuesCheck.nothingIsPending(store, items);
  }
}
