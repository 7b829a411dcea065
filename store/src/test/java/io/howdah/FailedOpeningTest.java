package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.HowdahException;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.TxOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An opening that finds damage in the late part of its log while it still puts the store together:
 * the caller learns of the damage, and what is given back is not used any more.
 */
@Timeout(60)
class FailedOpeningTest {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final int OPENINGS = 20;

  /** Lets an opening go on from the start of the background replay when that has ended. */
  private static final class ReplayFirst extends SystemThreads {

    private final CountDownLatch ended = new CountDownLatch(1);

    @Override
    public Thread start(String name, Runnable body) {
      if (name.equals("howdah-checkpoint")) {
        try {
          ended.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      return system.start(
          name,
          () -> {
            try {
              body.run();
            } finally {
              if (name.equals("howdah-replay-0")) {
                ended.countDown();
              }
            }
          });
    }
  }

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 18)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  private static long word(SimulatedDisk disk, String file, int offset) {
    return ByteBuffer.wrap(disk.contents(file)).order(ByteOrder.LITTLE_ENDIAN).getLong(offset);
  }

  /** Returns the segments that hold a batch, oldest first. */
  private static List<String> used(SimulatedDisk disk) {
    TreeMap<Long, String> found = new TreeMap<>();
    for (String entry : disk.storage().list("log/0")) {
      String name = "log/0/" + entry;
      if (entry.endsWith(".seg") && word(disk, name, SegmentLayout.HEADER_LENGTH) != 0) {
        found.put(word(disk, name, SegmentLayout.SEQUENCE_OFFSET), name);
      }
    }
    return List.copyOf(found.values());
  }

  private static void await(BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - begun).isLessThan(DEADLINE_NANOS);
      Thread.onSpinWait();
    }
  }

  private static boolean isSummarised(SimulatedDisk disk) {
    long newest = word(disk, used(disk).getLast(), SegmentLayout.SEQUENCE_OFFSET);
    for (int i = 0; i < 2; i++) {
      String name = "log/summary-" + i;
      if (disk.storage().exists(name)
          && disk.contents(name).length > LogSummaryLayout.MAP_OFFSET
          && word(disk, name, LogSummaryLayout.SEGMENT_OFFSET) == newest) {
        return true;
      }
    }
    return false;
  }

  /** Kills a store with a summary, and damages the segment that an opening reads late. */
  private static SimulatedDisk damaged() {
    SimulatedDisk disk = SimulatedDisk.builder(1).volatileBytes(1 << 26).build();
    Store store = Store.open(options(disk));
    store.run(tx -> tx.root(0, tx.allocate(1 << 16)));
    while (used(disk).size() < 6) {
      for (int i = 0; i < 64; i++) {
        long address = 1024L * i;
        store.run(TxOptions.async(), tx -> tx.putLong(tx.root(0) + address, address));
      }
      store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), 1));
    }
    await(() -> isSummarised(disk));
    disk.kill();
    assertThatThrownBy(store::close).isNotNull();
    disk.flipBit(used(disk).getFirst(), SegmentLayout.HEADER_LENGTH + 100, 3);
    return disk;
  }

  @Test
  void anOpeningThatFindsDamageInTheLatePartNamesIt() {
    SimulatedDisk disk = damaged();
    assertThatThrownBy(() -> Store.open(options(disk).withExecution(new ReplayFirst())))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(used(disk).getFirst());
    // Nothing of the failed opening is left.
    assertThatThrownBy(() -> Store.open(options(disk))).isInstanceOf(CorruptStoreException.class);
  }

  @Test
  void damageInTheLatePartIsToldAndNothingIsUsedThatWasGivenBack() {
    SimulatedDisk disk = damaged();
    List<String> raw = Collections.synchronizedList(new ArrayList<>());
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> raw.add(thread + ": " + thrown));
    try {
      for (int i = 0; i < OPENINGS; i++) {
        SimulatedDisk copy = disk.fork();
        try (Store store = Store.open(options(copy))) {
          // It was put together before the damage was found.
          assertThatThrownBy(() -> await(() -> store.call(tx -> tx.getLong(tx.root(0))) < 0))
              .isInstanceOf(HowdahException.class);
        } catch (CorruptStoreException e) {
          assertThat(e.file()).startsWith("log/0/");
        } catch (HowdahException e) {
          // The end of a store that has stopped says so; an opening names the damage.
          assertThat(e.getMessage()).startsWith("the log stopped before it was closed");
        }
      }
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
    assertThat(raw).isEmpty();
  }
}
