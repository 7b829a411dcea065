package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RingLayout;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A kill within a large transaction, beside a checkpoint that has trimmed the log to segments that
 * hold parts of it alone; and a second kill.
 */
final class RelogOfPartsTest {

  private final HandMadeLog log =
      new HandMadeLog(SimulatedDisk.seeded(9).storage(), 1, RingLayout.MIN_CAPACITY);

  @BeforeEach
  void killWithinTheTransaction() {
    log.segment();
    log.commit(0, 1).commit(0, 2);
    log.batch(2, 0);
    log.segment();
    log.part(0, 7, 0, 64, 1);
    log.batch(2, 2);
    log.part(0, 7, 1, 72, 2); // in the ring alone
    log.rings();
    log.replayAbove = 2;
  }

  private Superblock killed() {
    return log.superblock().change().withLog(new LogState(2, 1, 2)).build();
  }

  private RecoveredLog recover(Superblock superblock) {
    return LogRecovery.recover(
        log.storage, new HandMadeLog.OneProcessor(), superblock, (_, _, _) -> {});
  }

  @Test
  void theNextOpeningReadsPartsThatOnlyTheRingContained() {
    RecoveredLog first = recover(killed());
    ClosedGeneration closed = Objects.requireNonNull(first.closed());
    assertThat(closed.cut()).isEqualTo(2);
    Superblock opened =
        killed()
            .change()
            .withGeneration(2)
            .withBaseLsn(first.baseLsn())
            .withRings(new RingPlacement.None())
            .withLog(new LogState(2, first.nextSegmentSequence(), 2))
            .withClosedGenerations(List.of(closed))
            .build();
    assertThat(recover(opened).baseLsn()).isEqualTo(2);
  }

  @Test
  void soDoesOneAfterAKillWithinTheOpening() {
    recover(killed());
    assertThat(Objects.requireNonNull(recover(killed()).closed()).cut()).isEqualTo(2);
  }
}
