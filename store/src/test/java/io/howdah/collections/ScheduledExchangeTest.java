package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.TestStores;
import io.howdah.codec.Codec;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Readers of a cache beside puts that evict: the new entry is written over the block of the evicted
 * one, whose readers have read its slot before. Under a scheduler that decides after every access
 * to shared memory, each value that is found is one that was put under its key, whole.
 */
@Timeout(300)
@Tag("scaled")
final class ScheduledExchangeTest {

  /** More of them with -Dhowdah.schedules=N. */
  private static final int RUNS = Integer.getInteger("howdah.schedules", 300) / 10;

  private static final int ENTRIES = 6;
  private static final int KEYS = 14;
  private static final int OPERATIONS = 25;
  private static final int WORDS = 12;

  /** A store of its own, two writers, two readers; one at a time runs, so no locks here. */
  private static final class Run {
    private final SimulatedExecution execution;
    private final SplittableRandom random;
    private long version;
    private int found;

    Run(long seed, Schedule schedule) {
      this.random = new SplittableRandom(seed);
      this.execution =
          SimulatedExecution.builder(schedule).virtualThreads().maxSteps(8_000_000).build();
    }

    /** Returns how many entries were evicted and how many were found. */
    long[] execute() {
      SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
      long[] evictions = new long[1];
      execution.run(
          () -> {
            try (Store store = Store.open(TestStores.simulated(disk.storage(), execution))) {
              PersistentCache<Long, byte[]> cache =
                  store.cache(
                      "cache", Codec.int64(), Codec.bytes(), CacheOptions.ofEntries(ENTRIES));
              Stream.<SimulatedExecution.Body>of(
                      () -> write(store, cache),
                      () -> write(store, cache),
                      () -> read(cache),
                      () -> read(cache))
                  .map(each -> execution.spawn("thread", each))
                  .toList()
                  .forEach(execution::join);
              evictions[0] = cache.statistics().evictions();
            }
          });
      return new long[] {evictions[0], found};
    }

    private void write(Store store, PersistentCache<Long, byte[]> cache) {
      for (int i = 0; i < OPERATIONS; i++) {
        long key = random.nextInt(KEYS);
        byte[] value = value(key, ++version);
        store.run(TxOptions.async(), tx -> cache.put(tx, key, value));
      }
    }

    private void read(PersistentCache<Long, byte[]> cache) {
      for (int i = 0; i < OPERATIONS; i++) {
        List<Long> keys = IntStream.range(0, 3).mapToObj(_ -> (long) random.nextInt(KEYS)).toList();
        check(keys.getFirst(), cache.get(keys.getFirst()));
        cache.getAll(keys).forEach(this::check);
      }
    }

    private void check(long key, byte @Nullable [] value) {
      if (value != null) {
        found++;
        assertThat(value).isEqualTo(value(key, ByteBuffer.wrap(value).getLong(Long.BYTES)));
      }
    }

    /** All values are equally long, and no word of one is in another. */
    private static byte[] value(long key, long version) {
      ByteBuffer value = ByteBuffer.allocate(WORDS * Long.BYTES).putLong(key);
      while (value.hasRemaining()) {
        value.putLong(version);
      }
      return value.array();
    }
  }

  @Test
  void aReaderSeesAnEntryOrTheOneThatHasItsBlock() {
    long evictions = 0;
    long found = 0;
    for (int seed = 0; seed < RUNS; seed++) {
      long[] run = new Run(seed, Schedule.random(seed, 2 + seed % 30)).execute();
      evictions += run[0];
      found += run[1];
    }
    assertThat(evictions).isGreaterThan(10L * RUNS);
    assertThat(found).isGreaterThan(10L * RUNS);
  }

  @Test
  void soItDoesWhereFewThreadsOvertake() {
    for (int seed = 0; seed < RUNS; seed++) {
      long[] run = new Run(seed, Schedule.pct(seed, 2 + seed % 6, 200_000)).execute();
      assertThat(run[0]).isPositive();
    }
  }
}
