package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    return new ItemStore(store, new ItemStoreOptions(maxBytes, evicts, false, () -> now));
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
    items = new ItemStore(store, new ItemStoreOptions(1 << 24, true, true, () -> now));
    ConnectionCache writer = items.connect();
    cache = writer;
    put("a", Expiry.NEVER);
    ConnectionCache reader = items.connect();
    assertThat(reader.get(key("a"))).isNotNull();
    assertThat(reader.lsn()).isEqualTo(writer.lsn()).isPositive();
    store.durability().awaitStable(reader.lsn());
  }
}
