package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.BatchId;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which summaries of a log may lead into the log that a superblock describes. */
class LogShortcutTest {

  private static final RingPlacement RINGS = new RingPlacement.StoreDirectory(4711);

  private long generation = 7;
  private long baseLsn = 90;
  private RingPlacement rings = RINGS;
  private final List<ClosedGeneration> closed = new ArrayList<>();

  private Superblock superblock() {
    return new Superblock(
        HandMadeLog.STORE,
        0,
        new Geometry(1, 1 << 16, 1 << 20, 1024, 32, 4096),
        1,
        generation,
        baseLsn,
        false,
        rings,
        new LogState(3, 3, 1),
        new CheckpointState(4, 110, 112, 0, CheckpointState.Phase.FOLDED, 0, 4096, 0),
        closed);
  }

  private boolean isOf(long segment, long batch, long since, long above, long image, long last) {
    return new LogShortcut(7, segment, batch, since, above, image, new BatchId(last, 1))
        .isOf(superblock());
  }

  private boolean isUsual() {
    return isOf(5, 20, 100, 120, 130, 25);
  }

  @ParameterizedTest
  @CsvSource({
    "5, 20, 100, 120, 130, 25, true",
    "4, 20, 100, 120, 130, 25, true",
    "3, 20, 100, 120, 130, 25, false",
    "5, 2, 100, 120, 130, 25, true",
    "5, 1, 100, 120, 130, 25, false",
    "5, 20, 110, 120, 130, 25, true",
    "5, 20, 111, 120, 130, 25, false",
    "5, 20, 100, 111, 130, 25, true",
    "5, 20, 100, 110, 130, 25, false",
    "5, 20, 100, 120, 120, 25, true",
    "5, 20, 100, 120, 119, 25, false",
    "5, 20, 100, 120, 18014398509481983, 25, true",
    "5, 20, 100, 120, 18014398509481984, 25, false",
    "5, 20, 100, 120, 130, 20, true",
    "5, 20, 100, 120, 130, 19, false",
  })
  void itLiesBehindTheCheckpointAndIsOneInItself(
      long segment, long batch, long since, long above, long image, long last, boolean expected) {
    assertThat(isOf(segment, batch, since, above, image, last)).isEqualTo(expected);
  }

  @Test
  void itIsOfTheOpenGenerationOnlyIfThatHasAcceptedCommits() {
    assertThat(isUsual()).isTrue();
    rings = new RingPlacement.None();
    assertThat(isUsual()).isFalse();
    rings = RINGS;
    generation = 8;
    assertThat(isUsual()).isFalse();
  }

  @Test
  void itIsAboveTheOpenGenerationsBase() {
    baseLsn = 119;
    assertThat(isUsual()).isTrue();
    baseLsn = 120;
    assertThat(isUsual()).isFalse();
  }

  private boolean isOfClosed(long base, long cut, long lastBatch) {
    generation = 9;
    baseLsn = 200;
    closed.clear();
    closed.add(new ClosedGeneration(6, 50, 60, 70, List.of(0L)));
    closed.add(new ClosedGeneration(7, base, cut, lastBatch, List.of(0L)));
    return isUsual();
  }

  @Test
  void itIsWithinWhatSurvivedOfAClosedGeneration() {
    assertThat(isOfClosed(90, 130, 25)).isTrue();
    assertThat(isOfClosed(90, 129, 25)).isFalse();
    assertThat(isOfClosed(119, 130, 25)).isTrue();
    assertThat(isOfClosed(120, 130, 25)).isFalse();
    assertThat(isOfClosed(90, 130, 24)).isFalse();
  }

  @Test
  void segmentsBeforeItAndFromItOnAreAddedUp() {
    HandMadeLog log = HandMadeLog.on(SimulatedDisk.seeded(9).storage());
    for (int megabytes = 1; megabytes <= 4; megabytes++) {
      log.segment(megabytes << 20);
    }
    LogShortcut shortcut = new LogShortcut(1, 3, 20, 0, 5, 5, new BatchId(25, 1));
    assertThat(shortcut.lengths(log.storage, log.superblock()))
        .isEqualTo(new LogShortcut.Lengths(3 << 20, 7 << 20));
  }
}
