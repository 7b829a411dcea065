package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreInspection;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.eviction.FrequencySketch;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.Durability;
import io.howdah.txn.stm.Blocks;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a cache has after its store was opened again, and in a store that imported it. */
final class CacheRestartTest {

  private static final int MAX_ENTRIES = 400;
  private static final int HOT = 200;

  @TempDir private Path directory;

  private Store open(String name) {
    return Store.open(
        directory.resolve(name), StoreOptions.defaults().withDefaultDurability(Durability.ASYNC));
  }

  private static PersistentCache<Long, String> open(Store store) {
    return store.cache("cache", Codec.int64(), Codec.utf8(), CacheOptions.ofEntries(MAX_ENTRIES));
  }

  private static void use(PersistentCache<Long, String> cache, long from, long to) {
    LongStream.range(from, to)
        .forEach(
            key -> {
              if (cache.get(key) == null) {
                cache.put(key, "value " + key);
              }
            });
  }

  private static long hot(PersistentCache<Long, String> cache) {
    return LongStream.range(0, HOT).filter(cache::containsKey).count();
  }

  @Test
  void whatIsInTheCacheIsThereAfterARestart() {
    try (Store store = open("store")) {
      use(open(store), 0, 2L * MAX_ENTRIES);
      assertThat(open(store).statistics().evictions()).isEqualTo(MAX_ENTRIES);
    }
    try (Store store = open("store")) {
      PersistentCache<Long, String> cache = open(store);
      assertThat(store.<Long, RuntimeException>read(cache::size)).isEqualTo(MAX_ENTRIES);
      long found =
          LongStream.range(0, 2L * MAX_ENTRIES).filter(key -> cache.get(key) != null).count();
      assertThat(found).isEqualTo(MAX_ENTRIES);
      assertThat(cache.statistics())
          .isEqualTo(new CacheStatistics(MAX_ENTRIES, MAX_ENTRIES, 0, 0, 0, 0));
      Blocks.assertNothingLeaks(store);
    }
  }

  /** Without them, entries that were used often go like any others. */
  @Test
  void howOftenKeysWereUsedIsKnownAfterARestart() {
    try (Store store = open("store")) {
      PersistentCache<Long, String> cache = open(store);
      for (int round = 0; round < 10; round++) {
        use(cache, 0, HOT);
      }
      use(cache, 10_000, 10_000 + 3L * MAX_ENTRIES);
      assertThat(hot(cache)).isGreaterThanOrEqualTo(HOT - 10);
    }
    try (Store store = open("store")) {
      PersistentCache<Long, String> cache = open(store);
      use(cache, 20_000, 20_000 + 2L * MAX_ENTRIES);
      assertThat(hot(cache)).as("victims are sampled").isGreaterThanOrEqualTo(HOT * 3 / 4);
    }
  }

  /** The opening reads none of the saved frequencies, and each of the first evictions a chunk. */
  @Test
  void theFirstEvictionsReadWhatWasSaved() {
    int entries = 2 * HashTableLayout.SKETCH_CHUNK_WORDS;
    CacheOptions options = CacheOptions.ofEntries(entries);
    try (Store store = open("store")) {
      use(store.cache("cache", Codec.int64(), Codec.utf8(), options), 0, 2L * entries);
    }
    try (Store store = open("store")) {
      PersistentCache<Long, String> cache =
          store.cache("cache", Codec.int64(), Codec.utf8(), options);
      FrequencySketch sketch = cache.map().eviction().policy().sketch();
      assertThat(sketch.words()).isEqualTo(entries);
      for (int chunk = 0; chunk <= 2; chunk++) {
        assertThat(knownBlocks(sketch, 0) > 100).isEqualTo(chunk > 0);
        assertThat(knownBlocks(sketch, 1) > 100).isEqualTo(chunk > 1);
        cache.put(-1L - chunk, "evicts another");
      }
    }
  }

  /** Counts the blocks of a chunk that have counters. */
  private static long knownBlocks(FrequencySketch sketch, int chunk) {
    long known = 0;
    long[] words = new long[FrequencySketch.BLOCK_WORDS];
    for (int i = 0; i < HashTableLayout.SKETCH_CHUNK_WORDS; i += words.length) {
      sketch.copyBlock(chunk * HashTableLayout.SKETCH_CHUNK_WORDS + i, words);
      known += LongStream.of(words).anyMatch(word -> word != 0) ? 1 : 0;
    }
    return known;
  }

  @Test
  void anInspectionShowsTheBoundAndChecksTheAccount() {
    long table;
    try (Store store = open("store")) {
      PersistentCache<Long, String> cache = open(store);
      use(cache, 0, 2L * MAX_ENTRIES);
      StoreInspection.CacheBound bound =
          store.admin().inspect().collections().getFirst().cache().orElseThrow();
      assertThat(bound.maxEntries()).isEqualTo(MAX_ENTRIES);
      assertThat(bound.maxBytes()).isEqualTo(Long.MAX_VALUE);
      assertThat(bound.evictions()).isEqualTo(MAX_ENTRIES);
      assertThat(bound.usedBytes()).isEqualTo(store.<Long, RuntimeException>read(cache::bytes));
      table = cache.map().address();
    }
    for (int word :
        new int[] {
          HashTableLayout.MAX_BYTES_OFFSET,
          HashTableLayout.MAX_ENTRIES_OFFSET,
          HashTableLayout.FREE_BYTES_OFFSET,
          HashTableLayout.FREE_ENTRIES_OFFSET,
          (int) HashTableLayout.stripeOffset(7) + HashTableLayout.STRIPE_FREE_BYTES_OFFSET,
          (int) HashTableLayout.stripeOffset(9) + HashTableLayout.ENTRIES_OFFSET
        }) {
      try (Store store = open("store")) {
        store.run(tx -> tx.putLong(table + word, tx.getLong(table + word) - 16));
        assertThatThrownBy(() -> store.admin().inspect())
            .as("word %d", word)
            .isInstanceOf(CorruptStoreException.class)
            .hasMessageContaining("the cache at address " + table);
        store.run(tx -> tx.putLong(table + word, tx.getLong(table + word) + 16));
        assertThat(store.admin().inspect().collections()).hasSize(1);
      }
    }
  }

  @Test
  void aCacheIsImportedWithItsBound() {
    try (Store store = open("store");
        Store copy = open("copy")) {
      use(open(store), 0, 2L * MAX_ENTRIES);
      var _ = store.admin().export(directory.resolve("export"));
      var _ = copy.admin().importFrom(directory.resolve("export"));
      PersistentCache<Long, String> cache = open(copy);
      assertThat(copy.<Long, RuntimeException>read(cache::size)).isEqualTo(MAX_ENTRIES);
      assertThat(copy.<Long, RuntimeException>read(cache::bytes))
          .isEqualTo(store.<Long, RuntimeException>read(open(store)::bytes));
      use(cache, 5000, 6000);
      assertThat(copy.<Long, RuntimeException>read(cache::size)).isEqualTo(MAX_ENTRIES);
      Blocks.assertNothingLeaks(copy);
    }
  }
}
