package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.testkit.SettableClock;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A cache held to a plain Java model in random transactions, some of which roll back or abort,
 * while entries expire and the bound changes. The model learns from the cache which entries were
 * evicted, and counts them. What the cache has must be in the model, within the bound at each step,
 * and what the account says must be what the entries weigh.
 */
final class CacheModelTest {

  private static final int KEYS = 400;
  private static final int TRANSACTIONS = 300;
  private static final Duration TTL = Duration.ofMillis(200);
  private static final int BUCKET_SHARE = 16;

  private final SettableClock clock = new SettableClock();
  private Map<Long, String> model = new HashMap<>();
  private long evicted;
  private long maxBytes = 12_000;
  private long maxEntries = 100;

  @ParameterizedTest
  @CsvSource({"1,false", "2,false", "3,true", "4,true"})
  void theCacheIsWithinItsBoundAndLikeItsModel(long seed, boolean expires) {
    SplittableRandom random = new SplittableRandom(seed);
    try (WordStore store =
        WordStore.inMemory(
            WordOptions.defaults()
                .withMaxSize(1 << 22)
                .withOrecs(1 << 10)
                .withPartitions(2)
                .withExecution(new NoReclaiming())
                .withClock(clock))) {
      PersistentCache<Long, String> cache = open(store, expires);
      for (int n = 0; n < TRANSACTIONS; n++) {
        if (expires) {
          clock.move(random.nextInt(8));
        }
        transaction(store, cache, random, expires);
        if (random.nextInt(20) == 0) {
          maxBytes = 5000L + random.nextInt(20_000);
          maxEntries = 30L + random.nextInt(150);
          PersistentCache<Long, String> changed = open(store, expires);
          store.run(tx -> learn(changed, tx));
          cache = changed;
        }
        if (expires && random.nextInt(10) == 0) {
          long _ = cache.map().expiry().reclaim();
        }
        PersistentCache<Long, String> now = cache;
        store.run(tx -> assertSame(now, tx, expires));
      }
      assertThat(cache.statistics().evictions()).isPositive();
      if (!expires) {
        assertThat(cache.statistics().evictions()).isEqualTo(evicted);
      }
      Blocks.assertNothingLeaks(store);
    }
  }

  private PersistentCache<Long, String> open(WordStore store, boolean expires) {
    CacheOptions options = CacheOptions.ofBytes(maxBytes).withMaxEntries(maxEntries);
    return store.cache(
        "cache",
        Codec.int64(),
        Codec.utf8(),
        expires ? options.withExpireAfterWrite(TTL) : options);
  }

  private void transaction(
      WordStore store,
      PersistentCache<Long, String> cache,
      SplittableRandom random,
      boolean expires) {
    Map<Long, String> before = model;
    long evictedBefore = evicted;
    SplittableRandom once = random.split();
    try {
      store.run(
          tx -> {
            SplittableRandom own = once.split();
            model = new HashMap<>(before);
            evicted = evictedBefore;
            if (expires) {
              learn(cache, tx);
            }
            steps(cache, tx, own);
            assertSame(cache, tx, expires);
            Map<Long, String> kept = new HashMap<>(model);
            long evictedThen = evicted;
            Savepoint savepoint = tx.savepoint();
            steps(cache, tx, own);
            if (own.nextInt(3) == 0) {
              tx.rollBack(savepoint);
              model = kept;
              evicted = evictedThen;
            }
            assertSame(cache, tx, expires);
            if (own.nextInt(6) == 0) {
              throw tx.abort();
            }
          });
    } catch (TransactionAbortedException e) {
      model = before;
      evicted = evictedBefore;
    }
  }

  private void steps(PersistentCache<Long, String> cache, Tx tx, SplittableRandom random) {
    for (int i = random.nextInt(30); i > 0; i--) {
      long key = random.nextInt(1 + random.nextInt(KEYS));
      switch (random.nextInt(8)) {
        case 0 -> assertThat(cache.remove(tx, key)).isEqualTo(model.remove(key) != null);
        case 1, 2 -> {
          String found = cache.get(tx, key);
          assertThat(found).isEqualTo(found == null ? null : model.get(key));
        }
        default -> {
          String value = "x".repeat(random.nextInt(1 + random.nextInt(300))) + i;
          cache.put(tx, key, value);
          model.put(key, value);
          assertThat(cache.get(tx, key)).isEqualTo(value);
          learn(cache, tx);
        }
      }
    }
  }

  /** Takes from the model what the cache no longer has. */
  private void learn(PersistentCache<Long, String> cache, Tx tx) {
    Set<Long> there = cache.entries(tx).map(Map.Entry::getKey).collect(Collectors.toSet());
    Set<Long> gone = new HashSet<>(model.keySet());
    gone.removeAll(there);
    evicted += gone.size();
    model.keySet().removeAll(gone);
  }

  private void assertSame(PersistentCache<Long, String> cache, Tx tx, boolean expires) {
    if (expires) {
      learn(cache, tx); // what has expired
    }
    Map<Long, String> found =
        cache.entries(tx).collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    assertThat(found).isEqualTo(model);
    assertThat(cache.bytes(tx)).isBetween(0L, cache.maxBytes(tx));
    assertThat(cache.size(tx)).isBetween(0L, cache.maxEntries(tx));
    assertThat(cache.maxBytes(tx)).isEqualTo(maxBytes);
    assertThat(cache.maxEntries(tx)).isEqualTo(maxEntries);
    assertThat(cache.map().eviction().bound().usedEntries(cache.map().words(tx)))
        .isEqualTo(cache.size(tx));
    if (!expires) {
      assertThat(cache.bytes(tx))
          .isEqualTo(found.values().stream().mapToLong(CacheModelTest::weight).sum());
    } else if (cache.size(tx) == 0) {
      assertThat(cache.bytes(tx)).isZero();
    }
  }

  /** A key of 8 bytes, a length of 4, the value; in the blocks that the allocator has. */
  private static long weight(String value) {
    int bytes = Long.BYTES + Integer.BYTES + value.length();
    int step = bytes <= 256 ? 16 : Integer.highestOneBit(bytes - 1) / 8;
    return BUCKET_SHARE + (bytes + step - 1) / step * (long) step;
  }
}
