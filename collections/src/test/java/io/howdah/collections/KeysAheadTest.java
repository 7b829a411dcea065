package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableBuckets;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Operations on many keys load buckets, nodes and entries in advance, only from addresses where
 * they can be. Anything else is reported by the operation on the key that leads there.
 */
final class KeysAheadTest {

  private static final int CAPACITY = 1 << 25;
  private static final int KEYS = 12_000;

  /** Where no block can be: behind the region, before its blocks, between two blocks. */
  private static final long[] HOSTILE = {
    -1L, Long.MIN_VALUE, -16, 0, 16, 1L << 40, (1L << 45) + 64, 12_345_677
  };

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(CAPACITY).withPartitions(2).withOrecs(1 << 12));

  @AfterEach
  void close() {
    store.close();
  }

  /** Fills a map in descending order, so that a sorted map becomes high. */
  private <M extends KeyedCollection<Long, String>> M filled(M map) {
    for (long at = KEYS; at > 0; at -= 100) {
      long from = at;
      store.run(
          tx -> {
            for (long key = from - 1; key >= from - 100; key--) {
              map.put(tx, key, value(key));
            }
          });
    }
    return map;
  }

  private static String value(long key) {
    return "the value of the key " + key;
  }

  private long read(ToLongFunction<Words> words) {
    return store.<Long, RuntimeException>read(tx -> words.applyAsLong(TxHandle.of(tx).words()));
  }

  private void write(long address, long value) {
    store.run(tx -> TxHandle.of(tx).words().putUnchecked(address, value));
  }

  private static List<Long> keys(long... also) {
    List<Long> keys = new ArrayList<>();
    for (long key = 7; key < 7 + 11; key++) {
      keys.add(key * 577);
    }
    for (long key : also) {
      keys.add(key);
    }
    return keys;
  }

  private static Map<Long, String> entries(List<Long> keys) {
    Map<Long, String> entries = new HashMap<>();
    keys.forEach(key -> entries.put(key, value(key)));
    return entries;
  }

  private void assertDamaged(KeyedCollection<Long, String> map, List<Long> keys) {
    assertThatThrownBy(() -> store.read(tx -> map.getAll(tx, keys)))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> store.run(tx -> map.putAll(tx, entries(keys))))
        .isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> store.call(tx -> map.removeAll(tx, keys)))
        .isInstanceOf(CorruptStoreException.class);
  }

  private void assertSound(KeyedCollection<Long, String> map, List<Long> keys) {
    Map<Long, String> found = store.read(tx -> map.getAll(tx, keys));
    assertThat(found).isEqualTo(entries(keys));
    store.run(tx -> map.putAll(tx, entries(keys)));
  }

  /** Damages a word in each way, and returns it to what it was. */
  private void damaged(KeyedCollection<Long, String> map, long word, long mask, long key) {
    long held = read(words -> words.getUnchecked(word));
    for (long hostile : HOSTILE) {
      write(word, (held & ~mask) | (hostile & mask));
      assertDamaged(map, keys(key));
    }
    write(word, held);
    assertSound(map, keys(key));
  }

  // ---- Hash maps.

  private HashTable table(PersistentMap<Long, String> map) {
    long address = map.address();
    return store.read(
        tx -> Blocks.table(TxHandle.of(tx).words(), address, Long.BYTES, Codec.VARIABLE));
  }

  /** Returns the address of the slot of a key, or 0 if it is in an overflow bucket. */
  private long slot(PersistentMap<Long, String> map, long key) {
    HashTable table = table(map);
    HashTableBuckets buckets = table.buckets();
    return read(
        words -> {
          Codec.int64().encode(key, table.beginImage(words));
          long entry = table.find(words, table.endKey(words));
          for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
            for (long bucket = 0; bucket < buckets.buckets(words, stripe); bucket++) {
              long at = buckets.bucketAddress(words, stripe, bucket);
              for (int i = 0; i < HashTableLayout.SLOTS; i++) {
                long slot = at + (long) i * Long.BYTES;
                if (HashTableLayout.address(words.getUnchecked(slot)) == entry) {
                  return slot;
                }
              }
            }
          }
          return 0;
        });
  }

  @Test
  void aSlotOfAHashTableMayLeadAnywhere() {
    PersistentMap<Long, String> map = filled(store.map("map", Codec.int64(), Codec.utf8()));
    long key = 1;
    while (slot(map, key) == 0) {
      key++;
    }
    damaged(map, slot(map, key), (1L << HashTableLayout.TAG_SHIFT) - 1, key);
  }

  @Test
  void aSegmentOfAHashTableMayBeAnywhere() {
    PersistentMap<Long, String> map = filled(store.map("map", Codec.int64(), Codec.utf8()));
    List<Long> held = new ArrayList<>();
    for (int i = 0; i < HashTableLayout.SEGMENTS; i++) {
      long at = map.address() + HashTableLayout.SEGMENTS_OFFSET + (long) i * Long.BYTES;
      held.add(read(words -> words.getUnchecked(at)));
    }
    for (long hostile : new long[] {-64, 64, 1L << 40, 1L << 62, 12_345_677}) {
      for (int i = 0; i < HashTableLayout.SEGMENTS; i++) {
        write(map.address() + HashTableLayout.SEGMENTS_OFFSET + (long) i * Long.BYTES, hostile);
      }
      assertThatThrownBy(() -> store.read(tx -> map.getAll(tx, keys())))
          .isInstanceOf(CorruptStoreException.class);
    }
    for (int i = 0; i < HashTableLayout.SEGMENTS; i++) {
      write(map.address() + HashTableLayout.SEGMENTS_OFFSET + (long) i * Long.BYTES, held.get(i));
    }
    assertSound(map, keys());
  }

  @Test
  void theNumberOfBucketsMayBeAny() {
    PersistentMap<Long, String> map = filled(store.map("map", Codec.int64(), Codec.utf8()));
    for (long hostile : new long[] {-1, Long.MIN_VALUE, HashTableLayout.MAX_BUCKETS + 1}) {
      for (int stripe = 1; stripe < HashTableLayout.STRIPES; stripe++) {
        write(map.address() + HashTableLayout.stripeOffset(stripe), hostile);
      }
      assertThatThrownBy(() -> store.read(tx -> map.getAll(tx, keys())))
          .isInstanceOf(CorruptStoreException.class);
    }
  }

  // ---- Sorted maps.

  private PersistentSortedMap<Long, String> sorted() {
    PersistentSortedMap<Long, String> map =
        filled(store.sortedMap("map", Codec.int64(), Codec.utf8()));
    assertThat(read(words -> words.getUnchecked(map.address() + TreeLayout.HEIGHT_OFFSET)))
        .as("high enough for nodes to be loaded in advance")
        .isGreaterThanOrEqualTo(4);
    return map;
  }

  /** Returns the leftmost node of a level. */
  private long leftmost(PersistentSortedMap<Long, String> map, long level) {
    return read(
        words -> {
          long node = words.getUnchecked(map.address() + TreeLayout.ROOT_OFFSET);
          long height = words.getUnchecked(map.address() + TreeLayout.HEIGHT_OFFSET);
          for (long n = height; n > level; n--) {
            node = words.getUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET);
          }
          return node;
        });
  }

  @Test
  void anyNodeOfATreeMayBeAnywhere() {
    PersistentSortedMap<Long, String> map = sorted();
    long height = read(c -> c.getUnchecked(map.address() + TreeLayout.HEIGHT_OFFSET));
    damaged(map, map.address() + TreeLayout.ROOT_OFFSET, -1L, 0);
    for (long level = height; level > 0; level--) {
      damaged(map, leftmost(map, level) + TreeLayout.FIRST_CHILD_OFFSET, -1L, 0);
    }
  }

  @Test
  void anEntryOfATreeMayBeAnywhere() {
    PersistentSortedMap<Long, String> map = sorted();
    long leaf = leftmost(map, 0);
    long order = read(words -> words.getUnchecked(leaf + TreeLayout.ORDER_OFFSET));
    long word = leaf + TreeLayout.VALUES_OFFSET + (long) TreeLayout.slot(order, 0) * Long.BYTES;
    long held = read(words -> words.getUnchecked(word));
    for (long hostile : HOSTILE) {
      write(word, hostile);
      assertThatThrownBy(() -> store.read(tx -> map.getAll(tx, keys(0))))
          .isInstanceOf(CorruptStoreException.class);
      assertSound(map, keys());
    }
    write(word, held);
    assertSound(map, keys(0));
  }

  @Test
  void anyOrderOfANodeLeadsToWordsOfTheRegion() {
    PersistentSortedMap<Long, String> map = sorted();
    long height = read(c -> c.getUnchecked(map.address() + TreeLayout.HEIGHT_OFFSET));
    for (long level = height; level >= 0; level--) {
      long node = leftmost(map, level);
      long held = read(words -> words.getUnchecked(node));
      for (long order : new long[] {-1L, 0, 15, 0xF1, Long.MIN_VALUE}) {
        write(node, order);
        try {
          Map<Long, String> _ = store.read(tx -> map.getAll(tx, keys(0)));
        } catch (CorruptStoreException e) {
          assertThat(e).hasMessageContaining("damaged");
        }
      }
      write(node, held);
    }
    assertSound(map, keys(0));
  }

  @Test
  void theHeightOfATreeMayBeAny() {
    PersistentSortedMap<Long, String> map = sorted();
    for (long hostile : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, TreeLayout.MAX_HEIGHT}) {
      write(map.address() + TreeLayout.HEIGHT_OFFSET, hostile);
      assertThatThrownBy(() -> store.read(tx -> map.getAll(tx, keys(0))))
          .isInstanceOf(CorruptStoreException.class);
    }
  }

  /** The words of such keys are equal, so that their blocks are compared. */
  @Test
  void theBlockOfALongKeyMayBeAnywhere() {
    PersistentSortedMap<String, String> map =
        store.sortedMap("map", Codecs.ordered(String.class), Codec.utf8());
    List<String> keys =
        LongStream.range(0, KEYS).mapToObj("a key with number %06d"::formatted).toList();
    for (int at = KEYS; at > 0; at -= 100) {
      int from = at;
      store.run(
          tx -> {
            for (int i = from - 1; i >= from - 100; i--) {
              map.put(tx, keys.get(i), "value");
            }
          });
    }
    List<String> some = keys.subList(0, 40);
    long root = read(c -> c.getUnchecked(map.address() + TreeLayout.ROOT_OFFSET));
    Map<String, String> found = store.read(tx -> map.getAll(tx, some));
    assertThat(found.keySet()).containsExactlyElementsOf(some);
    for (long hostile : HOSTILE) {
      for (int slot = 0; slot < TreeLayout.MAX_KEYS; slot++) {
        write(root + TreeLayout.LONG_KEYS_OFFSET + (long) slot * Long.BYTES, hostile);
      }
      assertThatThrownBy(() -> store.read(tx -> map.getAll(tx, some)))
          .isInstanceOf(CorruptStoreException.class);
    }
  }
}
