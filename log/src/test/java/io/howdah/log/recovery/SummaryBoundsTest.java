package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a summary of the log names as durable and the superblock does not know of is damage: the
 * superblock is of an earlier state of the store.
 */
class SummaryBoundsTest {

  private static final RingPlacement RINGS = new RingPlacement.StoreDirectory(4711);

  private final Storage storage = SimulatedDisk.seeded(3).storage();

  /** Generation 9 is open, and 7 was closed with LSN 130 and batch 25. */
  private static Superblock superblock(boolean isClean, RingPlacement rings) {
    return new Superblock(
        HandMadeLog.STORE,
        0,
        new Geometry(1, 1 << 16, 1 << 20, 1024, 32, 4096),
        1,
        9,
        200,
        isClean,
        rings,
        new LogState(3, 3, 1),
        new CheckpointState(4, 110, 112, 0, CheckpointState.Phase.FOLDED, 0, 4096, 0),
        List.of(
            new ClosedGeneration(6, 50, 60, 70, List.of(0L)),
            new ClosedGeneration(7, 90, 130, 25, List.of(0L))));
  }

  private void summary(long generation, long imageLsn, long lastBatch) {
    storage.createDirectory("log");
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.create(SummaryFile.name(1))) {
      int length = (int) LogSummaryLayout.length(1);
      ByteBuffer bytes = memory.allocate(length);
      bytes
          .putLong(LogSummaryLayout.MAGIC_OFFSET, LogSummaryLayout.MAGIC)
          .putInt(LogSummaryLayout.VERSION_OFFSET, LogSummaryLayout.VERSION)
          .putInt(LogSummaryLayout.PAGE_BYTES_OFFSET, 4096)
          .putLong(LogSummaryLayout.STORE_ID_HIGH_OFFSET, HandMadeLog.STORE.high())
          .putLong(LogSummaryLayout.STORE_ID_LOW_OFFSET, HandMadeLog.STORE.low())
          .putLong(LogSummaryLayout.GENERATION_OFFSET, generation)
          .putLong(LogSummaryLayout.SEGMENT_OFFSET, 5)
          .putLong(LogSummaryLayout.BATCH_OFFSET, 20)
          .putLong(LogSummaryLayout.SINCE_OFFSET, 100)
          .putLong(LogSummaryLayout.REPLAY_ABOVE_OFFSET, 120)
          .putLong(LogSummaryLayout.IMAGE_LSN_OFFSET, imageLsn)
          .putLong(LogSummaryLayout.MAP_WORDS_OFFSET, 1)
          .putLong(LogSummaryLayout.LAST_BATCH_OFFSET, lastBatch)
          .putInt(LogSummaryLayout.LAST_BATCH_CRC_OFFSET, 1);
      bytes.putInt(
          LogSummaryLayout.CRC_OFFSET, Crc32c.around(bytes, LogSummaryLayout.CRC_OFFSET, length));
      file.write(0, bytes.position(0).limit(length));
    }
  }

  private void read(Superblock superblock) {
    LogEvidence.of(null).addAll(storage, superblock);
  }

  @ParameterizedTest
  @CsvSource({
    "7, 130, 25, true",
    "7, 131, 25, false",
    "7, 130, 26, false",
    "7, 131, 24, false",
    "8, 500, 500, true",
    "9, 500, 500, true",
    "10, 130, 25, false"
  })
  void aSummaryEndsWithinWhatTheSuperblockKnows(
      long generation, long imageLsn, long lastBatch, boolean isKnown) {
    summary(generation, imageLsn, lastBatch);
    if (isKnown) {
      assertThatCode(() -> read(superblock(false, RINGS))).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(() -> read(superblock(false, RINGS)))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining(SummaryFile.name(1))
          .hasMessageContaining("accept-rollback");
    }
  }

  /** The batch that a summary names holds all LSNs that it names, and has the named checksum. */
  @ParameterizedTest
  @CsvSource({
    "9, 25, 1, 210, true",
    "9, 25, 1, 211, true",
    "9, 25, 1, 209, false",
    "9, 25, 2, 210, false",
    "9, 24, 2, 209, true",
    "8, 25, 2, 209, true"
  })
  void theBatchThatASummaryNamesIsTheOneOfTheLog(
      long generation, long sequence, int crc, long maxLsn, boolean isAsNamed) {
    summary(9, 210, 25);
    LogEvidence evidence = LogEvidence.of(null);
    evidence.addAll(storage, superblock(false, RINGS));
    Batch batch = new Batch();
    batch.file = "log/0/00000001.seg";
    batch.sequence = sequence;
    batch.crc = crc;
    batch.maxLsn = maxLsn;
    if (isAsNamed) {
      assertThatCode(() -> evidence.compare(generation, batch)).doesNotThrowAnyException();
      boolean isSeen = generation == 9 && sequence == 25;
      assertThat(evidence.durableLsn(9)).isEqualTo(isSeen ? 210 : 0);
    } else {
      assertThatThrownBy(() -> evidence.compare(generation, batch))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining(batch.file)
          .hasMessageContaining(SummaryFile.name(1) + " names as durable");
    }
  }

  @ParameterizedTest
  @CsvSource({"false, false, false", "true, false, true", "false, true, true"})
  void aGenerationWithoutCommitsHasNoSummary(boolean isClean, boolean hasRings, boolean isKnown) {
    summary(9, 210, 5);
    Superblock superblock = superblock(isClean, hasRings ? RINGS : new RingPlacement.None());
    if (isKnown) {
      assertThatCode(() -> read(superblock)).doesNotThrowAnyException();
    } else {
      assertThatThrownBy(() -> read(superblock)).isInstanceOf(CorruptStoreException.class);
    }
  }
}
