package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RingLayout;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Up to where a log has everything, which is what a backup is held to. */
final class CompleteLsnTest {

  private final HandMadeLog log =
      new HandMadeLog(SimulatedDisk.seeded(9).storage(), 2, RingLayout.MIN_CAPACITY);

  private RecoveredLog check() {
    return LogRecovery.check(log.storage, new HandMadeLog.OneProcessor(), log.superblock());
  }

  @Test
  void aSurvivorBehindAGapDoesNotCount() {
    log.placement = RingPlacement.ABSENT;
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(1, 3); // LSN 2 was published only after this batch had been filled
    log.batch(1, 1);
    log.commit(0, 2);
    int last = log.batch(3, 1);
    assertThat(check().completeLsn()).isEqualTo(3);

    log.write(last + 120, ByteBuffer.allocateDirect(8).putLong(0, -1));
    RecoveredLog damaged = check();
    assertThat(Objects.requireNonNull(damaged.closed()).lastSurvivor()).isEqualTo(3);
    assertThat(damaged.completeLsn()).isEqualTo(1);
  }
}
