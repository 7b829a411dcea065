package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemWalk;
import io.howdah.txn.Durability;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items in a store: what survives a restart, and what goes when it is time or memory is short. */
final class ItemStoreTest {

  private static final StoreOptions SMALL = StoreOptions.defaults().withMaxSize(64 << 20);

  @TempDir Path folder;
  private long now = 1_700_000_000;
  private Store store = Store.inMemory(SMALL);
  private ItemStore items = items(64 << 20, true);
  private ConnectionCache cache = items.connect();

  private ItemStore items(long maxBytes, boolean evicts) {
    return new ItemStore(store, new ItemStoreOptions(maxBytes, evicts, null, () -> now));
  }

  @BeforeEach
  void openInTheFolder() {
    store.close();
    reopen();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void reopen() {
    store.close();
    store = Store.open(folder, SMALL);
    items = items(64 << 20, true);
    cache = items.connect();
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  private Item put(String key, long expiresAt) {
    Item item = cache.update(key(key), _ -> new Item(7, expiresAt, Item.NEW_CAS, 0, new byte[100]));
    assertThat(item).isNotNull();
    return item;
  }

  private boolean has(String key) {
    return cache.get(key(key)) != null;
  }

  @Test
  void onlyANewValueIsAUse() {
    put("a", 0);
    long stored = now;
    cache.accessed(key("a"));
    now += 10;
    cache.update(key("a"), item -> item == null ? null : item.withExpiry(now + 100));
    cache.update(
        key("a"), item -> item == null ? null : item.withMarks(Item.STALE).withCas(Item.NEW_CAS));
    assertThat(cache.lastUse(key("a"))).isEqualTo(stored);
    assertThat(cache.isFetched(key("a"))).isTrue();
    cache.update(
        key("a"), item -> item == null ? null : item.withValue(item.value().clone(), Item.NEW_CAS));
    assertThat(cache.lastUse(key("a"))).isEqualTo(now);
    assertThat(cache.isFetched(key("a"))).isFalse();
  }

  @Test
  void itemsAndTheirNumbersSurviveARestart() {
    Item before = put("a", now + 100);
    put("b", Expiry.NEVER);
    cache.update(key("b"), _ -> null);
    long bytes = items.bytes();
    reopen();
    Item after = cache.get(key("a"));
    assertThat(after).isNotNull();
    assertThat(after.cas()).isEqualTo(before.cas());
    assertThat(after.flags()).isEqualTo(7);
    assertThat(after.expiresAt()).isEqualTo(now + 100);
    assertThat(has("b")).isFalse();
    assertThat(items.bytes()).isEqualTo(bytes);
    assertThat(put("c", Expiry.NEVER).cas()).isGreaterThan(before.cas());
  }

  @Test
  void anUpdateThatChangesNothingWritesNothing() {
    put("a", Expiry.NEVER);
    long commits = store.admin().stats().commits();
    cache.update(key("a"), item -> item);
    cache.update(key("x"), item -> item);
    assertThat(has("a")).isTrue();
    cache.accessed(key("a"));
    assertThat(store.admin().stats().commits()).isEqualTo(commits);
    assertThat(cache.isFetched(key("a"))).isTrue();
    assertThat(cache.lastUse(key("a"))).isEqualTo(now);
  }

  @Test
  void whatExpiresIsGoneAndLaterReclaimed() {
    put("a", now + 10);
    put("b", Expiry.NEVER);
    put("c", Expiry.AT_ONCE);
    assertThat(has("c")).isFalse();
    now += 10;
    assertThat(has("a")).isFalse();
    assertThat(items.size()).isEqualTo(2);
    items.reclaim(items.sweep(), 100);
    assertThat(items.size()).isEqualTo(1);
    assertThat(has("b")).isTrue();
    assertThat(items.bytes()).isEqualTo(bytesOf("b"));
  }

  private long bytesOf(String key) {
    Item item = cache.get(key(key));
    assertThat(item).isNotNull();
    return StoredItem.bytes(key(key), new StoredItem(item, item.cas()));
  }

  @Test
  void aFlushSurvivesARestart() {
    put("a", Expiry.NEVER);
    cache.flush(now);
    assertThat(has("a")).isFalse();
    put("b", Expiry.NEVER);
    reopen();
    assertThat(has("a")).isFalse();
    assertThat(has("b")).isTrue();
    items.reclaim(items.sweep(), 100);
    assertThat(items.size()).isEqualTo(1);
  }

  @Test
  void aDelayedFlushTakesWhatIsThereWhenItIsTime() {
    put("a", Expiry.NEVER);
    cache.flush(now + 10);
    reopen();
    now += 9;
    put("b", Expiry.NEVER);
    assertThat(has("a")).isTrue();
    now += 1;
    assertThat(has("a")).isFalse();
    assertThat(has("b")).isFalse();
    put("c", Expiry.NEVER);
    reopen();
    now += 100;
    assertThat(has("c")).isTrue();
    assertThat(has("a")).isFalse();
  }

  @Test
  void whatIsUsedStaysWhenMemoryIsShort() {
    items = items(ItemStoreOptions.MIN_BYTES, true);
    cache = items.connect();
    for (int i = 0; i < 10_000; i++) {
      put("key" + i, Expiry.NEVER);
      assertThat(cache.get(key("key0"))).isNotNull();
      cache.accessed(key("key0"));
      assertThat(items.bytes()).isLessThanOrEqualTo(ItemStoreOptions.MIN_BYTES);
    }
    assertThat(items.size()).isBetween(5000L, 8000L);
    assertThat(has("key9999")).isTrue();
  }

  @Test
  void withoutEvictionWhatDoesNotFitIsRefused() {
    items = items(ItemStoreOptions.MIN_BYTES, false);
    cache = items.connect();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                put("key" + i, Expiry.NEVER);
              }
            })
        .isInstanceOf(CacheFullException.class);
    assertThat(has("key0")).isTrue();
    cache.update(key("key0"), _ -> null);
    put("another", Expiry.NEVER);
  }

  @Test
  void aFullRegionIsNotTheEnd() {
    store.close();
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(4 << 20));
    items = items(1L << 40, false);
    cache = items.connect();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 40_000; i++) {
                put("key" + i, Expiry.NEVER);
              }
            })
        .isInstanceOf(CacheFullException.class);
    assertThat(has("key0")).isTrue();
    cache.flush(now);
    items.reclaim(items.sweep(), 40_000);
    assertThat(items.size()).isZero();
    put("key0", Expiry.NEVER);
  }

  @Test
  void aReaderLearnsWhatItHasToWaitFor() {
    items = new ItemStore(store, new ItemStoreOptions(1 << 24, true, Durability.SYNC, () -> now));
    ConnectionCache writer = items.connect();
    cache = writer;
    put("a", Expiry.NEVER);
    ConnectionCache reader = items.connect();
    assertThat(reader.get(key("a"))).isNotNull();
    assertThat(reader.whenDurable().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(60));
    assertThat(store.durability().isStable(writer.lsn())).isTrue();
  }

  @Test
  void itemsOfAnotherLayoutAreRefused() {
    store.close();
    store = Store.inMemory(SMALL);
    PersistentMap<String, Long> state = store.map("server.state", Codec.utf8(), Codec.int64());
    store.run(tx -> state.put(tx, ServerState.RESERVED, 5L)); // as the first servers did
    assertThatThrownBy(() -> items(64 << 20, true))
        .isInstanceOf(ItemLayoutException.class)
        .hasMessageContaining("layout 1")
        .hasMessageContaining("another directory");
    store.run(tx -> state.put(tx, "layout", ServerState.LAYOUT_VERSION + 1));
    assertThatThrownBy(() -> items(64 << 20, true))
        .isInstanceOf(ItemLayoutException.class)
        .hasMessageContaining("layout " + (ServerState.LAYOUT_VERSION + 1));
  }

  /** memcached 1.6 takes 192 bytes for such an item, and 8 of its hash table: 1.3 times that. */
  @Test
  void anItemOfAHundredBytesTakesLittleMemory() {
    assertThat(regionBytesPerItem(() -> 100)).isLessThan(260);
  }

  @Test
  void whatItemsCountIsWhatTheyTake() {
    Random random = new Random(1);
    double taken = regionBytesPerItem(() -> random.nextInt(1500));
    assertThat(items.bytes() / (double) items.size()).isBetween(0.9 * taken, 1.1 * taken);
  }

  /**
   * Fills an empty store with items, and returns by how much its blocks grow for each. The first
   * ones do not count: the allocator takes some blocks of each length at once.
   */
  private double regionBytesPerItem(IntSupplier valueBytes) {
    store.close();
    store = Store.inMemory(SMALL);
    items = items(64 << 20, true);
    cache = items.connect();
    int half = 20_000;
    long before = 0;
    for (int i = 0; i < 2 * half; i++) {
      if (i == half) {
        before = store.admin().stats().allocatedBytes();
      }
      byte[] value = new byte[valueBytes.getAsInt()];
      cache.update(key(String.format("user%016d", i)), _ -> new Item(0, 0, 0, 0, value));
    }
    assertThat(items.size()).isEqualTo(2L * half);
    return (store.admin().stats().allocatedBytes() - before) / (double) half;
  }

  @Test
  void casValuesOfAKeyGrowWhoeverWrites() {
    ConnectionCache other = items.connect();
    long last = 0;
    for (int i = 0; i < 1000; i++) {
      cache = i % 3 == 0 ? other : items.connect();
      long cas = put("a", Expiry.NEVER).cas();
      assertThat(cas).isGreaterThan(last);
      last = cas;
    }
  }

  @Test
  void casValuesThatAClientChoseDoNotStopOthers() {
    for (long chosen : new long[] {-1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 40, 1}) {
      cache.update(key("a"), _ -> new Item(0, 0, chosen, 0, new byte[1]));
      Item item = cache.get(key("a"));
      assertThat(item).isNotNull();
      assertThat(item.cas()).isEqualTo(chosen);
      assertThat(put("a", Expiry.NEVER).cas()).isNotEqualTo(chosen);
    }
    cache.update(key("a"), _ -> new Item(0, 0, -1, 0, new byte[1]));
    cache.flush(now);
    assertThat(has("a")).isFalse();
  }

  @Test
  void numbersAreNotRepeatedWhenARangeEnds() {
    Set<Long> drawn = new HashSet<>();
    for (int start = 0; start < 3; start++) {
      items =
          new ItemStore(
              store,
              new ItemStoreOptions(1 << 24, true, null, () -> now),
              2L * Numbering.BLOCK,
              LargeValues.CHUNK_BYTES);
      cache = items.connect();
      for (int i = 0; i < 3000; i++) {
        assertThat(drawn.add(put("key" + i % 10, Expiry.NEVER).cas())).isTrue();
      }
    }
  }

  @Test
  void anItemIsNotBuiltOnOneThatAFlushTookMeanwhile() {
    put("a", Expiry.NEVER);
    cache = items.connect(); // it has no numbers yet
    ConnectionCache flusher = items.connect();
    List<Boolean> seen = new ArrayList<>();
    Item last =
        cache.update(
            key("a"),
            current -> {
              if (seen.isEmpty()) {
                CompletableFuture.runAsync(() -> flusher.flush(now)).join();
              }
              seen.add(current != null);
              return current == null ? null : current.withValue(new byte[7], Item.NEW_CAS);
            });
    assertThat(seen).containsExactly(true, false);
    assertThat(last).isNull();
    assertThat(has("a")).isFalse();
  }

  @Test
  void whatIsStoredAfterAFlushStaysWhoeverStoresIt() {
    ConnectionCache other = items.connect();
    put("a", Expiry.NEVER);
    other.flush(now);
    put("b", Expiry.NEVER); // with numbers that this connection took before the flush
    assertThat(has("a")).isFalse();
    assertThat(has("b")).isTrue();
  }

  @Test
  void aWalkShowsEveryLiveItemOnce() {
    for (int i = 0; i < 1000; i++) {
      put("key" + i, i % 2 == 0 ? Expiry.NEVER : now + 1);
    }
    now += 1;
    Set<String> seen = new HashSet<>();
    ItemWalk walk = cache.walk();
    boolean goesOn = true;
    while (goesOn) {
      int before = seen.size();
      goesOn =
          walk.next(
              10,
              (key, item) -> {
                assertThat(item.valueBytes()).isEqualTo(100);
                assertThat(seen.add(new String(key, StandardCharsets.US_ASCII))).isTrue();
              });
      assertThat(seen.size() - before).isLessThanOrEqualTo(10);
    }
    assertThat(seen).hasSize(500).contains("key0").doesNotContain("key1");
  }

  @Test
  void bytesAreCountedOnceThroughEveryChange() {
    Random random = new Random(1);
    for (int i = 0; i < 2000; i++) {
      byte[] key = key("key" + random.nextInt(50));
      int length = random.nextInt(300);
      int kind = random.nextInt(4);
      cache.update(
          key,
          item ->
              kind == 0
                  ? null
                  : kind == 1 && item != null
                      ? item.withExpiry(now + random.nextInt(3))
                      : new Item(kind, 0, Item.NEW_CAS, 0, new byte[length]));
      now += random.nextInt(2);
      if (i % 500 == 0) {
        items.reclaim(items.sweep(), 100);
      }
    }
    assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items));
    reopen();
    assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items)).isPositive();
  }

  /** Items whose values are large from 100 bytes on. */
  private void openWithSmallChunks(long maxBytes, boolean evicts) {
    items =
        new ItemStore(
            store, new ItemStoreOptions(maxBytes, evicts, null, () -> now), Numbering.RANGE, 100);
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
    assertThat(has("a")).isFalse();
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
    assertThat(has("a")).isFalse();
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
                put("key" + i, Expiry.NEVER);
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
    putLarge("a", 20 << 20);
    assertLarge("a", 20 << 20);
    putLarge("a", 19 << 20);
    assertLarge("a", 19 << 20);
    LargeValuesCheck.nothingIsPending(store, items);
  }
}
