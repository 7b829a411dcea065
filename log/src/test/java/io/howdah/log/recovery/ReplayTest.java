package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.log.commit.Lsn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches that carry a valid checksum and impossible contents end in an error that says so. */
class ReplayTest {

  private static final int SECTION_BYTES =
      BatchLayout.SECTION_HEADER_LENGTH + RedoRecordLayout.MIN_LENGTH;

  @TempDir Path directory;
  private FileStorage storage;
  private StagingMemory memory;
  private RecordStash stash;
  private Replay replay;

  @BeforeEach
  void start() {
    storage = FileStorage.open(directory);
    memory = new StagingMemory();
    stash = new RecordStash(storage, memory);
    replay =
        new Replay(
            "log/0", 2, 0, 0, 0, Long.MAX_VALUE, false, 4096, stash, (source, from, to) -> {});
  }

  @AfterEach
  void end() {
    stash.close();
    memory.close();
    storage.close();
  }

  /** Returns a batch with one VOID record of this LSN in each partition. */
  private static Batch batch(long lsn, int partitions, long maxLsn) {
    Batch batch = new Batch();
    batch.length = BatchLayout.HEADER_LENGTH + partitions * SECTION_BYTES;
    batch.bytes = ByteBuffer.allocate(batch.length).order(ByteOrder.LITTLE_ENDIAN);
    batch.file = "log/0/00000001.seg";
    batch.fileOffset = 4096;
    batch.sectionCount = partitions;
    batch.maxLsn = maxLsn;
    ByteBuffer bytes = batch.bytes.position(BatchLayout.HEADER_LENGTH);
    for (int p = 0; p < partitions; p++) {
      bytes.putInt(p).putInt(RedoRecordLayout.MIN_LENGTH).putLong(0);
      bytes.putLong(
          RedoRecordLayout.head(RedoRecordLayout.MIN_LENGTH, RedoRecordLayout.KIND_VOID, 0));
      bytes.putLong(Lsn.pack(lsn, p)).putLong(0).putLong(0);
    }
    return batch;
  }

  @Test
  void aRecordAboveItsBatchsBoundIsDamage() {
    assertThatThrownBy(() -> replay.add(batch(5, 1, 4)))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("00000001.seg")
        .hasMessageContaining("the bound is 4");
  }

  @Test
  void anLsnThatTwoPartitionsHaveIsDamage() {
    replay.add(batch(5, 2, 5));
    assertThatThrownBy(() -> replay.logTail())
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("LSN 5 occurs twice");
  }

  @Test
  void aBatchAsTheFlusherWritesItIsNot() {
    replay.add(batch(5, 1, 5));
    LogTail tail = replay.logTail();
    assertThat(tail.size()).isEqualTo(1);
    assertThat(Lsn.dense(tail.lsn(0))).isEqualTo(5);
  }
}
