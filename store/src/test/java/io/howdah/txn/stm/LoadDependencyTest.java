package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.LoggedStore;
import io.howdah.LoggedStore.Found;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.LoadOptions;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.txn.Durability;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each transaction of a load depends on the one before, so that a power cut leaves a beginning of
 * what was loaded. Otherwise nothing connects transactions that replace values of different keys.
 */
@Timeout(120)
final class LoadDependencyTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withPartitions(4).withRingBytes(1 << 18).withOrecs(1 << 16);
  private static final long KEYS = 2000;
  private static final int LOADED = 20;

  @Test
  void aTransactionOfALoadDependsOnTheOneBefore() {
    for (boolean isSorted : new boolean[] {false, true}) {
      try (LoggedStore logged = new LoggedStore(OPTIONS)) {
        KeyedCollection<Long, Long> map =
            isSorted
                ? logged.store.sortedMap("map", Codec.int64(), Codec.int64())
                : logged.store.map("map", Codec.int64(), Codec.int64());
        map.load(LongStream.range(0, KEYS).mapToObj(key -> Map.entry(key, key)).iterator());
        Lane held = logged.log.lanes().lease(3, 0, 0); // keeps the stable LSN where it is
        assertThat(logged.log.lanes().spinForAppendLock(held, 64)).isTrue();
        held.announce();
        long before = logged.allByLsn().isEmpty() ? 0 : logged.allByLsn().lastKey();
        Steering entries = new Steering(logged);
        LoadOptions options =
            LoadOptions.defaults().withTransactionEntries(1).withDurability(Durability.ASYNC);
        map.load(entries, options);
        entries.release();
        List<Found> records = new ArrayList<>(logged.allByLsn().tailMap(before + 1).values());
        assertThat(records).hasSize(LOADED);
        for (int i = 1; i < LOADED; i++) {
          Found record = records.get(i);
          assertThat(record.partition()).isNotEqualTo(records.get(i - 1).partition());
          assertThat(Lsn.dense(record.dep())).isEqualTo(Lsn.dense(records.get(i - 1).lsn()));
        }
        held.finish();
      }
    }
  }

  /** Shows entries with keys far apart, and has each transaction commit in the next partition. */
  private static final class Steering implements Iterator<Map.Entry<Long, Long>> {
    private final LoggedStore logged;
    private List<Lane> others = List.of();
    private int next;

    Steering(LoggedStore logged) {
      this.logged = logged;
    }

    @Override
    public boolean hasNext() {
      return next < LOADED;
    }

    @Override
    public Map.Entry<Long, Long> next() {
      release();
      others = logged.leaseOthers(next % 3);
      return Map.entry(next++ * 997L % KEYS, -1L);
    }

    void release() {
      others.forEach(Lane::endLease);
      others = List.of();
    }
  }
}
