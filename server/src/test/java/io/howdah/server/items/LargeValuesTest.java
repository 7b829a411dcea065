package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CacheBusyException;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.LargeValue;
import io.howdah.server.cache.ValueWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The chunks of large values: what they count, when they are freed, and how room is made for more.
 */
final class LargeValuesTest {

  private static final int CHUNK = 4096;

  /** How many chunks a command frees itself. */
  private static final int INLINE = 64;

  private static final long ID = 1L << 50;

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20));
  private ItemStore items = items(16 << 20, true);

  @AfterEach
  void close() {
    store.close();
  }

  private ItemStore items(long maxBytes, boolean evicts) {
    return new ItemStore(
        store,
        new ItemStoreOptions(maxBytes, evicts, null, () -> 1_700_000_000, 1 << 20),
        Numbering.RANGE,
        CHUNK);
  }

  private LargeValues values() {
    return items.values();
  }

  private static long chunkBytes(int chunks) {
    return chunks * LargeValues.entryBytes(CHUNK);
  }

  /** Writes chunks that no item gets. */
  private void write(long id, int chunks) {
    values().beginWriting(id);
    for (int i = 0; i < chunks; i++) {
      values().add(id, i, new byte[CHUNK]);
    }
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  private static void put(ConnectionCache cache, String key, int length) {
    cache.update(key(key), _ -> new Item(0, 0, Item.NEW_CAS, 0, new byte[length]));
  }

  private String row(String name) {
    Map<String, String> rows = new HashMap<>();
    items.statistics(rows::put);
    return rows.getOrDefault(name, "none");
  }

  @Test
  void whatArrivesCountsAndIsGivenBack() {
    values().beginWriting(ID);
    values().add(ID, 0, new byte[CHUNK]);
    values().add(ID, 1, new byte[CHUNK]);
    values().add(ID, 2, new byte[37]);
    long bytes = chunkBytes(2) + LargeValues.entryBytes(37);
    assertThat(values().bytes(2 * CHUNK + 37)).isEqualTo(bytes);
    assertThat(items.bytes()).isEqualTo(bytes);
    assertThat(row("howdah_pending_bytes")).isEqualTo(Long.toString(bytes));
    values().endWriting(ID);
    assertThat(items.bytes()).isZero();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  /** The next start does not know who was writing, and has to free what it finds. */
  @Test
  void whatHadArrivedBeforeAStartCountsAndIsFreedInTheBackground() {
    values().beginWriting(ID);
    values().add(ID, 0, new byte[CHUNK]);
    values().add(ID, 1, new byte[CHUNK]);
    values().add(ID, 2, new byte[37]);
    write(ID + 1, 1);
    long bytes = items.bytes();
    assertThat(bytes).isEqualTo(chunkBytes(3) + LargeValues.entryBytes(37));
    items = items(16 << 20, true);
    assertThat(items.bytes()).isEqualTo(bytes);
    items.reclaim(items.sweep(), 0);
    assertThat(items.bytes()).isZero();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aCommandFreesSomeChunksAndOthersWhenRoomIsNeeded() {
    write(ID, 2 * INLINE + 2);
    values().endWriting(ID);
    assertThat(values().pendingBytes()).isEqualTo(chunkBytes(INLINE + 2));
    assertThat(values().freeWaiting()).isTrue();
    assertThat(values().pendingBytes()).isEqualTo(chunkBytes(2));
    assertThat(values().freeWaiting()).isTrue();
    assertThat(values().pendingBytes()).isZero();
    assertThat(values().freeWaiting()).isFalse();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aValueOfJustSoManyChunksIsFreedAtOnce() {
    write(ID, INLINE);
    values().endWriting(ID);
    assertThat(values().freeWaiting()).isFalse();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void whatIsHeldIsNotFreedForRoom() {
    write(ID, 2 * INLINE);
    values().endWriting(ID);
    ChunkReader reader = values().read(new LargeValue(ID, CHUNK), items.connect());
    assertThat(reader).isNotNull();
    assertThat(values().freeWaiting()).isFalse();
    assertThat(values().pendingBytes()).isEqualTo(chunkBytes(INLINE));
    reader.close();
    assertThat(values().pendingBytes())
        .as("the end of a read commits nothing")
        .isEqualTo(chunkBytes(INLINE));
    assertThat(values().freeWaiting()).isTrue();
    assertThat(values().pendingBytes()).isZero();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void whatIsReadCountsUntilTheReaderIsClosed() {
    ConnectionCache cache = items.connect();
    put(cache, "a", 10 * CHUNK + 5);
    Item item = cache.get(key("a"));
    assertThat(item).isNotNull();
    assertThat(row("howdah_read_bytes")).isEqualTo(Integer.toString(10 * CHUNK + 5));
    put(items.connect(), "a", 5);
    assertThat(values().pendingBytes()).as("it is held").isPositive();
    assertThat(LargeValuesCheck.valueOf(cache, item)).hasSize(10 * CHUNK + 5);
    assertThat(row("howdah_read_bytes")).isEqualTo("0");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aReadOfTheNextItemEndsTheOneBefore() {
    ConnectionCache cache = items.connect();
    put(cache, "a", 2 * CHUNK);
    put(cache, "b", 3 * CHUNK);
    assertThat(cache.get(key("a"))).isNotNull();
    assertThat(cache.get(key("b"))).isNotNull();
    assertThat(row("howdah_read_bytes")).isEqualTo(Integer.toString(3 * CHUNK));
    assertThat(values().held()).isEqualTo(1);
    cache.release();
    assertThat(values().held()).isZero();
    cache.release();
    assertThatThrownBy(cache::reader).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void tooManyValuesThatAreReadAreRefusedAndTakeNothing() {
    int length = 200 * CHUNK; // more than half of what may be read
    put(items.connect(), "a", length);
    put(items.connect(), "b", length);
    ConnectionCache first = items.connect();
    assertThat(first.get(key("a"))).isNotNull();
    ConnectionCache second = items.connect();
    assertThat(second.get(key("a"))).as("it counts once").isNotNull();
    assertThatThrownBy(() -> second.get(key("b"))).isInstanceOf(CacheBusyException.class);
    assertThat(row("howdah_read_bytes")).isEqualTo(Integer.toString(length));
    first.release();
    second.release();
    assertThat(second.get(key("b"))).isNotNull();
    assertThat(row("howdah_read_bytes")).isEqualTo(Integer.toString(length));
    second.release();
    assertThat(row("howdah_read_bytes")).isEqualTo("0");
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aValueThatTakesAllThatItemsMayTakeIsNotRefusedAtOnce() {
    int length = 2 << 20;
    items.setMaxBytes(values().bytes(length));
    try (ValueWriter writer = Objects.requireNonNull(items.connect().writer(length))) {
      assertThat(writer.heldBytes()).isZero();
    }
    items.setMaxBytes(values().bytes(length) - 1);
    assertThatThrownBy(() -> items.connect().writer(length))
        .isInstanceOf(CacheFullException.class)
        .hasMessageContaining(Long.toString(items.maxBytes()));
    assertThat(values().held()).isZero();
  }

  /** Without eviction, too: what was removed is room. */
  @Test
  void roomIsMadeOfWhatIsNotFreedYet() {
    items = items(ItemStoreOptions.MIN_BYTES, false);
    ConnectionCache cache = items.connect();
    int length = 220 * CHUNK;
    put(cache, "a", length);
    cache.update(key("a"), _ -> null);
    assertThat(values().pendingBytes()).isEqualTo(chunkBytes(220 - INLINE));
    put(cache, "b", length);
    assertThat(cache.peek(key("b"))).isNotNull();
    assertThat(items.bytes()).isLessThanOrEqualTo(ItemStoreOptions.MIN_BYTES);
    put(cache, "a", CHUNK / 2);
    assertThatThrownBy(() -> put(cache, "a", length)).isInstanceOf(CacheFullException.class);
    assertThat(cache.peek(key("a"))).isNotNull();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void theLastChunkMayReachTheLimitExactlyAndNotPassIt() {
    items = items(ItemStoreOptions.MIN_BYTES, false);
    values().beginWriting(ID);
    int last = 0;
    for (; items.bytes() + chunkBytes(1) <= items.maxBytes(); last++) {
      items.addChunk(ID, last, new byte[CHUNK]);
    }
    int end = last + 1;
    items.setMaxBytes(items.bytes() + chunkBytes(1));
    items.addChunk(ID, last, new byte[CHUNK]);
    assertThat(items.bytes()).isEqualTo(items.maxBytes());
    assertThatThrownBy(() -> items.addChunk(ID, end, new byte[1]))
        .isInstanceOf(CacheFullException.class);
    values().endWriting(ID);
  }

  @Test
  void withEvictionRoomIsMadeOfOtherItems() {
    items = items(ItemStoreOptions.MIN_BYTES, true);
    ConnectionCache cache = items.connect();
    for (int i = 0; i < 400; i++) {
      put(cache, "small-" + i, CHUNK / 2);
    }
    long before = items.size();
    put(cache, "large", 100 * CHUNK);
    assertThat(items.size()).isLessThan(before).isGreaterThan(before / 4);
    assertThat(items.bytes()).isBetween(items.maxBytes() * 3 / 4, items.maxBytes());
    assertThat(cache.peek(key("large"))).isNotNull();
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void withNothingToEvictAnArrivingValueIsRefusedAtTheLimit() {
    items = items(ItemStoreOptions.MIN_BYTES, true);
    values().beginWriting(ID);
    int arrived = 0;
    for (; items.bytes() + chunkBytes(1) <= items.maxBytes(); arrived++) {
      items.addChunk(ID, arrived, new byte[CHUNK]);
    }
    int next = arrived;
    assertThatThrownBy(() -> items.addChunk(ID, next, new byte[CHUNK]))
        .isInstanceOf(CacheFullException.class);
    assertThat(items.bytes()).isEqualTo(chunkBytes(arrived));
    values().endWriting(ID);
    items.reclaim(items.sweep(), 0);
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aChunkThatIsOutOfTurnIsRefused() {
    write(ID, 2);
    assertThatThrownBy(() -> values().add(ID, 1, new byte[CHUNK]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has 2 chunks, not 1");
    assertThat(values().pendingBytes()).isEqualTo(chunkBytes(2));
    values().endWriting(ID);
    LargeValuesCheck.nothingIsPending(store, items);
  }

  @Test
  void aWriterTakesWhatWasAnnouncedAndNoMore() {
    ConnectionCache cache = items.connect();
    assertThat(cache.writer(CHUNK)).as("it is not large").isNull();
    try (ValueWriter writer = Objects.requireNonNull(cache.writer(CHUNK + 1))) {
      writer.add(ByteBuffer.allocate(CHUNK));
      assertThatThrownBy(writer::value).hasMessageContaining("not complete");
      writer.add(ByteBuffer.allocate(1));
      assertThat(writer.value().length()).isEqualTo(CHUNK + 1);
      assertThatThrownBy(() -> writer.add(ByteBuffer.allocate(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(CHUNK + 1 + " bytes");
    }
    LargeValuesCheck.nothingIsPending(store, items);
  }
}
