package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.Execution;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Restores as of a time of day. */
final class ArchiveTimeTest {

  private final SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
  private final SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
  private final Clock clock = new Clock();

  /** The system's threads, and a clock that the test sets. */
  private static final class Clock extends ForwardingSystem {
    final AtomicLong millis = new AtomicLong(1_000_000);

    /** Runs once, when the archive reads the time. */
    final AtomicReference<Runnable> onArchiveReads = new AtomicReference<>(() -> {});

    @Override
    public long wallClockMillis() {
      if (Thread.currentThread().getName().equals("howdah-archive")) {
        onArchiveReads.getAndSet(() -> {}).run();
      }
      return millis.get();
    }
  }

  private Store open() {
    return Store.open(
        ArchiveTest.OPTIONS
            .withExecution(clock)
            .withStorage(disk.storage())
            .withArchive(ArchiveTest.archive(place)));
  }

  private long at(long millis, Store store, int word, long value) {
    clock.millis.set(millis);
    long lsn = ArchiveTest.put(store, word, value);
    store.admin().updateArchive();
    return lsn;
  }

  private StoreArchives.Restored restore(long millis) {
    return ArchiveTest.restoredAt(place, millis);
  }

  @Test
  void aTimeIsTheLastMomentThatIsNotLater() {
    long[] lsns = new long[4];
    try (Store store = open()) {
      for (int i = 0; i < 4; i++) {
        lsns[i] = at(2_000_000 + i * 1000, store, i, i);
      }
    }
    for (int i = 0; i < 3; i++) {
      assertThat(restore(2_000_000 + i * 1000).lsn()).isEqualTo(lsns[i]);
      assertThat(restore(2_000_999 + i * 1000))
          .isEqualTo(
              new StoreArchives.Restored(lsns[i], Instant.ofEpochMilli(2_000_000 + i * 1000)));
    }
    assertThat(restore(2_003_000).lsn()).isEqualTo(lsns[3]);
    assertThatThrownBy(() -> restore(2_003_001))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("only from LSN");
    assertThatThrownBy(() -> restore(1)).isInstanceOf(IllegalArgumentException.class);
  }

  /** A commit that is made while the archive is at it is later than the time that it has read. */
  @Test
  void noCommitIsRestoredThatWasMadeAfterTheTime() {
    try (Store store = open()) {
      at(2_000_000, store, 1, 1);
      clock.onArchiveReads.set(
          () -> {
            // The time that the archive gets is the one before this commit.
            ArchiveTest.put(store, 1, 2);
            ArchiveTest.put(store, 2, 2);
          });
      clock.millis.set(2_001_000);
      store.admin().updateArchive();
      at(2_002_000, store, 3, 3);
    }
    SimulatedDisk target = SimulatedDisk.seeded(3);
    StoreArchives.restore(
        ArchiveTest.archive(place),
        target::storage,
        ArchiveMoment.atTime(Instant.ofEpochMilli(2_001_500)),
        Execution.system());
    try (Store store = Store.open(ArchiveTest.OPTIONS.withStorage(target.storage()))) {
      assertThat(ArchiveTest.words(store).subList(1, 4)).containsExactly(1L, 0L, 0L);
    }
  }

  @Test
  void aClockThatIsSetBackBringsBackNoLaterCommit() {
    long before;
    try (Store store = open()) {
      before = at(2_000_000, store, 1, 1);
      at(2_005_000, store, 2, 2);
      at(2_001_000, store, 3, 3);
      at(2_006_000, store, 4, 4);
    }
    assertThat(restore(2_001_500).lsn()).isEqualTo(before);
  }

  /** Each store is another process: it knows of the former ones' times by the archive. */
  @Test
  void aClockThatIsSetBackBetweenTwoOpeningsBringsBackNoLaterCommit() {
    long before;
    long last;
    try (Store store = open()) {
      before = at(2_000_000, store, 1, 1);
      at(2_005_000, store, 2, 2);
    }
    clock.millis.set(2_001_000); // before the opening, which writes a mark
    try (Store store = open()) {
      last = at(2_001_000, store, 3, 3);
    }
    assertThat(restore(2_001_500).lsn()).isEqualTo(before);
    assertThat(restore(2_005_000).lsn()).isEqualTo(last);
    try (Store store = open()) {
      last = at(2_006_000, store, 4, 4);
    }
    assertThat(restore(2_001_500).lsn()).isEqualTo(before);
    assertThat(restore(2_006_000).lsn()).isEqualTo(last);
  }

  /** A mark may be in the archive although its force has failed. */
  @Test
  void aClockThatIsSetBackAfterAForceThatFailedLosesNoLaterMark() {
    AtomicBoolean fails = new AtomicBoolean();
    Archive archive =
        Archive.to(
            () ->
                new FaultyTarget(
                    ArchiveTarget.over(place.storage()),
                    call -> {
                      if (call.startsWith("force") && fails.get()) {
                        throw new StorageException(StorageException.Reason.IO, "force", null);
                      }
                    }),
            Duration.ofHours(1));
    long last;
    try (Store store =
        Store.open(
            ArchiveTest.OPTIONS
                .withExecution(clock)
                .withStorage(disk.storage())
                .withArchive(archive))) {
      at(2_000_000, store, 1, 1);
      fails.set(true);
      assertThatThrownBy(() -> at(2_005_000, store, 2, 2)).hasMessageContaining("force");
      fails.set(false);
      last = at(2_001_000, store, 3, 3);
    }
    ArchiveReport report = StoreArchives.list(ArchiveTest.archive(place));
    assertThat(report.ranges().getLast().lsn()).isEqualTo(last);
    assertThat(report.remarks()).isEmpty();
  }

  /** Between two runs, commits were made that the archive does not have. */
  @Test
  void aTimeWithinAGapIsRefused() {
    try (Store store = open()) {
      at(2_000_000, store, 1, 1);
    }
    clock.millis.set(2_500_000);
    try (Store store = Store.open(ArchiveTest.OPTIONS.withStorage(disk.storage()))) {
      ArchiveTest.put(store, 2, 2);
    }
    long lsn;
    try (Store store = open()) {
      lsn = at(3_000_000, store, 3, 3);
    }
    assertThatThrownBy(() -> restore(2_600_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1970-01-01T00:33:20Z")
        .hasMessageContaining("1970-01-01T00:50:00Z");
    assertThat(restore(3_000_000).lsn()).isEqualTo(lsn);
  }
}
