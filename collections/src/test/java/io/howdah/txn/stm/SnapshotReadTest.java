package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.txn.SnapshotLostException;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.SnapshotHistory;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Long readers see one state while writers go on; neither aborts the other. */
@Tag("scaled")
@Timeout(120)
final class SnapshotReadTest {

  private static final int ENTRIES = 20_000;

  /** One in so many of those of a campaign. */
  private static final int SCANS = 15 / Integer.getInteger("howdah.stride", 4);

  private static final int TRANSFERS_PER_SCAN = 5000;

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(4));
  private final PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());

  @AfterEach
  void close() {
    store.close();
  }

  private void fill() {
    for (long from = 0; from < ENTRIES; from += 1000) {
      long first = from;
      store.run(
          tx -> {
            for (long i = first; i < first + 1000; i++) {
              map.put(tx, i, 100L);
            }
          });
    }
  }

  @Test
  void scansSeeOneStateWhileTransfersGoOn() throws Exception {
    fill();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong transfers = new AtomicLong();
    // So many for each scan, however slow it is: they overwrite less than the history holds.
    Semaphore allowed = new Semaphore(0);
    Thread[] writers = new Thread[2];
    for (int t = 0; t < writers.length; t++) {
      SplittableRandom random = new SplittableRandom(t);
      writers[t] =
          new Thread(
              () -> {
                while (!stop.get()) {
                  allowed.acquireUninterruptibly();
                  long from = random.nextInt(ENTRIES);
                  long to = random.nextInt(ENTRIES);
                  store.run(
                      TxOptions.async(),
                      tx -> {
                        map.merge(tx, from, -1L, Long::sum);
                        map.merge(tx, to, 1L, Long::sum);
                        map.put(tx, ENTRIES + from, 0L); // the table grows meanwhile
                        map.remove(tx, ENTRIES + to);
                      });
                  transfers.incrementAndGet();
                }
              });
      writers[t].start();
    }
    try {
      int most = 0;
      for (int scan = 0; scan < SCANS; scan++) {
        AtomicInteger runs = new AtomicInteger();
        long before = transfers.get();
        allowed.drainPermits();
        allowed.release(TRANSFERS_PER_SCAN);
        long sum =
            store.read(
                tx -> {
                  runs.incrementAndGet();
                  return map.values(tx).mapToLong(v -> v).sum();
                });
        assertThat(sum).isEqualTo(100L * ENTRIES);
        most = Math.max(most, runs.get());
        assertThat(transfers.get()).as("writers go on").isGreaterThanOrEqualTo(before);
      }
      assertThat(most).as("runs of one scan").isLessThanOrEqualTo(5);
    } finally {
      stop.set(true);
      allowed.release(writers.length);
      for (Thread writer : writers) {
        writer.join();
      }
    }
    assertThat(transfers).hasPositiveValue();
  }

  @Test
  void aSnapshotShowsWhatWasOverwrittenSince() {
    fill();
    AtomicInteger runs = new AtomicInteger();
    long seen =
        store.read(
            tx -> {
              runs.incrementAndGet();
              long sum = 0;
              for (long i = 0; i < ENTRIES / 2; i++) {
                sum += map.getOrDefault(tx, i, 0L);
              }
              for (long i = 0; i < ENTRIES; i += 100) {
                long key = i;
                store.run(other -> map.put(other, key, 1_000_000L));
                store.run(other -> map.remove(other, key + 1));
              }
              for (long i = ENTRIES / 2; i < ENTRIES; i++) {
                sum += map.getOrDefault(tx, i, 0L);
              }
              assertThat(map.size(tx)).isEqualTo(ENTRIES);
              return sum;
            });
    assertThat(seen).isEqualTo(100L * ENTRIES);
    assertThat(runs).hasValue(1);
    assertThat((long) store.read(map::size)).isEqualTo(ENTRIES - ENTRIES / 100);
  }

  /** A word that is overwritten again and again takes the room of one for each reader. */
  @Test
  void wordsThatChangeAgainAndAgainDoNotCostAReaderItsState() {
    fill();
    int blockWords = 8192;
    long block = store.call(tx -> tx.allocate(blockWords * 8L));
    long seen =
        store.read(
            tx -> {
              for (long i = 0; i < ENTRIES / 2; i++) {
                map.get(tx, i);
              }
              for (int words = 0; words <= SnapshotHistory.MAX_WORDS * 5 / 4; words += blockWords) {
                long value = words;
                overwrite(new long[] {block}, blockWords, words);
                store.run(
                    other -> {
                      for (long i = 0; i < 100; i++) {
                        map.put(other, i * 200, value);
                      }
                    });
              }
              for (long i = 0; i < blockWords; i++) {
                assertThat(tx.getLong(block + i * 8)).isZero();
              }
              return map.values(tx).mapToLong(v -> v).sum();
            });
    assertThat(seen).isEqualTo(100L * ENTRIES);
  }

  @Test
  void aReaderThatNeedsMoreThanIsKeptIsTold() {
    fill();
    int words = SnapshotHistory.MAX_WORDS + SnapshotHistory.MAX_WORDS / 4;
    int blockWords = 1 << 16;
    long[] blocks = new long[words / blockWords];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = store.call(tx -> tx.allocate(blockWords * 8L));
    }
    assertThatThrownBy(
            () ->
                store.read(
                    tx -> {
                      for (long i = 0; i < ENTRIES / 2; i++) {
                        map.get(tx, i);
                      }
                      overwrite(blocks, blockWords, 0);
                      for (long i = 0; i < 1000; i++) {
                        long key = i * 20;
                        store.run(other -> map.put(other, key, 1L));
                      }
                      return map.values(tx).mapToLong(v -> v).sum();
                    }))
        .isInstanceOf(SnapshotLostException.class)
        .hasMessageContaining("1048576 words");
    assertThat((long) store.read(tx -> map.values(tx).filter(v -> v == 100L).count()))
        .isEqualTo(ENTRIES - 1000);
  }

  /** Gives all words of blocks a value that they have never had. */
  private void overwrite(long[] blocks, int blockWords, int earlierWords) {
    byte[] values = new byte[1024 * 8];
    Arrays.fill(values, (byte) (1 + earlierWords / blockWords % 255));
    for (long block : blocks) {
      for (int from = 0; from < blockWords; from += 1024) {
        long first = block + from * 8L;
        store.run(other -> other.write(first, values));
      }
    }
  }
}
