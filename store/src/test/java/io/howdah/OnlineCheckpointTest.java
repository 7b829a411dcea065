package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checkpoints beside commits: what they write, what they free, what a crash after them costs. */
class OnlineCheckpointTest {

  private static final int WORDS = 4096;

  private final SimulatedDisk disk = SimulatedDisk.builder(1).build();

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(1 << 10)
        .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
  }

  private static long array(Store store) {
    return store.call(
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(WORDS * 8L));
          }
          return tx.root(0);
        });
  }

  private static List<Long> words(Store store) {
    return store.read(
        tx -> {
          List<Long> words = new ArrayList<>();
          for (int i = 0; i < WORDS; i++) {
            words.add(tx.getLong(tx.root(0) + i * 8L));
          }
          return words;
        });
  }

  /** Returns a copy of the disk as a kill, or else a power cut, would leave it now. */
  private SimulatedDisk crashed(boolean power) {
    SimulatedDisk copy = disk.fork();
    if (power) {
      copy.powerCut(CrashChoice.LOSE_ALL);
    } else {
      copy.kill();
    }
    return copy;
  }

  @Test
  void aCheckpointLeavesNothingOfWhatWasBeforeToBeReplayed() {
    try (Store store = Store.open(options(disk))) {
      long array = array(store);
      for (int i = 0; i < 100; i++) {
        long value = i;
        store.run(tx -> tx.putLong(array + value * 8, value));
      }
      CheckpointReport report = store.admin().checkpoint();
      assertThat(report.lsn()).isEqualTo(store.admin().stats().lsn());
      store.run(tx -> tx.putLong(array + 8000, 7));
      List<Long> expected = words(store);
      for (boolean power : new boolean[] {true, false}) {
        try (Store again = Store.open(options(crashed(power)))) {
          assertThat(again.admin().recoveryReport().counts().records()).isEqualTo(1);
          assertThat(words(again)).isEqualTo(expected);
        }
      }
    }
  }

  /**
   * What commits between the copy of pages and the end of a checkpoint is in the log alone, and
   * stays there, although it fills segments.
   */
  @Test
  void whatCommitsBehindTheCopyStaysInTheLog() {
    AtomicReference<Runnable> behindTheCopy = new AtomicReference<>();
    Storage hooked = beforeForcesOfTheJournal(disk.storage(), behindTheCopy);
    try (Store store = Store.open(options(disk).withStorage(hooked))) {
      long array = array(store);
      AtomicInteger commits = new AtomicInteger();
      behindTheCopy.set(
          () -> {
            for (int i = 0; i < 200; i++) {
              int at = i;
              store.run(TxOptions.sync(), tx -> tx.putLong(array + at * 8L, commits.addAndGet(1)));
            }
          });
      store.admin().checkpoint();
      assertThat(commits).as("commits in the middle of the checkpoint").hasValue(200);
      List<Long> expected = words(store);
      for (boolean power : new boolean[] {true, false}) {
        try (Store again = Store.open(options(crashed(power)))) {
          assertThat(words(again)).isEqualTo(expected);
        }
      }
    }
  }

  /** Runs a task once, before the next force of a file of the journal. */
  private static Storage beforeForcesOfTheJournal(
      Storage storage, AtomicReference<@Nullable Runnable> task) {
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) -> {
              Object result = call(storage, method, arguments);
              return result instanceof StorageFile file
                      && String.valueOf(arguments[0]).startsWith("journal/")
                  ? beforeForces(file, task)
                  : result;
            });
  }

  private static StorageFile beforeForces(
      StorageFile file, AtomicReference<@Nullable Runnable> task) {
    return (StorageFile)
        Proxy.newProxyInstance(
            StorageFile.class.getClassLoader(),
            new Class<?>[] {StorageFile.class},
            (_, method, arguments) -> {
              Runnable once = method.getName().equals("force") ? task.getAndSet(null) : null;
              if (once != null) {
                once.run();
              }
              return call(file, method, arguments);
            });
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  @Test
  void theLogStaysShortWhileCheckpointsAreTaken() {
    try (Store store = Store.open(options(disk))) {
      long array = array(store);
      SplittableRandom random = new SplittableRandom(1);
      int most = 0;
      for (int i = 0; i < 600; i++) {
        int at = random.nextInt(WORDS);
        long value = i;
        store.run(tx -> tx.putLong(array + at * 8L, value));
        if (i % 50 == 49) {
          store.admin().checkpoint();
          most = Math.max(most, disk.storage().list("log/0").size());
        }
      }
      // 600 forces are 40 segments; 50 are 4, and up to eight are kept to be used again.
      assertThat(most).isLessThanOrEqualTo(13);
      List<Long> expected = words(store);
      try (Store again = Store.open(options(crashed(true)))) {
        assertThat(words(again)).isEqualTo(expected);
        again.run(tx -> tx.putLong(array, -1));
      }
    }
  }

  @Test
  void aTrimmedGenerationIsReplayedAgainWhenItIsClosed() {
    List<Long> expected;
    SimulatedDisk second;
    try (Store store = Store.open(options(disk))) {
      long array = array(store);
      for (int i = 0; i < 120; i++) {
        long value = i;
        store.run(tx -> tx.putLong(array + value * 8, value));
        if (i == 80) {
          store.admin().checkpoint();
        }
      }
      expected = words(store);
      second = crashed(true);
    }
    // Opened, and lost again before any checkpoint: the trimmed generation is a closed one now.
    try (Store store = Store.open(options(second))) {
      assertThat(words(store)).isEqualTo(expected);
      long array = array(store);
      store.run(tx -> tx.putLong(array + 30000, 1));
      expected = words(store);
      SimulatedDisk third = second.fork();
      third.powerCut(CrashChoice.LOSE_ALL);
      try (Store again = Store.open(options(third))) {
        assertThat(words(again)).isEqualTo(expected);
      }
    }
  }

  @Test
  void largeTransactionsAreKeptAcrossATrim() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (Store store = Store.open(options(disk))) {
      long array = array(store);
      Thread writer =
          new Thread(
              () -> {
                for (long round = 1; !stop.get(); round++) {
                  long value = round;
                  store.run(
                      TxOptions.async(),
                      tx -> {
                        for (int i = 0; i < WORDS; i++) {
                          tx.putLong(array + i * 8L, value);
                        }
                      });
                }
              });
      writer.start();
      for (int i = 0; i < 10; i++) {
        store.admin().checkpoint();
        SimulatedDisk copy = crashed(true);
        try (Store again = Store.open(options(copy))) {
          assertThat(words(again).stream().distinct().count()).isEqualTo(1);
        }
      }
      stop.set(true);
      writer.join();
    }
  }

  @Test
  void onlyLinesThatChangedAreWritten() {
    try (Store store = Store.open(options(disk))) {
      long array = array(store);
      store.run(
          tx -> {
            for (int i = 0; i < WORDS; i++) {
              tx.putLong(array + i * 8L, i);
            }
          });
      assertThat(store.admin().checkpoint().wholePages()).isGreaterThanOrEqualTo(6);
      store.admin().checkpoint();
      store.admin().checkpoint();
      store.run(tx -> tx.putLong(array + 8, 1));
      CheckpointReport unchanged = store.admin().checkpoint();
      store.run(tx -> tx.putLong(array + 20000, -1));
      store.run(tx -> tx.putLong(array + 20160, -1));
      CheckpointReport report = store.admin().checkpoint();
      assertThat(unchanged.lines() + report.lines()).isLessThanOrEqualTo(4);
      List<Long> expected = words(store);
      try (Store again = Store.open(options(crashed(false)))) {
        assertThat(words(again)).isEqualTo(expected);
      }
    }
  }

  @Test
  void aFullDiskEndsTheCheckpointAndNotTheStore() {
    try (Store store = Store.open(options(disk))) {
      long array = array(store);
      store.run(tx -> tx.putLong(array, 5));
      disk.inject(
          Fault.onNth(Operation.WRITE, 1).in("journal/").with(StorageException.Reason.NO_SPACE));
      assertThatThrownBy(store.admin()::checkpoint)
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("journal");
      disk.clearFaults();
      store.run(tx -> tx.putLong(array, 6));
      assertThat(store.admin().checkpoint().dirtyPages()).isPositive();
      List<Long> expected = words(store);
      try (Store again = Store.open(options(crashed(true)))) {
        assertThat(words(again)).isEqualTo(expected);
      }
    }
  }

  @Test
  @Tag("scaled")
  void everyByteOfATrimmedLogCounts() {
    List<Long> expected;
    SimulatedDisk crashed;
    List<Long> withoutLast;
    try (Store store = Store.open(options(disk))) {
      long array = array(store);
      for (int i = 0; i < 40; i++) {
        long value = i;
        store.run(tx -> tx.putLong(array + value * 8, value + 1));
        if (i == 25) {
          store.admin().checkpoint();
        }
      }
      expected = words(store);
      withoutLast = new ArrayList<>(expected);
      withoutLast.set(39, 0L);
      crashed = crashed(true);
    }
    // Any odd step comes upon other bytes of each sector.
    int step = 61 * Integer.getInteger("howdah.stride", 3);
    int refused = 0;
    for (String entry : crashed.storage().list("log/0")) {
      String name = "log/0/" + entry;
      int length = crashed.contents(name).length;
      for (int offset = 0; offset < length; offset += offset % 4096 < 200 ? step : 4096 - 203) {
        SimulatedDisk damaged = crashed.fork();
        damaged.flipBit(name, offset, 3);
        try (Store again = Store.open(options(damaged))) {
          assertThat(words(again)).as("%s at %s", name, offset).isIn(expected, withoutLast);
        } catch (CorruptStoreException | UnsupportedStoreException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void aStoreInMemoryOrClosedTakesNone() {
    try (Store store = Store.inMemory()) {
      assertThatThrownBy(store.admin()::checkpoint).isInstanceOf(IllegalStateException.class);
    }
    Store store = Store.open(options(disk));
    store.close();
    assertThatThrownBy(store.admin()::checkpoint).isInstanceOf(StoreClosedException.class);
  }
}
