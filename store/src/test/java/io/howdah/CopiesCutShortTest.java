package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Backups and restores that are cut short, by a kill or a power cut, at each of their file
 * operations: what they leave is nothing, or refused by every way in, or whole; and what they were
 * made of is as it was.
 */
@Tag("scaled")
class CopiesCutShortTest {

  private static final int WORDS = 6;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 18)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  private static Store open(SimulatedDisk disk) {
    return Store.open(OPTIONS.withStorage(disk.storage()));
  }

  private static long add(Store store, int word) {
    return store.run(
        TxOptions.sync(),
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(WORDS * 8L));
          }
          tx.putLong(tx.root(0) + word * 8L, word + 1L);
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

  /** A killed store, some of it in the image and some in the log. */
  private static SimulatedDisk source(List<Long> lsns) {
    SimulatedDisk disk = SimulatedDisk.builder(7).unit(CrashUnit.SECTOR).build();
    Store store = open(disk);
    lsns.add(add(store, 0));
    lsns.add(add(store, 1));
    store.admin().checkpoint();
    for (int i = 2; i < WORDS; i++) {
      lsns.add(add(store, i));
    }
    SimulatedDisk killed = disk.fork();
    killed.kill();
    store.close();
    return killed;
  }

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void aBackup(CrashMoment moment) {
    SimulatedDisk source = source(new ArrayList<>());
    cutShort(
        moment,
        target -> {
          SimulatedDisk disk = source.fork();
          Store store = open(disk);
          try {
            store.admin().backup(target::storage);
            store.close();
          } finally {
            disk.kill();
            try (Store again = open(disk)) {
              assertThat(words(again)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
            }
          }
        },
        List.of(1L, 2L, 3L, 4L, 5L, 6L));
  }

  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void aRestore(CrashMoment moment) {
    SimulatedDisk source = source(new ArrayList<>());
    long asItWas = source.operations();
    cutShort(
        moment,
        target ->
            StoreBackups.restore(
                source.storage(), target.storage(), OptionalLong.empty(), OPTIONS.execution()),
        List.of(1L, 2L, 3L, 4L, 5L, 6L));
    assertThat(source.operations()).isGreaterThan(asItWas);
    try (Store store = open(source)) {
      assertThat(words(store)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }
  }

  /** What was cut short holds more than was asked for, until the log behind the LSN is given up. */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void aRestoreAsOfAnLsn(CrashMoment moment) {
    List<Long> lsns = new ArrayList<>();
    SimulatedDisk source = source(lsns);
    cutShort(
        moment,
        target ->
            StoreBackups.restore(
                source.storage(),
                target.storage(),
                OptionalLong.of(lsns.get(3)),
                OPTIONS.execution()),
        List.of(1L, 2L, 3L, 4L, 0L, 0L));
  }

  private static void cutShort(
      CrashMoment moment, Consumer<SimulatedDisk> copying, List<Long> whole) {
    int refused = 0;
    int complete = 0;
    for (int operation = OperationSample.first(moment);
        complete == 0;
        operation += OperationSample.STRIDE) {
      SimulatedDisk target = SimulatedDisk.builder(operation).unit(CrashUnit.SECTOR).build();
      target.crashAtOperation(operation, moment);
      boolean ended = false;
      try {
        copying.accept(target);
        ended = !target.hasCrashed();
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(target.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
      }
      List<SimulatedDisk> left = new ArrayList<>();
      if (!ended) {
        List<CrashChoice> choices = new ArrayList<>(target.crashStates().choices(2));
        choices.add(CrashChoice.LOSE_ALL);
        for (CrashChoice choice : choices) {
          SimulatedDisk cut = target.fork();
          cut.powerCut(choice);
          left.add(cut);
        }
      }
      target.kill();
      left.add(target);
      for (SimulatedDisk disk : left) {
        if (isRefused(disk, operation)) {
          refused++;
        } else if (!disk.storage().list("").isEmpty()) {
          try (Store store = open(disk)) {
            assertThat(words(store)).as("cut short at operation %d", operation).isEqualTo(whole);
          }
          complete += ended ? 1 : 0;
        }
      }
    }
    assertThat(refused).isGreaterThan(100 / OperationSample.STRIDE);
  }

  /** Whether every way in refuses it, and says what it is; otherwise none does. */
  private static boolean isRefused(SimulatedDisk disk, int operation) {
    if (!disk.storage().exists("store.howdah.unfinished")) {
      return false;
    }
    SimulatedDisk other = SimulatedDisk.seeded(1);
    List<ThrowingCallable> waysIn =
        List.of(
            () -> open(disk).close(),
            () -> Store.open(OPTIONS.withReadOnly(true).withStorage(disk.storage())).close(),
            () -> StoreBackups.check(disk.storage(), OPTIONS.execution()),
            () ->
                StoreBackups.restore(
                    disk.storage(), other.storage(), OptionalLong.empty(), OPTIONS.execution()),
            () ->
                StoreBackups.restore(
                    other.storage(), disk.storage(), OptionalLong.empty(), OPTIONS.execution()));
    for (ThrowingCallable wayIn : waysIn.subList(0, 4)) {
      assertThatThrownBy(wayIn)
          .as("cut short at operation %d", operation)
          .isInstanceOf(UnsupportedStoreException.class)
          .hasMessageContaining("holds an unfinished copy")
          .hasMessageContaining("delete the directory");
    }
    return true;
  }

  @Test
  void anUnfinishedCopyIsInTheWayOfTheNext() {
    SimulatedDisk source = source(new ArrayList<>());
    SimulatedDisk target = SimulatedDisk.seeded(1);
    target.crashAtOperation(12, CrashMoment.BEFORE);
    assertThatThrownBy(
            () ->
                StoreBackups.restore(
                    source.storage(), target.storage(), OptionalLong.empty(), OPTIONS.execution()))
        .isInstanceOf(SimulatedCrash.class);
    target.kill();
    assertThatThrownBy(
            () ->
                StoreBackups.restore(
                    source.storage(), target.storage(), OptionalLong.empty(), OPTIONS.execution()))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("unfinished copy")
        .hasMessageContaining("restored from");
  }
}
