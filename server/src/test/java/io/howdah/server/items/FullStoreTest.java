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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A store that is full and evicts nothing. What is gone, that is flushed or expired, makes room for
 * the next command. Nothing runs in the background here.
 */
final class FullStoreTest {

  private static final long MAX_BYTES = ItemStoreOptions.MIN_BYTES;
  private static final int CHUNK_BYTES = 1000;

  private long now = 1_700_000_000;
  private Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20));
  private ItemStore items = open(MAX_BYTES, false);
  private ConnectionCache cache = items.connect();

  @BeforeEach
  void connect() {
    cache = items.connect();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private ItemStore open(long maxBytes, boolean evicts) {
    return new ItemStore(
        store,
        new ItemStoreOptions(maxBytes, evicts, null, () -> now),
        Numbering.RANGE,
        CHUNK_BYTES);
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  private void put(String key, int length, long expiresAt) {
    cache.update(key(key), _ -> new Item(0, expiresAt, Item.NEW_CAS, 0, new byte[length]));
  }

  /** Stores items of one length until one is refused, and returns how many were stored. */
  private int fill(int length, long expiresAt) {
    int[] count = {0};
    assertThatThrownBy(
            () -> {
              for (; ; count[0]++) {
                put("old%d-%06d".formatted(length, count[0]), length, expiresAt);
              }
            })
        .isInstanceOf(CacheFullException.class);
    return count[0];
  }

  private boolean has(String key) {
    return cache.peek(key(key)) != null;
  }

  private String row(String name) {
    Map<String, String> rows = new HashMap<>();
    items.statistics(rows::put);
    return rows.getOrDefault(name, "none");
  }

  /** Nothing is above the limit, nothing counted wrong, and nothing left behind. */
  private void assertSound() {
    LargeValuesCheck.nothingIsPending(store, items);
    assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items)).isLessThanOrEqualTo(MAX_BYTES);
    assertThat(row("evictions")).isEqualTo("0");
  }

  /** Lengths of items with one block, and of one with ten chunks. */
  @ParameterizedTest
  @ValueSource(ints = {100, 900, 10_000})
  void whatWasFlushedMakesRoomAtOnce(int length) {
    int count = fill(100, Expiry.NEVER);
    cache.flush(now);
    put("new", length, Expiry.NEVER);
    assertThat(has("new")).isTrue();
    assertThat(items.size()).isLessThanOrEqualTo(count);
    assertThat(Long.parseLong(row("reclaimed"))).isEqualTo(count + 1 - items.size()).isPositive();
    assertThat(row("crawler_reclaimed")).isEqualTo("0");
    assertSound();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 900, 10_000})
  void whatHasExpiredMakesRoomAtOnce(int length) {
    int _ = fill(100, now + 10);
    now += 10;
    put("new", length, Expiry.NEVER);
    assertThat(has("new")).isTrue();
    assertSound();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 900, 10_000})
  void largeValuesThatWereFlushedMakeRoomAtOnce(int length) {
    int _ = fill(100_000, Expiry.NEVER);
    int _ = fill(100, Expiry.NEVER);
    cache.flush(now);
    put("new", length, Expiry.NEVER);
    assertThat(has("new")).isTrue();
    assertSound();
  }

  /** Each command finds what it needs, so after a flush the store is filled as it was before. */
  @Test
  void aStoreThatWasFlushedIsFilledOnceMore() {
    int count = fill(100, Expiry.NEVER);
    cache.flush(now);
    for (int i = 0; i < count; i++) {
      put("new" + i, 100, Expiry.NEVER);
      assertThat(items.bytes()).isLessThanOrEqualTo(MAX_BYTES);
    }
    assertThat(has("new0")).isTrue();
    assertThat(has("new" + (count - 1))).isTrue();
    assertSound();
  }

  @Test
  void whatIsThereIsNotTaken() {
    int[] count = {0};
    assertThatThrownBy(
            () -> {
              for (; ; count[0]++) {
                put("old" + count[0], 100, count[0] % 2 == 0 ? now + 10 : Expiry.NEVER);
              }
            })
        .isInstanceOf(CacheFullException.class);
    now += 10;
    put("new", 100, Expiry.NEVER);
    assertThat(has("new")).isTrue();
    int more = fill(100, Expiry.NEVER); // until so few are gone that a command finds none
    assertThat(more).isPositive();
    for (int i = 1; i < count[0]; i += 2) {
      assertThat(has("old" + i)).as("item %s", i).isTrue();
    }
    assertSound();
  }

  /** A command was refused in this second, so the next ones look at less; but they do look. */
  @Test
  void aRefusalDoesNotKeepLaterCommandsFromTheRoom() {
    int _ = fill(100, Expiry.NEVER);
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> put("new", 10_000, Expiry.NEVER))
          .isInstanceOf(CacheFullException.class);
    }
    cache.flush(now);
    put("new", 10_000, Expiry.NEVER);
    assertThat(has("new")).isTrue();
    assertSound();
  }

  @Test
  void whatWasFlushedMakesRoomInAFullRegion() {
    store.close();
    store = Store.inMemory(StoreOptions.defaults().withMaxSize(4 << 20));
    items = open(1L << 40, false);
    connect();
    int count = fill(100, Expiry.NEVER);
    cache.flush(now);
    // As long as the old ones: a block of another length needs a whole page that is free. The table
    // itself asks for one now and then, by its seed of hashes, and that command may be refused.
    int refused = 0;
    for (int i = 0; i < count / 2; i++) {
      try {
        put("new100-%06d".formatted(i), 100, Expiry.NEVER);
      } catch (CacheFullException _) {
        refused++;
      }
    }
    assertThat(refused).isLessThan(count / 100);
    assertThat(row("evictions")).isEqualTo("0");
    assertThat(items.bytes()).isEqualTo(ItemBytes.of(store, items));
  }

  /** Where the limit is near, a turn goes on; elsewhere it looks at what it is told. */
  @Test
  void aTurnInTheBackgroundDoesMoreNearTheLimit() {
    int count = fill(100, Expiry.NEVER);
    cache.flush(now);
    Sweep sweep = items.sweepFromTheBeginning();
    items.reclaim(sweep, Sweep.BATCH);
    long faster = count - items.size();
    assertThat(faster).isGreaterThan(4 * Sweep.BATCH);
    for (int turn = 0; turn < 100 && items.bytes() > MAX_BYTES / 2; turn++) {
      items.reclaim(sweep, Sweep.BATCH);
    }
    long before = items.size();
    items.reclaim(sweep, Sweep.BATCH);
    assertThat(before - items.size()).isBetween(1L, 2L * Sweep.BATCH);
  }

  @Test
  void aTurnInTheBackgroundThatIsSwitchedOffRemovesNothingNearTheLimit() {
    int count = fill(100, Expiry.NEVER);
    cache.flush(now);
    items.reclaim(items.sweep(), 0);
    assertThat(items.size()).isEqualTo(count);
  }
}
