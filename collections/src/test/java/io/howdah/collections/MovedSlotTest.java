package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Tx;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A transaction that adds thousands of entries splits buckets itself; the slots that it has moved
 * say nothing about what others do to the entries meanwhile.
 */
@Timeout(120)
final class MovedSlotTest {

  private static final int ENTRIES = 64;
  private static final int ADDED = 6000;

  @Test
  void entriesBehindOwnSlotsAreReadWithAllThatWasRead() throws Exception {
    try (WordStore store = WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 25));
        ExecutorService other = Executors.newSingleThreadExecutor()) {
      PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
      put(store, map, 1);
      for (long first = 0; first < 12; first++) {
        long key = first;
        WordSession txSession = store.session();
        Tx tx = txSession.begin();
        for (long i = 0; i < ADDED; i++) {
          map.put(tx, ENTRIES + i, i);
        }
        other.submit(() -> put(store, map, 2)).get();
        // What it has read of the buckets before is not current any more.
        assertThatThrownBy(() -> map.get(tx, key)).isInstanceOf(ConflictException.class);
        txSession.abort();
      }
      assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(ENTRIES);
    }
  }

  private static void put(WordStore store, PersistentMap<Long, Long> map, long value) {
    store.run(
        tx -> {
          for (long i = 0; i < ENTRIES; i++) {
            map.put(tx, i, value);
          }
        });
  }
}
