package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveMoment;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.Execution;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What an archive holds, and what is restored from it. */
final class ArchiveTest {

  static final int WORDS = 64;

  static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(2)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  private final SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
  private final SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();

  /** An archive that is brought up to date when the test says so. */
  static Archive archive(SimulatedDisk place) {
    return Archive.to(() -> ArchiveTarget.over(place.storage()), Duration.ofHours(1));
  }

  static Store open(SimulatedDisk disk, SimulatedDisk place) {
    return Store.open(OPTIONS.withStorage(disk.storage()).withArchive(archive(place)));
  }

  /** Writes one word, and so makes a commit with an LSN of its own. */
  static long put(Store store, int word, long value) {
    return store.run(
        TxOptions.sync(),
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(WORDS * 8L));
          }
          tx.putLong(tx.root(0) + word % WORDS * 8L, value);
        });
  }

  static List<Long> words(Store store) {
    return store.read(
        tx -> {
          List<Long> words = new ArrayList<>();
          for (int i = 0; i < WORDS && tx.root(0) != 0; i++) {
            words.add(tx.getLong(tx.root(0) + i * 8L));
          }
          return words;
        });
  }

  /** Restores to a new disk, as of a time. */
  static StoreArchives.Restored restoredAt(SimulatedDisk place, long millis) {
    return StoreArchives.restore(
        archive(place),
        SimulatedDisk.seeded(3)::storage,
        ArchiveMoment.atTime(Instant.ofEpochMilli(millis)),
        Execution.system());
  }

  /** Restores to a new disk and returns the words there. */
  static List<Long> restored(SimulatedDisk place, ArchiveMoment moment) {
    SimulatedDisk target = SimulatedDisk.seeded(3);
    StoreArchives.restore(archive(place), target::storage, moment, Execution.system());
    assertThat(StoreBackups.check(target.storage(), Execution.system()).remarks()).isEmpty();
    try (Store store = Store.open(OPTIONS.withStorage(target.storage()))) {
      return words(store);
    }
  }

  @Test
  void everyLsnOfTheRangeIsRestoredAsASerialExecutionUpToIt() {
    TreeMap<Long, List<Long>> states = new TreeMap<>();
    states.put(0L, List.of());
    try (Store store = open(disk, place)) {
      for (int i = 0; i < 40; i++) {
        states.put(put(store, i, i + 1), words(store));
      }
      store.admin().updateArchive();
      for (int i = 40; i < 120; i++) {
        states.put(put(store, i, i + 1), words(store));
        if (i % 20 == 0) {
          store.admin().checkpoint();
          store.admin().updateArchive();
        }
      }
    }
    List<ArchiveReport.Range> ranges = StoreArchives.list(archive(place)).ranges();
    assertThat(ranges).hasSize(1);
    assertThat(ranges.getFirst().lsn()).isEqualTo(states.lastKey());
    assertThat(ranges.getFirst().fromLsn()).isLessThanOrEqualTo(40L);
    for (long lsn = ranges.getFirst().fromLsn(); lsn <= ranges.getFirst().lsn(); lsn++) {
      assertThat(restored(place, ArchiveMoment.atLsn(lsn)))
          .as("LSN %d", lsn)
          .isEqualTo(states.floorEntry(lsn).getValue());
    }
    assertThat(restored(place, ArchiveMoment.latest())).isEqualTo(states.lastEntry().getValue());
    long beyond = ranges.getFirst().lsn() + 1;
    assertThatThrownBy(() -> restored(place, ArchiveMoment.atLsn(beyond)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("only from LSN " + ranges.getFirst().fromLsn() + " to ");
    assertThat(StoreArchives.verify(archive(place)).damages()).isEmpty();
  }

  @Test
  void eachOpeningBeginsARun() {
    List<List<Long>> states = new ArrayList<>();
    for (int opening = 0; opening < 3; opening++) {
      try (Store store = open(disk, place)) {
        for (int i = 0; i < 10; i++) {
          put(store, i, opening * 100 + i);
        }
        store.admin().updateArchive();
        put(store, 20, opening);
        states.add(words(store));
      }
    }
    List<ArchiveReport.Range> ranges = StoreArchives.list(archive(place)).ranges();
    assertThat(ranges).hasSize(3);
    for (int opening = 0; opening < 3; opening++) {
      assertThat(restored(place, ArchiveMoment.atLsn(ranges.get(opening).lsn())))
          .isEqualTo(states.get(opening));
    }
  }

  /** A store that went back to an earlier moment gives LSNs again. */
  @Test
  void anLsnThatTwoRunsHaveMeansTheNewerRun() {
    long first;
    long last = 0;
    try (Store store = open(disk, place)) {
      first = put(store, 0, 1);
      store.admin().updateArchive();
      for (int i = 1; i < 10; i++) {
        last = put(store, i, 100 + i);
      }
      store.admin().updateArchive();
    }
    SimulatedDisk back = SimulatedDisk.builder(3).unit(CrashUnit.SECTOR).build();
    StoreArchives.restore(
        archive(place), back::storage, ArchiveMoment.atLsn(first), Execution.system());
    TreeMap<Long, List<Long>> states = new TreeMap<>();
    try (Store store = open(back, place)) {
      store.admin().updateArchive();
      for (int i = 1; i < 6; i++) {
        states.put(put(store, i, 200 + i), words(store));
      }
      store.admin().updateArchive();
    }
    assertThat(states.lastKey()).as("LSNs that both runs have").isLessThanOrEqualTo(last);
    states.forEach(
        (lsn, words) ->
            assertThat(restored(place, ArchiveMoment.atLsn(lsn)))
                .as("LSN %d", lsn)
                .isEqualTo(words));
  }

  @Test
  void aStoreThatIsOpenIsArchivedOnRequest() {
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      put(store, 1, 1);
      assertThat(store.admin().archive()).isEmpty();
      store.admin().startArchive(archive(place));
      assertThatThrownBy(() -> store.admin().startArchive(archive(place)))
          .isInstanceOf(IllegalStateException.class);
      put(store, 2, 2);
      ArchiveStatus status = store.admin().updateArchive();
      assertThat(status.restorable()).isTrue();
      long lsn = put(store, 3, 3);
      assertThat(store.admin().stopArchive()).isTrue();
      assertThat(store.admin().stopArchive()).isFalse();
      put(store, 4, 4);
      assertThat(StoreArchives.list(archive(place)).ranges().getFirst().lsn()).isEqualTo(lsn);
    }
    List<Long> words = restored(place, ArchiveMoment.latest());
    assertThat(words.get(3)).isEqualTo(3);
    assertThat(words.get(4)).isZero();
  }

  @Test
  void anotherStoresArchiveIsRefused() {
    try (Store store = open(disk, place)) {
      put(store, 1, 1);
      store.admin().updateArchive();
    }
    try (Store other = open(SimulatedDisk.seeded(9), place)) {
      put(other, 1, 5);
      assertThatThrownBy(() -> other.admin().updateArchive())
          .hasMessageContaining("holds the archive of store");
      assertThat(other.admin().archive().orElseThrow().problem()).isPresent();
    }
    assertThat(restored(place, ArchiveMoment.latest()).get(1)).isEqualTo(1);
  }

  @Test
  void anEmptyPlaceIsNoArchive() {
    try (Storage storage = place.storage()) {
      assertThat(storage.list("")).isEmpty();
    }
    assertThatThrownBy(() -> StoreArchives.list(archive(place)))
        .hasMessageContaining("there is no archive");
  }
}
