package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.watch.EventKind;
import io.howdah.server.watch.Watcher;
import io.howdah.server.watch.Watchers;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many items go when memory is short, which of them, and what is told of them. */
final class EvictionTest {

  private static final int VALUE_BYTES = 100;

  /** So large that each key has a word of its own in the table of recent uses. */
  private static final long MAX_BYTES = 1 << 30;

  private long now = 1_700_000_000;

  /** Runs when an item is about to be removed: the clock is read for that. */
  private Runnable beforeRemoval = () -> {};

  private int clockReads;
  private final Watchers watchers = new Watchers();
  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20));
  private final ItemStore items =
      new ItemStore(store, new ItemStoreOptions(MAX_BYTES, true, null, this::clock), watchers);
  private final ConnectionCache cache = items.connect();
  private final Eviction eviction = new Eviction(items, items.recency());

  @AfterEach
  void close() {
    store.close();
  }

  private long clock() {
    if (++clockReads == 2) {
      beforeRemoval.run();
    }
    return now;
  }

  private static byte[] key(int i) {
    return ("item" + i).getBytes(StandardCharsets.US_ASCII);
  }

  private void put(int i, long expiresAt) {
    cache.update(key(i), _ -> new Item(0, expiresAt, Item.NEW_CAS, 0, new byte[VALUE_BYTES]));
  }

  private void fill(int count) {
    IntStream.range(0, count).forEach(i -> put(i, Expiry.NEVER));
  }

  private boolean has(int i) {
    return cache.peek(key(i)) != null;
  }

  @Test
  void nothingIsFoundInAnEmptyStore() {
    assertThat(eviction.evict(0, 1, 8)).isFalse();
    assertThat(eviction.evictions()).isZero();
  }

  @Test
  void noMoreItemsGoThanItIsTold() {
    fill(10);
    assertThat(eviction.evict(0, 0, 3)).isTrue();
    assertThat(items.size()).isEqualTo(7);
    assertThat(eviction.evict(0, 0, 0)).isFalse();
    assertThat(items.size()).isEqualTo(7);
    assertThat(eviction.evict(0, 0, 100)).isTrue();
    assertThat(items.size()).isZero();
    assertThat(items.bytes()).isZero();
    assertThat(eviction.evictions()).isEqualTo(10);
    assertThat(eviction.evictedUnfetched()).isEqualTo(10);
  }

  @Test
  void itemsGoUntilTheLimitIsKept() {
    fill(10);
    long each = items.bytes() / 10;
    assertThat(eviction.evict(items.bytes(), 0, 8)).isFalse();
    assertThat(items.size()).isEqualTo(10);
    assertThat(eviction.evict(items.bytes() - 1, 0, 8)).isTrue();
    assertThat(items.size()).isEqualTo(9);
    assertThat(eviction.evict(items.bytes() - each - 1, 0, 8)).isTrue();
    assertThat(items.size()).isEqualTo(7);
  }

  @Test
  void itemsGoUntilSoMuchIsFree() {
    fill(10);
    long each = items.bytes() / 10;
    assertThat(eviction.evict(Long.MAX_VALUE, each, 8)).isTrue();
    assertThat(items.size()).isEqualTo(9);
    assertThat(eviction.evict(Long.MAX_VALUE, each + 1, 8)).isTrue();
    assertThat(items.size()).isEqualTo(7);
    assertThat(eviction.evict(Long.MAX_VALUE, 0, 8)).isFalse();
    assertThat(items.size()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 9})
  void theOneThatWasNotUsedGoes(int unused) {
    fill(10);
    assertThat(items.recency().takeReference(key(unused))).isTrue();
    assertThat(eviction.evict(Long.MAX_VALUE, 1, 8)).isTrue();
    assertThat(items.size()).isEqualTo(9);
    assertThat(has(unused)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 9})
  void theOneThatHasExpiredGoesThoughItWasUsed(int expired) {
    fill(10);
    put(expired, now + 10);
    now += 10;
    assertThat(eviction.evict(Long.MAX_VALUE, 1, 8)).isTrue();
    assertThat(items.size()).isEqualTo(9);
    IntStream.range(0, 10).forEach(i -> assertThat(has(i)).isEqualTo(i != expired));
  }

  /** A command that needs room does not pass over a million items that are all in use. */
  @Test
  void afterAThousandUsedOnesTheNextGoes() {
    int count = 1200;
    fill(count);
    assertThat(eviction.evict(Long.MAX_VALUE, 1, 8)).isTrue();
    assertThat(items.size()).isEqualTo(count - 1);
    long passed =
        IntStream.range(0, count).filter(i -> !items.recency().takeReference(key(i))).count();
    assertThat(passed).isEqualTo(1024);
  }

  @Test
  void aReclaimLooksAtAboutAsManyAsItIsTold() {
    IntStream.range(0, 1000).forEach(i -> put(i, now + 10));
    now += 10;
    int batch = items.sweep().batch().size();
    eviction.reclaim(items.sweep(), 0);
    assertThat(eviction.checked()).isZero();
    eviction.reclaim(items.sweep(), Sweep.BATCH);
    assertThat(eviction.checked()).isEqualTo(batch);
    assertThat(items.size()).isEqualTo(1000 - batch);
    eviction.reclaim(items.sweep(), 10_000);
    assertThat(items.size()).isZero();
    assertThat(eviction.reclaimed()).isEqualTo(1000);
    assertThat(eviction.expiredUnfetched()).isEqualTo(1000);
    assertThat(eviction.evictions()).isZero();
  }

  @Test
  void anItemThatIsStoredAgainMeanwhileIsNotReclaimed() {
    put(0, now + 10);
    now += 10;
    ConnectionCache other = items.connect();
    beforeRemoval =
        () -> other.update(key(0), _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[VALUE_BYTES]));
    Sweep sweep = items.sweepFromTheBeginning();
    clockReads = 0;
    int looked = eviction.reclaimBatch(sweep);
    assertThat(looked).isEqualTo(1);
    assertThat(clockReads).isGreaterThan(2);
    assertThat(has(0)).isTrue();
    assertThat(eviction.reclaimed()).isZero();
  }

  /** Counted and told as memcached does it: only an item that clients could see is evicted. */
  @Test
  void whatIsGoneAlreadyIsReclaimedAndNotEvicted() {
    Watcher watcher = Objects.requireNonNull(watchers.add(EnumSet.of(EventKind.EVICTIONS)));
    put(0, now + 10);
    put(1, Expiry.NEVER);
    now += 10;
    cache.flush(now);
    assertThat(eviction.evict(0, 0, 8)).isTrue();
    assertThat(items.size()).isZero();
    assertThat(eviction.reclaimed()).isEqualTo(2);
    assertThat(eviction.expiredUnfetched()).isEqualTo(2);
    assertThat(eviction.evictions()).isZero();
    assertThat(eviction.evictedUnfetched()).isZero();
    assertThat(watcher.take()).isNull();
  }

  @Test
  void whatExpiresBeforeItIsEvictedIsReclaimed() {
    Watcher watcher = Objects.requireNonNull(watchers.add(EnumSet.of(EventKind.EVICTIONS)));
    put(0, now + 10);
    beforeRemoval = () -> now += 10;
    clockReads = 0;
    assertThat(eviction.evict(0, 0, 1)).isTrue();
    assertThat(items.size()).isZero();
    assertThat(eviction.reclaimed()).isEqualTo(1);
    assertThat(eviction.evictions()).isZero();
    assertThat(watcher.take()).isNull();
  }

  /** None of them was used, so without that the first one on the way goes. */
  @Test
  void whatIsGoneGoesBeforeWhatIsThere() {
    assertThat(eviction.evict(0, 1, 1)).isFalse(); // its way is at the beginning now
    for (int expired = 0; expired < 10; expired++) {
      Eviction next = new Eviction(items, items.recency());
      assertThat(next.evict(0, 1, 1)).isFalse();
      fill(10);
      put(expired, now + 10);
      now += 10;
      IntStream.range(0, 10).forEach(i -> items.recency().takeReference(key(i)));
      assertThat(items.sweepFromTheBeginning().batch()).as("one sample").hasSize(10);
      assertThat(next.evict(Long.MAX_VALUE, 1, 8)).isTrue();
      int gone = expired;
      IntStream.range(0, 10).forEach(i -> assertThat(has(i)).isEqualTo(i != gone));
      assertThat(next.reclaimed()).isEqualTo(1);
      assertThat(next.evictions()).isZero();
      IntStream.range(0, 10).forEach(i -> cache.update(key(i), _ -> null));
    }
  }

  /** Whether the item was gone when it was chosen, or only not used. */
  @ParameterizedTest
  @ValueSource(ints = {0, 10})
  void anItemThatIsStoredAgainMeanwhileIsNotEvicted(int seconds) {
    put(0, now + 10);
    items.recency().takeReference(key(0));
    now += seconds;
    ConnectionCache other = items.connect();
    beforeRemoval =
        () -> other.update(key(0), _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[VALUE_BYTES]));
    clockReads = 0;
    boolean _ = eviction.evict(0, 0, 1);
    assertThat(clockReads).isGreaterThan(2);
    assertThat(has(0)).isTrue();
    assertThat(eviction.evictions()).isZero();
    assertThat(eviction.reclaimed()).isZero();
    assertThat(eviction.evict(0, 0, 1)).isTrue();
    assertThat(has(0)).isFalse();
  }

  @Test
  void aCommandThatMayNotEvictRemovesWhatIsGoneAlone() {
    fill(10);
    put(3, now + 10);
    put(5, now + 10);
    assertThat(eviction.reclaimFor(0, 0, 8)).isFalse();
    now += 10;
    assertThat(eviction.reclaimFor(items.bytes(), 0, 8)).as("there is room").isFalse();
    assertThat(eviction.reclaimFor(0, 0, 1)).isTrue();
    assertThat(items.size()).isEqualTo(9);
    assertThat(eviction.reclaimFor(items.bytes(), 1, 8)).isTrue();
    IntStream.range(0, 10).forEach(i -> assertThat(has(i)).isEqualTo(i != 3 && i != 5));
    assertThat(eviction.reclaimFor(0, 0, 8)).isFalse();
    assertThat(items.size()).isEqualTo(8);
    assertThat(eviction.reclaimed()).isEqualTo(2);
    assertThat(eviction.evictions()).isZero();
  }

  /** What the sweep has seen before a flush looks gone, though it was stored again since. */
  @Test
  void whatWasStoredAgainDoesNotEndTheSearch() {
    assertThat(eviction.evict(0, 1, 1)).isFalse(); // its way is at the beginning now
    fill(10);
    assertThat(items.sweepFromTheBeginning().batch()).as("one sample").hasSize(10);
    put(0, now + 10);
    now += 10;
    assertThat(eviction.reclaimFor(0, 1, 1)).isTrue(); // and nine more were seen
    cache.flush(now);
    IntStream.range(1, 10).forEach(i -> put(i, Expiry.NEVER));
    put(0, now + 10);
    now += 10;
    assertThat(eviction.reclaimFor(0, 1, 1)).isTrue();
    IntStream.range(0, 10).forEach(i -> assertThat(has(i)).isEqualTo(i != 0));
    assertThat(eviction.reclaimed()).isEqualTo(2);
  }

  @Test
  void whoWatchesIsToldOfWhatIsEvicted() {
    Watcher watcher = Objects.requireNonNull(watchers.add(EnumSet.of(EventKind.EVICTIONS)));
    put(0, now + 100);
    cache.accessed(key(0));
    now += 30;
    eviction.evict(0, 0, 1);
    put(1, Expiry.NEVER);
    now += 7;
    eviction.evict(0, 0, 1);
    put(2, now + 10);
    now += 10;
    eviction.reclaim(items.sweep(), 10_000); // is gone already: that evicts nothing
    assertThat(items.size()).isZero();
    byte[] lines = Objects.requireNonNull(watcher.take());
    assertThat(new String(lines, StandardCharsets.US_ASCII).lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .endsWith("type=eviction key=item0 fetch=yes ttl=70 la=30 clsid=1 size=100"),
            line ->
                assertThat(line)
                    .endsWith("type=eviction key=item1 fetch=no ttl=-1 la=7 clsid=1 size=100"));
  }
}
