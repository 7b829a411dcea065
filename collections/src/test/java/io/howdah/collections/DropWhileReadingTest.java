package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A map is dropped, and its memory given to others, while threads look things up in it: they find
 * what was there or are told that it was dropped.
 */
@Tag("scaled")
@Timeout(120)
final class DropWhileReadingTest {

  private static final int READERS = 3;
  private static final int ENTRIES = 300;

  /** One in so many of those of a campaign. */
  private static final int DROPS = 400 / Integer.getInteger("howdah.stride", 8);

  private static final long SMALL_BYTES = 1 << 22;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicLong found = new AtomicLong();
  private final AtomicLong told = new AtomicLong();

  private static PersistentMap<Long, Long> open(WordStore store) {
    return store.map("map", Codec.int64(), Codec.int64());
  }

  @Test
  void readersFindWhatWasThereOrAreToldThatItIsGone() throws Exception {
    try (WordStore store =
            WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 25).withOrecs(1 << 16));
        ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
      List<Future<?>> readers = new ArrayList<>();
      fill(store, open(store));
      for (int r = 0; r < READERS; r++) {
        SplittableRandom random = new SplittableRandom(r);
        readers.add(threads.submit(() -> read(store, random)));
      }
      try {
        // More of them where the readers have not had a processor yet.
        for (int i = 0; i < DROPS || found.get() == 0 || told.get() == 0; i++) {
          if (readers.stream().anyMatch(Future::isDone)) {
            break; // it failed
          }
          store.drop("map");
          // The words of others, where the table was: small numbers, which look like counts, and
          // addresses, which lead anywhere.
          store.run(DropWhileReadingTest::scribbleAndFree);
          fill(store, open(store));
        }
      } finally {
        stop.set(true);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
      assertThat(found.get()).isPositive();
      assertThat(told.get()).isPositive();
      Blocks.assertNothingLeaks(store);
    }
  }

  /** The moment that the other test rarely meets: after the look at the header. */
  @Test
  void whoHasSeenTheHeaderBeforeTheDropLoses() throws Exception {
    try (WordStore store =
            WordStore.inMemory(WordOptions.defaults().withMaxSize(SMALL_BYTES).withOrecs(1 << 16));
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      long table = open(store).address();
      WordSession txSession = store.session();
      Tx tx = txSession.begin();
      Words words = TxHandle.of(tx).words();
      HashTable gone = Blocks.table(words, table, Long.BYTES, Long.BYTES);
      other.submit(() -> dropAndZero(store, table)).get();
      gone.beginImage(words).putLong(MULTIPLIER);
      long hash = gone.endKey(words);
      assertThatThrownBy(() -> gone.contains(words, hash)).isInstanceOf(ConflictException.class);
      txSession.abort();
    }
  }

  /** Gives the table's block to somebody whose words lead to a line of zeros. */
  private static void dropAndZero(WordStore store, long table) {
    // As long as all first buckets of a segment; made, and so older, before the drop.
    long line = store.call(tx -> tx.allocate(8192));
    store.drop("map");
    long block = 0;
    for (long i = 0; block != table; i++) {
      // Whoever fills the region comes upon every slab, those of other arenas included.
      assertThat(i * HashTableLayout.LENGTH).as("bytes allocated").isLessThan(SMALL_BYTES);
      block = store.call(tx -> tx.allocate(HashTableLayout.LENGTH));
    }
    store.run(
        tx -> {
          for (int i = 0; i < HashTableLayout.SEGMENTS; i++) {
            tx.putLong(table + HashTableLayout.SEGMENTS_OFFSET + (long) i * Long.BYTES, line);
          }
          for (int i = 0; i < HashTableLayout.STRIPES; i++) {
            long stripe = table + HashTableLayout.STRIPES_OFFSET;
            tx.putLong(stripe + (long) i * HashTableLayout.STRIPE_BYTES, 1);
          }
        });
  }

  private static void scribbleAndFree(Tx tx) {
    List<Long> blocks = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      long block = tx.allocate(HashTableLayout.LENGTH);
      blocks.add(block);
      for (long at = 0; at < HashTableLayout.LENGTH; at += Long.BYTES) {
        tx.putLong(block + at, (at & 8) == 0 ? at : 8192 + (at << 6));
      }
    }
    blocks.forEach(tx::free);
  }

  private static void fill(WordStore store, PersistentMap<Long, Long> map) {
    for (int from = 0; from < ENTRIES; from += 50) {
      long first = from;
      store.run(
          tx -> {
            for (long i = first; i < first + 50; i++) {
              map.put(tx, i * MULTIPLIER, i);
            }
          });
    }
  }

  private void read(WordStore store, SplittableRandom random) {
    while (!stop.get()) {
      PersistentMap<Long, Long> map = open(store);
      try {
        while (!stop.get()) {
          long number = random.nextLong(ENTRIES);
          // Not there while the map is being filled.
          long value = store.read(tx -> map.getOrDefault(tx, number * MULTIPLIER, -1L));
          if (value >= 0 && value != number) {
            fail("%d instead of %d", value, number);
          }
          found.addAndGet(value < 0 ? 0 : 1);
        }
      } catch (CollectionMismatchException e) {
        told.incrementAndGet();
      }
    }
  }
}
