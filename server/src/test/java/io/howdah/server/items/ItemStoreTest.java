package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

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
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        key("a"),
        item -> item == null ? null : item.withValueInPlace(item.value().clone(), Item.NEW_CAS));
    assertThat(cache.lastUse(key("a"))).isEqualTo(now);
    assertThat(cache.isFetched(key("a"))).isTrue();
    now += 10;
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
  void aFullRegionEvicts() {
    store.close();
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(4 << 20));
    items = items(1L << 40, true);
    cache = items.connect();
    for (int i = 0; i < 40_000; i++) {
      put("key" + i, Expiry.NEVER);
    }
    assertThat(has("key39999")).isTrue();
    assertThat(items.size()).isBetween(10_000L, 35_000L);
    assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items));
  }

  @Test
  void aTurnInTheBackgroundKeepsALimitThatWasLowered() {
    items = items(4 << 20, true);
    cache = items.connect();
    for (int i = 0; i < 10_000; i++) {
      put("key" + i, Expiry.NEVER);
    }
    items.setMaxBytes(items.bytes());
    items.reclaim(items.sweep(), 0);
    assertThat(items.size()).isEqualTo(10_000);
    items.setMaxBytes(ItemStoreOptions.MIN_BYTES);
    items.reclaim(items.sweep(), 0);
    assertThat(items.bytes())
        .isBetween(ItemStoreOptions.MIN_BYTES - 1000, ItemStoreOptions.MIN_BYTES);
  }

  @Test
  void withoutEvictionATurnInTheBackgroundRemovesNothingThatIsThere() {
    items = items(4 << 20, false);
    cache = items.connect();
    for (int i = 0; i < 10_000; i++) {
      put("key" + i, Expiry.NEVER);
    }
    items.setMaxBytes(ItemStoreOptions.MIN_BYTES);
    items.reclaim(items.sweep(), 1000);
    assertThat(items.size()).isEqualTo(10_000);
  }

  @Test
  void aTurnInTheBackgroundReservesNumbers() {
    long range = 4L * Numbering.BLOCK;
    items =
        new ItemStore(
            store,
            new ItemStoreOptions(1 << 24, true, null, () -> now),
            range,
            LargeValues.CHUNK_BYTES);
    ServerState state = new ServerState(store);
    long reserved = state.get(ServerState.RESERVED);
    for (int i = 0; i < 3; i++) {
      cache = items.connect();
      put("key" + i, Expiry.NEVER);
    }
    assertThat(state.get(ServerState.RESERVED)).isEqualTo(reserved);
    items.reclaim(items.sweep(), 0);
    assertThat(state.get(ServerState.RESERVED)).isEqualTo(reserved + range);
  }

  @Test
  void aConnectionKnowsTheNewestOfItsCommits() {
    assertThat(cache.lsn()).isZero();
    put("a", Expiry.NEVER);
    long stored = cache.lsn();
    assertThat(stored).isPositive();
    cache.flush(now);
    long flushed = cache.lsn();
    assertThat(flushed).isGreaterThan(stored);
    cache.flush(now + 10);
    assertThat(cache.lsn()).isGreaterThan(flushed);
    assertThat(cache.isDurable()).as("no reply waits").isTrue();
    assertThat(cache.whenDurable().toCompletableFuture()).isCompleted();
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
    cache.flush(now + 1);
    now += 1;
    ItemWalk afterAFlush = cache.walk();
    while (afterAFlush.next(10, (_, _) -> fail("an item that was flushed"))) {}
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
}
