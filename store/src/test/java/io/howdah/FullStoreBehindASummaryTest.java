package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A store was full at its last checkpoint. Blocks were freed since, so that only the log knows of
 * them, before or behind the place of a summary. After a kill, transactions that allocate before
 * the log is read find this room, and no other.
 */
@Timeout(60)
class FullStoreBehindASummaryTest {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final HeldReplay held = new HeldReplay();

  @AfterEach
  void release() {
    held.release();
  }

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  private static List<Long> fill(Store store, int bytes) {
    List<Long> blocks = new ArrayList<>();
    while (true) {
      try {
        blocks.add(store.call(TxOptions.async(), tx -> tx.allocate(bytes)));
      } catch (RegionFullException e) {
        return blocks;
      }
    }
  }

  private static long newestSummary(SimulatedDisk disk) {
    long newest = 0;
    for (int i = 0; i < 2; i++) {
      String name = "log/summary-" + i;
      if (disk.storage().exists(name)) {
        ByteBuffer bytes = ByteBuffer.wrap(disk.contents(name)).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.capacity() > LogSummaryLayout.MAP_OFFSET) {
          newest = Math.max(newest, bytes.getLong(LogSummaryLayout.REPLAY_ABOVE_OFFSET));
        }
      }
    }
    return newest;
  }

  private static void await(BooleanSupplier condition, Runnable meanwhile) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      meanwhile.run();
    }
  }

  /** Lengthens the log until a summary covers all that was committed before. */
  private static void summarise(Store store, SimulatedDisk disk, long scratch) {
    long lsn = store.run(TxOptions.sync(), tx -> tx.putLong(scratch, 1));
    await(
        () -> newestSummary(disk) >= lsn,
        () -> {
          for (int i = 0; i < 20; i++) {
            store.run(
                TxOptions.async(),
                tx -> {
                  for (int word = 0; word < 256; word++) {
                    tx.putLong(scratch + 8L * word, word);
                  }
                });
          }
          store.run(TxOptions.sync(), tx -> tx.putLong(scratch, 1));
        });
  }

  @ParameterizedTest
  @CsvSource({
    "64, 64, true",
    "64, 64, false",
    "64, 4096, true",
    "64, 4096, false",
    "64, 40000, true",
    "1000, 1000, true",
    "1000, 1000, false",
    "1000, 64, true",
    "1000, 40000, false",
    "4096, 4096, true",
    "4096, 64, false",
    "40000, 40000, true",
    "40000, 40000, false",
    "40000, 64, true"
  })
  void roomThatOnlyTheLogKnowsOfIsFound(int bytes, int wanted, boolean isBefore) throws Exception {
    SimulatedDisk disk = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
    Store store = Store.open(options(disk));
    long scratch = store.call(tx -> tx.allocate(4096));
    store.run(tx -> tx.root(0, scratch));
    List<Long> blocks = fill(store, bytes);
    store.admin().checkpoint();
    if (!isBefore) {
      summarise(store, disk, scratch);
    }
    // Blocks of another size need slabs or pages that are empty.
    int each = wanted == bytes ? 7 : 1;
    for (int i = 0; i < blocks.size(); i += each) {
      long block = blocks.get(i);
      store.run(TxOptions.async(), tx -> tx.free(block));
    }
    if (isBefore) {
      summarise(store, disk, scratch);
    }
    store.run(TxOptions.sync(), tx -> tx.putLong(scratch, 2));
    disk.kill();
    assertThatThrownBy(store::close).isNotNull();
    SimulatedDisk whole = disk.fork();
    for (int i = 0; i < 2; i++) {
      whole.storage().delete("log/summary-" + i);
    }
    Set<Long> expected;
    try (Store reopened = Store.open(options(whole))) {
      await(() -> reopened.admin().replayStats().isDone(), Thread::onSpinWait);
      expected = new HashSet<>(fill(reopened, wanted));
    }
    assertThat(expected).isNotEmpty();
    // A close waits for the replay, so whatever fails before the release has to release it, too.
    try (Store reopened = Store.open(options(disk).withExecution(held));
        Closeable _ = held::release) {
      assertThat(reopened.admin().recoveryReport().laterLogBytes()).isPositive();
      assertThat(reopened.admin().replayStats().isDone()).isFalse();
      FutureTask<List<Long>> found = new FutureTask<>(() -> fill(reopened, wanted));
      new Thread(found).start();
      held.release();
      List<Long> room = found.get(20, TimeUnit.SECONDS);
      assertThat(room).hasSameSizeAs(expected).doesNotHaveDuplicates();
    }
  }
}
