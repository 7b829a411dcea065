package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import org.junit.jupiter.api.Test;

final class SpareSegmentsTest {

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);
  private Storage storage = disk.storage();

  private void segments(long... megabytes) {
    storage.createDirectory(SegmentNames.LOG_DIRECTORY);
    storage.createDirectory(SegmentNames.DIRECTORY);
    for (int i = 0; i < megabytes.length; i++) {
      try (StorageFile file = storage.create(SegmentNames.name(i))) {
        file.setSize(megabytes[i] << 20);
        file.force();
      }
    }
  }

  private long megabytes() {
    long bytes = 0;
    for (String entry : storage.list(SegmentNames.DIRECTORY)) {
      try (StorageFile file =
          storage.open(SegmentNames.DIRECTORY + "/" + entry, Storage.Access.READ)) {
        bytes += file.sizeBytes();
      }
    }
    return bytes >> 20;
  }

  @Test
  void littleDataKeepsShortSegmentsOnly() {
    segments(64, 1, 64, 2, 4, 64);
    SpareSegments.keep(storage, 1 << 20);
    assertThat(megabytes()).isEqualTo(7);
  }

  @Test
  void muchDataKeepsAsMuchLog() {
    segments(64, 1, 64, 2, 4, 64);
    SpareSegments.keep(storage, 140L << 20);
    assertThat(megabytes()).isEqualTo(135);
  }

  @Test
  void whatIsWithinTheBoundStays() {
    segments(1, 2, 4);
    SpareSegments.keep(storage, 0);
    assertThat(megabytes()).isEqualTo(7);
  }

  @Test
  void aLogThatIsGoneIsNoReasonToFail() {
    SpareSegments.keep(storage, 0);
    assertThat(storage.list(SegmentNames.DIRECTORY)).isEmpty();
  }

  @Test
  void whatIsDeletedStaysDeletedInAPowerCut() {
    segments(1, 64);
    storage.forceDirectory("");
    storage.forceDirectory(SegmentNames.LOG_DIRECTORY);
    storage.forceDirectory(SegmentNames.DIRECTORY);
    SpareSegments.keep(storage, 0);
    disk.powerCut(CrashChoice.LOSE_ALL);
    storage = disk.storage();
    assertThat(megabytes()).isEqualTo(1);
  }
}
