package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableBuckets;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
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
}
