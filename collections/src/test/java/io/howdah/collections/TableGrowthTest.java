package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.stm.TxHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/** A hash table that grows while others put into it and look things up. */
final class TableGrowthTest {

  private static final int WRITERS = 3;
  private static final int ENTRIES = 12_000;
  private static final long SMALL_BYTES = 1 << 22;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private static long key(int writer, long number) {
    return (number * WRITERS + writer) * MULTIPLIER;
  }

  @Test
  void whatWasPutIsFoundWhileTheTableGrows() throws Exception {
    try (WordStore store =
            WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 25).withOrecs(1 << 16));
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 2)) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      AtomicLongArray done = new AtomicLongArray(WRITERS);
      List<Future<?>> running = new ArrayList<>();
      for (int w = 0; w < WRITERS; w++) {
        int writer = w;
        running.add(threads.submit(() -> fill(store, map, writer, done)));
      }
      for (int r = 0; r < 2; r++) {
        boolean isLong = r == 0;
        running.add(threads.submit(() -> lookUp(store, map, done, isLong)));
      }
      for (Future<?> each : running) {
        each.get();
      }
      long size = store.read(map::size);
      long distinct = store.read(tx -> map.keys(tx).distinct().count());
      assertThat(size).isEqualTo((long) WRITERS * ENTRIES);
      assertThat(distinct).isEqualTo(size);
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void fill(
      WordStore store, PersistentMap<Long, Long> map, int writer, AtomicLongArray done) {
    for (int at = 0; at < ENTRIES; at += 20) {
      int first = at;
      store.run(
          tx -> {
            for (int i = first; i < first + 20; i++) {
              map.put(tx, key(writer, i), (long) i);
            }
          });
      done.set(writer, first + 20L);
    }
  }

  private static void lookUp(
      WordStore store, PersistentMap<Long, Long> map, AtomicLongArray done, boolean isLong) {
    long found = 0;
    while (found < (long) WRITERS * ENTRIES) {
      found = 0;
      for (int w = 0; w < WRITERS; w++) {
        int writer = w;
        long count = done.get(w);
        long step = isLong ? 1 : Math.max(1, count / 50);
        store.read(
            tx -> {
              for (long i = 0; i < count; i += step) {
                assertThat(map.get(tx, key(writer, i))).isEqualTo(i);
              }
              return 0;
            });
        found += count;
      }
    }
  }

  @Test
  void oneTransactionFillsATableWithoutLongChains() {
    try (WordStore store = WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 25))) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      store.run(
          tx -> {
            for (int i = 0; i < 20_000; i++) {
              map.put(tx, key(0, i), (long) i);
            }
          });
      // Entries, and in proportion few blocks beside them: each continues a bucket.
      assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(20_000);
      int blocks = store.read(tx -> Blocks.of(store, tx).size());
      assertThat(blocks - 20_000).isLessThan(20_000 / 10);
    }
  }

  @Test
  void aTableThatWasDroppedBeforeItGrewIsLeftAlone() {
    try (WordStore store = WordStore.inMemory(WordOptions.defaults().withMaxSize(SMALL_BYTES))) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      store.run(
          tx -> {
            for (int i = 0; i < 100; i++) {
              map.put(tx, key(0, i), (long) i);
            }
          });
      long table = map.address();
      HashTable dropped =
          store.read(tx -> Blocks.table(TxHandle.of(tx).words(), table, Long.BYTES, Long.BYTES));
      store.drop("map");
      long block = 0;
      for (long i = 0; block != table; i++) {
        // Whoever fills the region comes upon every slab, whichever arena it belongs to.
        assertThat(i * HashTableLayout.LENGTH).as("bytes allocated").isLessThan(SMALL_BYTES);
        block = store.call(tx -> tx.allocate(HashTableLayout.LENGTH));
      }
      // Somebody else's words, which look like many entries in few buckets.
      long entries = table + HashTableLayout.STRIPES_OFFSET + HashTableLayout.ENTRIES_OFFSET;
      store.run(tx -> tx.putLong(entries, 1000));
      store.run(
          tx -> {
            TxHandle.of(tx).words().afterCommit(dropped);
            tx.putLong(entries, 1000);
          });
      for (long at = table; at < table + HashTableLayout.LENGTH; at += Long.BYTES) {
        long address = at;
        long word = store.read(tx -> tx.getLong(address));
        assertThat(word).isEqualTo(at == entries ? 1000 : 0);
      }
    }
  }

  /**
   * What a longer chain of buckets costs is no reason to refuse entries for which there is room.
   */
  @Test
  void aTransactionFitsInThoughThereIsNoRoomToSplitBuckets() {
    int entries = 5500;
    try (WordStore store = WordStore.inMemory(WordOptions.defaults().withMaxSize(SMALL_BYTES))) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      List<Long> spare = new ArrayList<>();
      store.run(
          tx -> {
            for (int i = 0; i < entries + entries / 4; i++) {
              spare.add(tx.allocate(2 * Long.BYTES));
            }
            for (int i = 0; i < entries / 3; i++) {
              spare.add(tx.allocate(HashTableLayout.BUCKET_BYTES));
            }
          });
      for (long bytes = 1 << 20; bytes > HashTableLayout.BUCKET_BYTES; bytes /= 2) {
        fill(store, bytes);
      }
      store.run(
          tx -> {
            for (int i = 0; i < spare.size(); i++) {
              if (i % 20 != 0) { // or a slab that is empty would make room for other blocks
                tx.free(spare.get(i));
              }
            }
          });
      store.run(
          tx -> {
            for (int i = 0; i < entries; i++) {
              map.put(tx, key(0, i), (long) i);
            }
          });
      assertThat(store.read(map::size)).isEqualTo(entries);
      for (long i = 0; i < entries; i += 50) {
        long number = i;
        store.run(tx -> assertThat(map.get(tx, key(0, number))).isEqualTo(number));
      }
    }
  }

  /** Allocates blocks until no more fit. */
  private static void fill(WordStore store, long bytes) {
    while (true) {
      try {
        store.call(tx -> tx.allocate(bytes));
      } catch (RegionFullException e) {
        return;
      }
    }
  }
}
