package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.TreeLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A cursor of a sorted map loads entries in advance: those that its range has in the leaf and no
 * others, and only from addresses where a block can be.
 */
final class SortedMapAheadTest {

  private static final int CAPACITY = 1 << 20;

  /** One leaf. */
  private static final int KEYS = TreeLayout.MAX_KEYS;

  /** An entry has pages of its own. */
  private static final int VALUE_BYTES = 20_000;

  private static final long[] HOSTILE = {
    -1L, Long.MIN_VALUE, Long.MAX_VALUE, -16, 0, 16, CAPACITY - 8, CAPACITY, 1L << 45, 12_345_677
  };

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(CAPACITY).withPartitions(2).withOrecs(1 << 12);

  private final UnavailableMemory region = new UnavailableMemory(Regions.anonymous(CAPACITY));
  private final Store store = TestStores.inMemory(OPTIONS, region);
  private final PersistentSortedMap<Long, byte[]> map =
      store.sortedMap("map", Codec.int64(), Codec.bytes());

  @AfterEach
  void close() {
    region.giveBack();
    store.close();
  }

  private void fill(int keys, int valueBytes) {
    store.run(
        tx -> {
          for (long key = 0; key < keys; key++) {
            map.put(tx, key, new byte[valueBytes]);
          }
        });
  }

  /** Returns the address of the word that leads to the entry of a key in the first leaf. */
  private long slot(long key) {
    return store.read(
        tx -> {
          Words words = TxHandle.of(tx).words();
          long leaf = firstLeaf(tx);
          long order = words.getUnchecked(leaf + TreeLayout.ORDER_OFFSET);
          return leaf
              + TreeLayout.VALUES_OFFSET
              + (long) TreeLayout.slot(order, (int) key) * Long.BYTES;
        });
  }

  private long tree(Tx tx) {
    return Objects.requireNonNull(TestStores.catalogue(store).find(tx, "map")).address();
  }

  private long firstLeaf(Tx tx) {
    Words words = TxHandle.of(tx).words();
    long tree = tree(tx);
    long node = words.getUnchecked(tree + TreeLayout.ROOT_OFFSET);
    for (long n = words.getUnchecked(tree + TreeLayout.HEIGHT_OFFSET); n > 0; n--) {
      node = words.getUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET);
    }
    return node;
  }

  private long read(long address) {
    return store.read(tx -> TxHandle.of(tx).words().getUnchecked(address));
  }

  private void write(long address, long value) {
    store.run(tx -> TxHandle.of(tx).words().putUnchecked(address, value));
  }

  private interface Keys {
    Stream<Long> of(Tx tx);
  }

  private List<Long> keys(Keys keys) {
    return store.read(tx -> keys.of(tx).toList());
  }

  private List<Long> scanned(Tx tx, Long from, @Nullable Long to, List<Long> keys) {
    map.scan(tx, from, to, (key, _) -> keys.add(key));
    return keys;
  }

  private static List<Long> upTo(long end) {
    return LongStream.range(0, end).boxed().toList();
  }

  @Test
  void nothingBehindTheEndOfARangeIsTouched() {
    fill(KEYS, VALUE_BYTES);
    for (long n = 1; n < KEYS; n++) {
      long end = n;
      region.takeAway(read(slot(end)));
      assertThat(keys(tx -> scanned(tx, 0L, end, new ArrayList<>()).stream())).isEqualTo(upTo(end));
      assertThat(keys(tx -> map.range(tx, Range.between(0L, end)).map(e -> e.getKey())))
          .isEqualTo(upTo(end));
      assertThat(keys(tx -> map.asMap(tx).tailMap(end, false).descendingMap().keySet().stream()))
          .isEqualTo(LongStream.range(end + 1, KEYS).boxed().toList().reversed());
      region.giveBack();
    }
  }

  @Test
  void oneElementIsLoadedAlone() {
    fill(KEYS, VALUE_BYTES);
    for (long key = 1; key < KEYS - 1; key++) {
      long one = key;
      for (long neighbour : new long[] {one - 1, one + 1}) {
        region.takeAway(read(slot(neighbour)));
        store.read(tx -> Objects.requireNonNull(map.floor(tx, one)).getKey().equals(one));
        store.read(tx -> Objects.requireNonNull(map.ceiling(tx, one)).getKey().equals(one));
        region.giveBack();
      }
    }
  }

  @Test
  void anEntryWithoutAPossibleAddressIsReportedWhereItIsReached() {
    fill(KEYS, 100);
    for (long key : new long[] {0, 1, 6, KEYS - 1}) {
      long slot = slot(key);
      long held = read(slot);
      for (long hostile : HOSTILE) {
        write(slot, hostile);
        List<Long> met = new ArrayList<>();
        assertThatThrownBy(() -> store.read(tx -> scanned(tx, 0L, null, clear(met))))
            .isInstanceOf(CorruptStoreException.class);
        assertThat(met).isEqualTo(upTo(key));
        assertThatThrownBy(
                () ->
                    store.read(
                        tx ->
                            take(
                                map.range(tx, Range.reversed(Range.all())).iterator(), clear(met))))
            .isInstanceOf(CorruptStoreException.class);
        assertThat(met).isEqualTo(LongStream.range(key + 1, KEYS).boxed().toList().reversed());
      }
      write(slot, held);
    }
    assertThat(keys(tx -> map.keys(tx))).isEqualTo(upTo(KEYS));
  }

  private static List<Long> clear(List<Long> keys) {
    keys.clear();
    return keys;
  }

  private static List<Long> take(
      Iterator<? extends java.util.Map.Entry<Long, ?>> all, List<Long> to) {
    while (all.hasNext()) {
      to.add(all.next().getKey());
    }
    return to;
  }

  @Test
  void aNeighbourWithoutAPossibleAddressIsReportedWhereItIsReached() {
    fill(3 * KEYS, 100);
    long next = store.read(tx -> firstLeaf(tx) + TreeLayout.NEXT_OFFSET);
    for (long hostile : HOSTILE) {
      if (hostile != 0) { // the last leaf has that
        write(next, hostile);
        assertThat(
                keys(tx -> map.range(tx, Range.between(0L, (long) KEYS - 1)).map(e -> e.getKey())))
            .isEqualTo(upTo(KEYS - 1));
        List<Long> met = new ArrayList<>();
        assertThatThrownBy(() -> store.read(tx -> scanned(tx, 0L, null, clear(met))))
            .isInstanceOf(CorruptStoreException.class);
        assertThat(met).isEqualTo(upTo(KEYS));
      }
    }
  }

  /** A leaf would have room there, an inner node would not. */
  @Test
  void aNodeThatWouldEndOutsideIsReported() {
    fill(2 * KEYS * KEYS, 8);
    long root =
        store.read(
            tx -> {
              Words words = TxHandle.of(tx).words();
              assertThat(words.getUnchecked(tree(tx) + TreeLayout.HEIGHT_OFFSET)).isEqualTo(2);
              return words.getUnchecked(tree(tx) + TreeLayout.ROOT_OFFSET);
            });
    write(root + TreeLayout.FIRST_CHILD_OFFSET, CAPACITY - (TreeLayout.LEAF_LENGTH + 8));
    assertThatThrownBy(() -> store.read(tx -> map.get(tx, 0L) == null))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> store.run(tx -> map.put(tx, 0L, new byte[8])))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> store.call(tx -> map.remove(tx, 0L)))
        .isInstanceOf(CorruptStoreException.class);
  }
}
