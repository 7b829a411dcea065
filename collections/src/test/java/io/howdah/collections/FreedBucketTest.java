package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.HashTable;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.stm.TxHandle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A look-up that stands still in an overflow bucket, which a split frees meanwhile. */
@Tag("scaled")
final class FreedBucketTest {

  private static final int KEPT = 4;
  private static final int KEYS = 8;

  @Test
  void aFreedOverflowBucketDoesNotShowWhatIsNewerThanTheSnapshot() {
    ScheduledLookupsTest.everyPairOfSteps(
        (first, second) -> {
          ScheduledLookupsTest.Run run =
              ScheduledLookupsTest.run(first, second, 2, FreedBucketTest::parts);
          assertThat(run.answer()).as("both values, stopped after %d steps", first).isIn(11L, 22L);
          return new ScheduledLookupsTest.Run(run.answer(), run.stoppedOnce(), false);
        });
  }

  private static long hash(WordStore store, HashTable words, long key) {
    return store.call(
        tx -> {
          Codec.int64().encode(key, words.beginImage(TxHandle.of(tx).words()));
          return words.endKey(TxHandle.of(tx).words());
        });
  }

  private static ScheduledLookupsTest.Parts parts(WordStore store) {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    long address = map.address();
    HashTable words =
        store.read(tx -> Blocks.table(TxHandle.of(tx).words(), address, Long.BYTES, Long.BYTES));
    long[] keys = new long[KEYS]; // of the first stripe: some stay, the others move
    int kept = 0;
    int moved = KEPT;
    long other = -1; // of another stripe
    for (long key = 0; kept < KEPT || moved < KEYS || other < 0; key++) {
      long hash = hash(store, words, key);
      if (hash >>> HashTableLayout.STRIPE_SHIFT != 0) {
        other = key;
      } else if ((hash & 1) == 0 && kept < KEPT) {
        keys[kept++] = key;
      } else if ((hash & 1) == 1 && moved < KEYS) {
        keys[moved++] = key;
      }
    }
    long inOverflow = keys[KEYS - 1];
    long elsewhere = other;
    store.run(
        tx -> {
          for (long key : keys) {
            map.put(tx, key, 1L);
          }
          map.put(tx, elsewhere, 1L);
        });
    return new ScheduledLookupsTest.Parts(
        () ->
            store.read(
                tx ->
                    10 * map.getOrDefault(tx, elsewhere, 0L)
                        + map.getOrDefault(tx, inOverflow, 0L)),
        () -> {
          grow(store, words, address);
          store.run(
              tx -> {
                map.put(tx, inOverflow, 2L);
                map.put(tx, elsewhere, 2L);
              });
        },
        () -> {});
  }

  /** Has the table split its first bucket: it believes that it holds more than it does. */
  private static void grow(WordStore store, HashTable words, long address) {
    long stripe = address + HashTableLayout.STRIPES_OFFSET;
    while (store.read(tx -> tx.getLong(stripe)) < 2) {
      store.run(
          tx -> {
            tx.putLong(stripe + HashTableLayout.ENTRIES_OFFSET, HashTableLayout.STRIPES * 2 * 5);
            TxHandle.of(tx).words().afterCommit(words);
          });
    }
  }
}
