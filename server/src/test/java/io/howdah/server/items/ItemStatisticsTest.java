package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What {@code stats} tells of the items, and the limit that it tells. */
final class ItemStatisticsTest {

  private static final int VALUE_BYTES = 1000;

  private long now = 1_700_000_000;
  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20));

  @AfterEach
  void close() {
    store.close();
  }

  private ItemStore items(boolean evicts) {
    return new ItemStore(
        store, new ItemStoreOptions(ItemStoreOptions.MIN_BYTES, evicts, null, () -> now));
  }

  private static void put(ConnectionCache cache, String key, long expiresAt) {
    cache.update(key(key), _ -> new Item(0, expiresAt, Item.NEW_CAS, 0, new byte[VALUE_BYTES]));
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  private static Map<String, String> rows(ItemStore items) {
    Map<String, String> rows = new HashMap<>();
    items.statistics((name, value) -> assertThat(rows.put(name, value)).as(name).isNull());
    return rows;
  }

  @Test
  void whatIsFoundGoneIsCountedByItsReason() {
    ItemStore items = items(true);
    ConnectionCache cache = items.connect();
    put(cache, "lives", Expiry.NEVER);
    assertThat(cache.get(key("lives"))).isNotNull();
    assertThat(cache.get(key("none"))).isNull();
    assertThat(rows(items)).containsEntry("get_expired", "0").containsEntry("get_flushed", "0");
    put(cache, "expires", now + 10);
    put(cache, "expires, too", now + 10);
    now += 10;
    for (int i = 0; i < 3; i++) {
      assertThat(cache.get(key("expires"))).isNull();
    }
    assertThat(rows(items)).containsEntry("get_expired", "3").containsEntry("get_flushed", "0");
    cache.flush(now);
    assertThat(cache.get(key("lives"))).isNull();
    assertThat(rows(items)).containsEntry("get_expired", "3").containsEntry("get_flushed", "1");
  }

  @Test
  void whatIsReclaimedIsCountedAndWhetherItWasFetched() {
    ItemStore items = items(true);
    ConnectionCache cache = items.connect();
    put(cache, "a", now + 10);
    put(cache, "b", now + 10);
    put(cache, "c", Expiry.NEVER);
    cache.accessed(key("b"));
    assertThat(rows(items))
        .containsEntry("curr_items", "3")
        .containsEntry("reclaimed", "0")
        .containsEntry("crawler_reclaimed", "0")
        .containsEntry("crawler_items_checked", "0")
        .containsEntry("expired_unfetched", "0");
    long before = items.bytes();
    now += 10;
    Sweep sweep = items.sweep();
    int looked = items.reclaimBatch(sweep) + items.reclaimBatch(sweep);
    assertThat(looked).isGreaterThanOrEqualTo(3);
    assertThat(rows(items))
        .containsEntry("curr_items", "1")
        .containsEntry("reclaimed", "2")
        .containsEntry("crawler_reclaimed", "2")
        .containsEntry("crawler_items_checked", Integer.toString(looked))
        .containsEntry("expired_unfetched", "1")
        .containsEntry("evictions", "0")
        .containsEntry("evicted_unfetched", "0")
        .containsEntry("bytes", Long.toString(items.bytes()));
    assertThat(items.bytes()).isBetween(before / 3 - VALUE_BYTES / 2, before / 3 + VALUE_BYTES / 2);
  }

  @Test
  void evictionsKeepTheLimitAndAreCounted() {
    ItemStore items = items(true);
    ConnectionCache cache = items.connect();
    int count = (int) (2 * ItemStoreOptions.MIN_BYTES / VALUE_BYTES);
    for (int i = 0; i < count; i++) {
      put(cache, "key-" + i, Expiry.NEVER);
      assertThat(items.bytes()).isLessThanOrEqualTo(ItemStoreOptions.MIN_BYTES);
    }
    Map<String, String> rows = rows(items);
    assertThat(items.bytes()).isGreaterThan(ItemStoreOptions.MIN_BYTES * 9 / 10);
    assertThat(rows)
        .containsEntry("limit_maxbytes", Long.toString(ItemStoreOptions.MIN_BYTES))
        .containsEntry("curr_items", Long.toString(items.size()))
        .containsEntry("evictions", Long.toString(count - items.size()))
        .containsEntry("evicted_unfetched", Long.toString(count - items.size()))
        .containsEntry("reclaimed", "0")
        .containsEntry("howdah_pending_bytes", "0")
        .containsEntry("howdah_read_bytes", "0");
    items.setMaxBytes(1);
    assertThat(items.maxBytes()).isEqualTo(ItemStoreOptions.MIN_BYTES);
    items.setMaxBytes(ItemStoreOptions.MIN_BYTES + 1);
    assertThat(rows(items))
        .containsEntry("limit_maxbytes", Long.toString(ItemStoreOptions.MIN_BYTES + 1));
  }

  @Test
  void withoutEvictionTheLimitIsReachedExactlyAndNotPassed() {
    ItemStore items = items(false);
    ConnectionCache cache = items.connect();
    put(cache, "a", Expiry.NEVER);
    long room = ItemStoreOptions.MIN_BYTES - items.bytes();
    items.requireRoom(room);
    assertThatThrownBy(() -> items.requireRoom(room + 1))
        .isInstanceOf(CacheFullException.class)
        .hasMessageContaining(Long.toString(items.bytes()))
        .hasMessageContaining(Long.toString(ItemStoreOptions.MIN_BYTES));
    int count = (int) (2 * ItemStoreOptions.MIN_BYTES / VALUE_BYTES);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < count; i++) {
                put(cache, "key-" + i, Expiry.NEVER);
              }
            })
        .isInstanceOf(CacheFullException.class);
    assertThat(items.bytes()).isLessThanOrEqualTo(ItemStoreOptions.MIN_BYTES);
    assertThat(items.bytes()).isGreaterThan(ItemStoreOptions.MIN_BYTES - 2 * VALUE_BYTES);
    assertThat(rows(items)).containsEntry("evictions", "0");
    assertThat(cache.get(key("a"))).isNotNull();
  }

  @Test
  void aFlushThatIsDueIsMadeBeforeItemsAreReclaimed() {
    ItemStore items = items(true);
    ConnectionCache cache = items.connect();
    put(cache, "a", Expiry.NEVER);
    cache.flush(now + 5);
    items.reclaim(items.sweep(), 100);
    assertThat(items.size()).isEqualTo(1);
    now += 5;
    items.reclaim(items.sweep(), 100);
    assertThat(items.size()).isZero();
    put(cache, "b", Expiry.NEVER);
    cache.flush(now + 5);
    now += 5;
    int _ = items.reclaimBatch(items.sweepFromTheBeginning());
    assertThat(items.size()).isZero();
  }
}
