package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.PageLayout;
import io.howdah.objects.Length;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.TxBody;
import io.howdah.txn.stm.TxHandle;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every limit of collections is reached exactly, and one more is refused. */
final class CollectionLimitsTest {

  private static final WordOptions OPTIONS =
      WordOptions.defaults().withMaxSize(1 << 28).withOrecs(1 << 14).withPartitions(2);

  @Persistent
  interface Item {
    byte @Nullable [] data();

    void data(byte @Nullable [] v);

    @Length(9)
    byte @Nullable [] label();

    void label(byte @Nullable [] v);
  }

  private static byte[] bytes(int length, int seed) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + seed);
    }
    return bytes;
  }

  private static void refused(WordStore store, TxBody<RuntimeException> body) {
    assertThatThrownBy(() -> store.run(body)).isInstanceOf(EntryTooLargeException.class);
  }

  @Test
  void keysReachTheirLimit() {
    try (WordStore store = WordStore.inMemory(OPTIONS)) {
      PersistentMap<byte[], Long> map = store.map("map", Codec.bytes(), Codec.int64());
      PersistentSortedMap<byte[], Long> sorted =
          store.sortedMap("sorted", Codec.bytes(), Codec.int64());
      PersistentSet<byte[]> set = store.set("set", Codec.bytes());
      int most = PersistentCollection.MAX_KEY_BYTES;
      for (int length = most - 1; length <= most; length++) {
        // Enough of them for splits, whose separators hold keys of that length.
        for (int i = 0; i < 20; i++) {
          byte[] key = bytes(length, 0);
          key[length - 1] = (byte) i;
          long value = (long) length + i;
          store.run(
              tx -> {
                map.put(tx, key, value);
                sorted.put(tx, key, value);
                set.add(tx, key);
              });
          store.run(
              tx -> {
                assertThat(map.get(tx, key)).isEqualTo(value);
                assertThat(sorted.get(tx, key)).isEqualTo(value);
                assertThat(set.contains(tx, key)).isTrue();
              });
        }
      }
      store.run(
          tx -> {
            assertThat(map.keys(tx).mapToInt(k -> k.length).sum()).isEqualTo(40 * most - 20);
            assertThat(sorted.keys(tx).mapToInt(k -> k.length).sum()).isEqualTo(40 * most - 20);
            assertThat(set.stream(tx).mapToInt(k -> k.length).sum()).isEqualTo(40 * most - 20);
          });
      byte[] longer = new byte[most + 1];
      refused(store, tx -> map.put(tx, longer, 1L));
      refused(store, tx -> map.get(tx, longer));
      refused(store, tx -> sorted.put(tx, longer, 1L));
      refused(store, tx -> set.add(tx, longer));
      store.drop("sorted");
      store.drop("map");
      store.drop("set");
      Blocks.assertNothingLeaks(store);
    }
  }

  @Test
  void valuesReachTheirLimit() {
    try (WordStore store = WordStore.inMemory(OPTIONS)) {
      PersistentMap<Long, byte[]> map = store.map("map", Codec.int64(), Codec.bytes());
      PersistentSortedMap<Long, byte[]> sorted =
          store.sortedMap("sorted", Codec.int64(), Codec.bytes());
      PersistentList<byte[]> list = store.list("list", Codec.bytes());
      PersistentQueue<byte[]> queue = store.queue("queue", Codec.bytes());
      PersistentType<Item> items = store.type(Item.class, MethodHandles.lookup());
      int most = PersistentCollection.MAX_VALUE_BYTES;
      for (int length = most - 1; length <= most; length++) {
        byte[] value = bytes(length, length);
        store.run(tx -> map.put(tx, 1L, value));
        store.run(tx -> sorted.put(tx, 1L, value));
        store.run(tx -> list.add(tx, value));
        store.run(tx -> queue.add(tx, value));
        store.run(
            tx -> {
              Item item = items.create(tx);
              item.data(value);
              tx.root(0, items.address(item));
            });
        store.run(
            tx -> {
              assertThat(Arrays.equals(map.get(tx, 1L), value)).isTrue();
              assertThat(Arrays.equals(sorted.get(tx, 1L), value)).isTrue();
              assertThat(Arrays.equals(list.removeLast(tx), value)).isTrue();
              assertThat(Arrays.equals(queue.poll(tx), value)).isTrue();
              Item item = items.at(tx, tx.root(0));
              assertThat(Arrays.equals(item.data(), value)).isTrue();
              items.free(tx, item);
            });
      }
      byte[] longer = new byte[most + 1];
      refused(store, tx -> map.put(tx, 1L, longer));
      refused(store, tx -> sorted.put(tx, 1L, longer));
      refused(store, tx -> list.add(tx, longer));
      refused(store, tx -> queue.add(tx, longer));
      refused(store, tx -> items.create(tx).data(longer));
      for (int length = 8; length <= 9; length++) {
        byte[] label = bytes(length, 1);
        store.run(
            tx -> {
              Item item = items.create(tx);
              item.label(label);
              assertThat(item.label()).isEqualTo(label);
              items.free(tx, item);
            });
      }
      refused(store, tx -> items.create(tx).label(new byte[10]));
    }
  }

  @Test
  void namesReachTheirLimit() {
    try (WordStore store = WordStore.inMemory(OPTIONS)) {
      for (int length : new int[] {1, 254, 255}) {
        String name = "n".repeat(length);
        PersistentMap<Long, Long> map = store.map(name, Codec.int64(), Codec.int64());
        store.run(tx -> map.put(tx, 1L, (long) length));
        long found =
            store.call(
                tx -> store.map(name, Codec.int64(), Codec.int64()).getOrDefault(tx, 1L, -1L));
        assertThat(found).isEqualTo(length);
        String wide = "\u20ac".repeat(length); // of three bytes each
        store.list(wide, Codec.int64());
        assertThat(store.read(store::collections)).containsKeys(name, wide);
      }
      for (int length : new int[] {0, 256}) {
        assertThatThrownBy(() -> store.list("n".repeat(length), Codec.int64()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("255")
            .hasMessageContaining(" " + length);
      }
    }
  }

  @Test
  void aBlobReachesItsLimit() {
    try (WordStore store = WordStore.inMemory(OPTIONS)) {
      PersistentBlob blob = store.blob("blob");
      for (long over = 1; over <= 2; over++) {
        long offset = PersistentBlob.MAX_LENGTH - 2 + over;
        byte[] two = new byte[2];
        assertThatThrownBy(() -> store.run(tx -> blob.write(tx, offset, two)))
            .isInstanceOf(over == 2 ? IndexOutOfBoundsException.class : RuntimeException.class);
      }
      assertThat((long) store.call(blob::length)).isZero();
      assertThatThrownBy(() -> store.run(tx -> blob.truncate(tx, 1)))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  /**
   * Stores whose last page is the one before, at or behind the beginning of a table of descriptors:
   * all of it can be allocated, no block overlaps another, and all can be given back.
   */
  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 2, 3})
  void regionsEndAroundATableOfDescriptors(int more) {
    for (int table : new int[] {PageLayout.HEADER_PAGES, 2 * PageLayout.HEADER_PAGES}) {
      long size = (long) (table + more) * PageLayout.PAGE_BYTES;
      try (WordStore store = WordStore.inMemory(OPTIONS.withMaxSize(size))) {
        Set<Long> first = fill(store);
        assertThat(first.size()).isGreaterThan(table / 6);
        store.run(tx -> first.forEach(tx::free));
        assertThat(fill(store)).as("what fits again").hasSameSizeAs(first);
      }
    }
  }

  /** Fills the store with blocks longer than those of slabs, and writes their ends. */
  private static Set<Long> fill(WordStore store) {
    Set<Long> blocks = new HashSet<>();
    int bytes = 5 * PageLayout.PAGE_BYTES;
    for (int length = bytes;
        length >= 4 * PageLayout.PAGE_BYTES + 1;
        length -= PageLayout.PAGE_BYTES) {
      int now = length;
      try {
        while (true) {
          long block =
              store.call(
                  tx -> {
                    long made = tx.allocate(now);
                    tx.putLong(made, made);
                    tx.putLong(made + now - Long.BYTES, made);
                    return made;
                  });
          assertThat(blocks.add(block)).isTrue();
        }
      } catch (RegionFullException e) {
        // shorter ones may find room
      }
    }
    store.run(
        tx -> {
          for (long block : blocks) {
            assertThat(tx.getLong(block)).isEqualTo(block);
            long end = block + TxHandle.of(tx).words().heap.blockBytes(block) - Long.BYTES;
            assertThat(end).isLessThan(TxHandle.of(tx).words().capacityBytes());
          }
          assertThat(Blocks.inUse(TxHandle.of(tx).words()).keySet()).containsAll(blocks);
        });
    return blocks;
  }
}
