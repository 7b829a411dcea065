package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys that were chosen to collide do not, since nobody knows the secret of a table's hash. */
final class HashFloodingTest {

  private static final WordOptions OPTIONS =
      WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 14).withPartitions(2);
  private static final int BITS = 12;

  /**
   * Returns one of 2<sup>12</sup> keys that had the same hash in the tables of former builds,
   * whatever their seed: flipping bit 63 of a word flipped bits 63 and 31 of the state, and
   * flipping those of the next word took that back.
   */
  private static byte[] key(int number) {
    ByteBuffer key = ByteBuffer.allocate(16 * BITS).order(ByteOrder.LITTLE_ENDIAN);
    for (int bit = 0; bit < BITS; bit++) {
      boolean flips = (number >>> bit & 1) != 0;
      key.putLong(flips ? 1L << 63 : 0).putLong(flips ? 1L << 63 | 1L << 31 : 0);
    }
    return key.array();
  }

  private static long formerHash(long seed, byte[] key) {
    ByteBuffer words = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    long hash = seed + key.length;
    while (words.hasRemaining()) {
      hash = (hash ^ words.getLong()) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash;
  }

  @Test
  void keysThatCollidedWhateverTheSeedSpreadOverTheTable() {
    try (WordStore store = WordStore.inMemory(OPTIONS)) {
      PersistentMap<byte[], Long> map = store.map("map", Codec.bytes(), Codec.int64());
      Set<Long> former = new HashSet<>();
      for (int i = 0; i < 1 << BITS; i++) {
        byte[] key = key(i);
        long value = i;
        former.add(formerHash(4711, key));
        store.run(tx -> map.put(tx, key, value));
      }
      assertThat(former).as("hashes of former builds").hasSize(1);
      int longest = store.read(tx -> longestChain(tx, map.address()));
      assertThat(longest).as("buckets that a look-up goes through").isLessThan(6);
      for (int i = 0; i < 1 << BITS; i += 97) {
        byte[] key = key(i);
        long found = store.call(tx -> map.getOrDefault(tx, key, -1L));
        assertThat(found).isEqualTo(i);
      }
    }
  }

  /** Returns how many buckets the longest chain has: what a look-up reads at most. */
  private static int longestChain(Tx tx, long address) {
    Words words = TxHandle.of(tx).words();
    HashTable table = Blocks.table(words, address, Codec.VARIABLE, Long.BYTES);
    int longest = 0;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      for (long bucket = 0; bucket < table.buckets().buckets(words, stripe); bucket++) {
        int chain = 0;
        long at = table.buckets().bucketAddress(words, stripe, bucket);
        while (at != 0) {
          chain++;
          at = table.buckets().nextBucket(words, tx.getLong(at + HashTableLayout.OVERFLOW_OFFSET));
        }
        longest = Math.max(longest, chain);
      }
    }
    return longest;
  }

  private static long hashKey(WordStore store, String name, int half) {
    long address = store.map(name, Codec.int64(), Codec.int64()).address();
    return store.read(
        tx -> tx.getLong(address + HashTableLayout.HASH_KEY_OFFSET + (long) half * Long.BYTES));
  }

  @Test
  void everyTableHasASecretOfItsOwn() {
    Set<Long> secrets = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      try (WordStore store = WordStore.inMemory(OPTIONS)) {
        for (String name : new String[] {"one", "two"}) {
          secrets.add(hashKey(store, name, 0));
          secrets.add(hashKey(store, name, 1));
        }
        store.drop("one");
        secrets.add(hashKey(store, "one", 0));
      }
    }
    assertThat(secrets).hasSize(3 * 5).doesNotContain(0L);
  }

  @Test
  void theSecretsOfASimulatedRunAreRepeated() {
    SimulatedExecution one = SimulatedExecution.with(Schedule.roundRobin(1));
    SimulatedExecution other = SimulatedExecution.with(Schedule.roundRobin(1));
    for (int i = 0; i < 3; i++) {
      assertThat(one.randomLong()).isEqualTo(other.randomLong());
    }
  }

  @Test
  void aTableOfAFormerBuildIsListedAndDroppedButNotOpened() {
    try (WordStore store = WordStore.inMemory(OPTIONS)) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      store.run(tx -> map.put(tx, 1L, 1L));
      store.run(tx -> tx.putLong(map.address(), HashTableLayout.FORMER_MAGIC));
      assertThatThrownBy(() -> store.map("map", Codec.int64(), Codec.int64()))
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining("\"map\"")
          .hasMessageContaining("former build");
      assertThat(store.read(store::collections)).containsKey("map");
      assertThat(store.drop("map")).isTrue();
      Blocks.assertNothingLeaks(store);
    }
  }
}
