package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Places of archives that lose what they have, or that more than one process writes to. */
final class ArchivePlaceTest {

  private final SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
  private final SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
  private final AtomicReference<Consumer<String>> before = new AtomicReference<>(_ -> {});

  private Archive archive() {
    return Archive.to(
        () ->
            new FaultyTarget(
                ArchiveTarget.over(place.storage()),
                call -> Objects.requireNonNull(before.get()).accept(call)),
        Duration.ofHours(1));
  }

  private List<String> objects(String kind) {
    return place.storage().list("").stream().filter(name -> name.contains(kind)).toList();
  }

  /** A directory that was removed takes what is written to its open files, and keeps nothing. */
  @Test
  void aPlaceThatWasEmptiedIsArchivedToAgain() {
    try (Store store = ArchiveTest.open(disk, place)) {
      ArchiveTest.put(store, 1, 1);
      store.admin().updateArchive();
      try (Storage storage = place.storage()) {
        storage.list("").forEach(storage::delete);
      }
      ArchiveTest.put(store, 2, 2);
      assertThatThrownBy(() -> store.admin().updateArchive()).hasMessageContaining("is gone from");
      assertThat(store.admin().archive().orElseThrow().restorable()).isFalse();
      ArchiveTest.put(store, 3, 3);
      assertThat(store.admin().updateArchive().gaps()).isEqualTo(1);
      assertThat(ArchiveTest.restored(place, ArchiveMoment.latest()).subList(1, 4))
          .containsExactly(1L, 2L, 3L);
    }
  }

  /** The two have one id. The archive of the older run ends, and says why. */
  @Test
  void aStoreAndItsRestoredCopyDoNotWriteToOneArchive() {
    SimulatedDisk copy = SimulatedDisk.builder(3).unit(CrashUnit.SECTOR).build();
    try (Store store = ArchiveTest.open(disk, place)) {
      long lsn = ArchiveTest.put(store, 1, 1);
      store.admin().updateArchive();
      ArchiveTest.put(store, 2, 2);
      store.admin().updateArchive();
      StoreArchives.restore(
          ArchiveTest.archive(place), copy::storage, ArchiveMoment.atLsn(lsn), Execution.system());
      try (Store restored = ArchiveTest.open(copy, place)) {
        ArchiveTest.put(restored, 3, 3);
        restored.admin().updateArchive();
        ArchiveTest.put(store, 4, 4);
        for (int i = 0; i < 2; i++) {
          assertThatThrownBy(() -> store.admin().updateArchive())
              .hasMessageContaining("another process has begun");
        }
        ArchiveTest.put(restored, 5, 5);
        restored.admin().updateArchive();
      }
      ArchiveTest.put(store, 6, 6); // the store goes on
    }
    ArchiveReport report = StoreArchives.list(ArchiveTest.archive(place));
    assertThat(report.ranges()).hasSize(2);
    assertThat(report.remarks()).anyMatch(remark -> remark.contains("went back"));
    assertThat(ArchiveTest.restored(place, ArchiveMoment.latest()).subList(1, 7))
        .containsExactly(1L, 0L, 3L, 0L, 5L, 0L);
  }

  @Test
  void aStoreThatWasClosedDoesNotGoBack() {
    for (int i = 0; i < 3; i++) {
      try (Store store = ArchiveTest.open(disk, place)) {
        ArchiveTest.put(store, 1, 1);
        store.admin().updateArchive();
      }
    }
    assertThat(StoreArchives.list(ArchiveTest.archive(place)).remarks()).isEmpty();
  }

  /** Every object names the store. */
  @Test
  void anArchiveWhoseNameIsLostIsRestoredAndNamedAgain() {
    try (Store store = ArchiveTest.open(disk, place)) {
      ArchiveTest.put(store, 1, 1);
      store.admin().updateArchive();
    }
    for (boolean isMissing : new boolean[] {false, true}) {
      if (isMissing) {
        place.remove("archive.howdah");
      } else {
        place.flipBit("archive.howdah", 20, 1);
      }
      assertThat(StoreArchives.list(archive()).remarks())
          .anyMatch(remark -> remark.startsWith("archive.howdah is "));
      assertThat(ArchiveTest.restored(place, ArchiveMoment.latest()).get(1)).isEqualTo(1);
      try (Store other = ArchiveTest.open(SimulatedDisk.seeded(9), place)) {
        assertThatThrownBy(() -> other.admin().updateArchive())
            .hasMessageContaining("holds the archive of store");
      }
      try (Store store = ArchiveTest.open(disk, place)) {
        store.admin().updateArchive();
      }
      assertThat(StoreArchives.list(archive()).remarks()).isEmpty();
    }
  }

  /** Retention of the process that has the store open removes objects at any time. */
  @Test
  void anArchiveIsReadWhileObjectsAreRemoved() {
    for (int i = 0; i < 3; i++) {
      try (Store store = ArchiveTest.open(disk, place)) {
        ArchiveTest.put(store, 1, i);
        store.admin().updateArchive();
      }
    }
    List<String> oldest =
        objects(".log.").stream().filter(name -> name.startsWith("00000001")).toList();
    before.set(
        call -> {
          if (call.equals("read")) { // the list was made
            before.set(_ -> {});
            oldest.forEach(place::remove);
          }
        });
    assertThat(StoreArchives.list(archive()).ranges()).hasSize(2);
  }

  /** Each would take as much space as the store. */
  @Test
  void basesThatWereNotCompletedAreRemoved() {
    try (Store store =
        Store.open(ArchiveTest.OPTIONS.withStorage(disk.storage()).withArchive(archive()))) {
      ArchiveTest.put(store, 1, 1);
      store.admin().updateArchive();
      String state = " 512";
      for (int i = 0; i < 5; i++) {
        place.remove("archive.howdah"); // begins a run
        assertThatThrownBy(() -> store.admin().updateArchive()).hasMessageContaining("is gone");
        before.set(
            call -> {
              if (call.startsWith("force") && call.contains(".base.")) {
                throw new StorageException(StorageException.Reason.IO, "write" + state, null);
              }
            });
        assertThatThrownBy(() -> store.admin().updateArchive()).hasMessageContaining("write");
        assertThatThrownBy(() -> store.admin().updateArchive()).hasMessageContaining("write");
        before.set(_ -> {});
        store.admin().updateArchive();
      }
      assertThat(objects(".base.")).as("complete bases").hasSize(6);
    }
  }
}
