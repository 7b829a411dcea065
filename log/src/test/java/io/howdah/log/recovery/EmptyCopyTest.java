package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.Superblock;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a trimmed log begins, a header that says that it is the batch before, of no length. */
final class EmptyCopyTest {

  private static final LogIdentity IDENTITY =
      new LogIdentity(HandMadeLog.STORE.high(), HandMadeLog.STORE.low());

  private static int crc(ByteBuffer page, int free) {
    page.putInt(BatchLayout.CRC_OFFSET - 4, free);
    return Crc32c.of(page, 0, BatchLayout.CRC_OFFSET);
  }

  /** Chooses the four reserved bytes so that the header has a checksum. */
  private static void forge(ByteBuffer page, int wanted) {
    int base = crc(page, 0);
    int[] rows = new int[32];
    int[] from = new int[32];
    for (int bit = 0; bit < 32; bit++) {
      rows[bit] = crc(page, 1 << bit) ^ base;
      from[bit] = 1 << bit;
    }
    int left = wanted ^ base;
    int free = 0;
    for (int bit = 31, next = 0; bit >= 0; bit--) {
      int pivot = next;
      while (pivot < 32 && (rows[pivot] >>> bit & 1) == 0) {
        pivot++;
      }
      if (pivot == 32) {
        continue;
      }
      int row = rows[pivot];
      int source = from[pivot];
      rows[pivot] = rows[next];
      from[pivot] = from[next];
      rows[next] = row;
      from[next] = source;
      for (int i = 0; i < 32; i++) {
        if (i != next && (rows[i] >>> bit & 1) != 0) {
          rows[i] ^= row;
          from[i] ^= source;
        }
      }
      if ((left >>> bit & 1) != 0) {
        left ^= row;
        free ^= source;
      }
      next++;
    }
    if (crc(page, free) != wanted) {
      throw new AssertionError("not forged");
    }
    page.putInt(BatchLayout.CRC_OFFSET, wanted);
  }

  @Test
  @Timeout(value = 5, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anEmptyBatchIsNoCopy() {
    SimulatedDisk disk = SimulatedDisk.seeded(9);
    HandMadeLog log = new HandMadeLog(disk.storage(), 1, RingLayout.MIN_CAPACITY);
    log.segment();
    log.commit(0, 1).commit(0, 2);
    log.batch(2, 0);
    log.segment();
    log.commit(0, 3);
    int at = log.batch(3, 2);
    ByteBuffer page = ByteBuffer.allocateDirect(4096).order(ByteOrder.LITTLE_ENDIAN);
    page.putLong(BatchLayout.MAGIC_OFFSET, BatchLayout.MAGIC)
        .putLong(BatchLayout.STORE_TAG_OFFSET, IDENTITY.storeTag())
        .putLong(BatchLayout.GENERATION_OFFSET, 1)
        .putLong(BatchLayout.SEQUENCE_OFFSET, 1)
        .putInt(BatchLayout.LENGTH_OFFSET, 0);
    forge(page, IDENTITY.firstPreviousCrc(1));
    log.write(at, page);
    log.rings();
    log.replayAbove = 2;
    Superblock superblock = log.superblock().change().withLog(new LogState(2, 1, 2)).build();
    assertThatThrownBy(
            () -> LogRecovery.check(log.storage, new HandMadeLog.OneProcessor(), superblock))
        .isInstanceOf(CorruptStoreException.class);
  }
}
