package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.ArchiveMoment;
import io.howdah.core.Execution;
import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Restores whose target is full, dies, or holds something. */
final class ArchiveRestoreFaultsTest {

  private final SimulatedDisk place = SimulatedDisk.builder(2).unit(CrashUnit.SECTOR).build();
  private List<Long> words = List.of();

  /** Two openings, so that the second one's base refers to that of the first one. */
  @BeforeEach
  void archive() {
    SimulatedDisk disk = SimulatedDisk.builder(1).unit(CrashUnit.SECTOR).build();
    for (int opening = 0; opening < 2; opening++) {
      try (Store store = ArchiveTest.open(disk, place)) {
        for (int i = 0; i < 20; i++) {
          ArchiveTest.put(store, i, 10 + i + opening);
        }
        store.admin().checkpoint();
        store.admin().updateArchive();
        ArchiveTest.put(store, 30, opening);
        store.admin().updateArchive();
        words = ArchiveTest.words(store);
      }
    }
  }

  private void restore(SimulatedDisk target) {
    StoreArchives.restore(
        ArchiveTest.archive(place), target::storage, ArchiveMoment.latest(), Execution.system());
  }

  private List<Long> opened(SimulatedDisk target) {
    try (Store store = Store.open(ArchiveTest.OPTIONS.withStorage(target.storage()))) {
      return ArchiveTest.words(store);
    }
  }

  @Test
  void aTargetThatIsFullHoldsNothingAfterwards() {
    SimulatedDisk target = SimulatedDisk.builder(3).unit(CrashUnit.SECTOR).build();
    int failed = 0;
    boolean isRestored = false;
    for (long free = 0; !isRestored; free += 10_000) {
      target.setFreeBytes(free);
      try {
        restore(target);
        isRestored = true;
      } catch (StorageException e) {
        assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_SPACE);
        assertThat(target.storage().list("")).as("with %d bytes", free).isEmpty();
        failed++;
      }
    }
    assertThat(failed).isPositive();
    target.setFreeBytes(1 << 30);
    assertThat(opened(target)).isEqualTo(words);
  }

  @Test
  void aTargetThatHoldsAStoreIsLeftAsItIs() {
    SimulatedDisk target = SimulatedDisk.builder(3).unit(CrashUnit.SECTOR).build();
    restore(target);
    assertThatThrownBy(() -> restore(target)).isInstanceOf(UnsupportedStoreException.class);
    assertThat(opened(target)).isEqualTo(words);
  }

  /** What a restore has left that was cut short is no store, or the whole one. */
  @ParameterizedTest
  @EnumSource(CrashMoment.class)
  void aRestoreThatWasCutShortLeavesNoHalfAStore(CrashMoment moment) {
    boolean ended = false;
    int refused = 0;
    for (int operation = OperationSample.first(moment);
        !ended;
        operation += OperationSample.STRIDE) {
      SimulatedDisk target = SimulatedDisk.builder(operation).unit(CrashUnit.SECTOR).build();
      target.crashAtOperation(operation, moment);
      try {
        restore(target);
      } catch (RuntimeException | SimulatedCrash e) {
        assertThat(target.hasCrashed()).as("operation %d: %s", operation, e).isTrue();
      }
      ended = !target.hasCrashed();
      for (CrashChoice choice : List.of(CrashChoice.LOSE_ALL, CrashChoice.KEEP_ALL)) {
        SimulatedDisk left = target.fork();
        if (ended) {
          left.kill();
        } else {
          left.powerCut(choice);
        }
        if (left.storage().list("").isEmpty()) {
          continue;
        }
        try {
          assertThat(opened(left)).as("operation %d", operation).isEqualTo(words);
        } catch (HowdahException e) {
          refused++;
        }
      }
    }
    assertThat(refused).as("copies that were not complete").isPositive();
  }
}
