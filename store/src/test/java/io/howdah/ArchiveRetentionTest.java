package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.ArchiveMoment;
import io.howdah.core.Execution;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What retention removes, and what it leaves. */
final class ArchiveRetentionTest {

  private static final long MINUTE = 60_000;
  private static final long START = 100 * MINUTE;

  private final SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
  private final AtomicLong millis = new AtomicLong(START);

  private Store open(SimulatedDisk place) {
    return Store.open(
        ArchiveTest.OPTIONS
            .withExecution(
                new ForwardingSystem() {
                  @Override
                  public long wallClockMillis() {
                    return millis.get();
                  }
                })
            .withStorage(disk.storage())
            .withArchive(ArchiveTest.archive(place).withKeep(Duration.ofMinutes(4))));
  }

  /** Commits and updates, one each half minute; returns the LSN of each. */
  private List<Long> commits(Store store, int count) {
    List<Long> lsns = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      millis.addAndGet(MINUTE / 2);
      lsns.add(ArchiveTest.put(store, 1, i));
      store.admin().updateArchive();
    }
    return lsns;
  }

  private static StoreArchives.Restored restore(SimulatedDisk place, long millis) {
    return ArchiveTest.restoredAt(place, millis);
  }

  @Test
  void everyKeptMomentIsRestoredAndOlderOnesGo() {
    SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
    try (Store store = open(place)) {
      List<Long> lsns = commits(store, 40);
      long bytes = StoreArchives.list(ArchiveTest.archive(place)).bytes();
      for (int i = 0; i <= 8; i++) { // four minutes
        assertThat(restore(place, millis.get() - i * (MINUTE / 2)).lsn())
            .isEqualTo(lsns.get(39 - i));
      }
      assertThatThrownBy(() -> restore(place, START + MINUTE))
          .isInstanceOf(IllegalArgumentException.class);
      commits(store, 40);
      assertThat(StoreArchives.list(ArchiveTest.archive(place)).bytes())
          .as("a bounded archive")
          .isLessThan(2 * bytes);
    }
  }

  /** A run has one object of log for each base, of which those before the kept base go. */
  @Test
  void theLogOfTheOldestKeptBaseStays() {
    SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
    try (Store store = open(place)) {
      List<Long> lsns = commits(store, 40);
      assertThat(place.storage().list("").stream().filter(name -> name.contains(".log.")).toList())
          .hasSizeBetween(2, 10);
      ArchiveReport.Range range =
          StoreArchives.list(ArchiveTest.archive(place)).ranges().getFirst();
      assertThat(range.fromTime().toEpochMilli()).isLessThanOrEqualTo(millis.get() - 4 * MINUTE);
      for (long lsn = range.fromLsn(); lsn <= range.lsn(); lsn++) {
        if (lsns.contains(lsn)) {
          StoreArchives.restore(
              ArchiveTest.archive(place),
              SimulatedDisk.seeded(3)::storage,
              ArchiveMoment.atLsn(lsn),
              Execution.system());
        }
      }
    }
  }

  @Test
  void theNewestBaseStays() {
    SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
    long lsn;
    try (Store store = open(place)) {
      lsn = commits(store, 3).getLast();
    }
    millis.addAndGet(1000 * MINUTE);
    try (Store store = open(place)) {
      store.admin().updateArchive();
      assertThat(StoreArchives.list(ArchiveTest.archive(place)).ranges()).isNotEmpty();
      assertThat(restore(place, START + 3 * (MINUTE / 2)).lsn()).isEqualTo(lsn);
    }
  }

  /** A crash between two removals leaves an archive in which every kept moment is. */
  @Test
  void aCrashWithinARemovalLosesNoKeptMoment() {
    boolean ended = false;
    for (int operation = OperationSample.first(CrashMoment.BEFORE);
        !ended;
        operation += OperationSample.STRIDE) {
      SimulatedDisk place = SimulatedDisk.builder(operation).unit(CrashUnit.SECTOR).build();
      List<Long> lsns = new ArrayList<>();
      millis.set(START);
      long told = START;
      try (Store store = open(place)) {
        lsns.addAll(commits(store, 12));
        told = millis.get();
        place.crashAtOperation(place.operations() + operation, CrashMoment.BEFORE);
        try {
          commits(store, 6);
        } catch (RuntimeException | SimulatedCrash e) {
          assertThat(place.hasCrashed()).isTrue();
        }
        ended = !place.hasCrashed();
      }
      place.crashAtOperation(Long.MAX_VALUE, CrashMoment.BEFORE);
      SimulatedDisk cut = place.fork();
      if (ended) {
        cut.kill();
      } else {
        cut.powerCut(CrashChoice.LOSE_ALL);
      }
      // Kept in any case: what is four minutes old when the last commits are made.
      for (int i = 0; i < 2; i++) {
        assertThat(restore(cut, told - i * (MINUTE / 2)).lsn()).isEqualTo(lsns.get(11 - i));
      }
    }
  }
}
