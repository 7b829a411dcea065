package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.flush.OpenFiles;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bytes of a file count as a batch that should not be there. */
class BatchTracesTest {

  private static final int PAGE = BatchLayout.ALIGNMENT;
  private static final int HEADER = SegmentLayout.HEADER_LENGTH;
  private static final int SPAN = 1 << 20;
  private static final int FILE_BYTES = 4 * SPAN;
  private static final int PARTITIONS = 3;
  private static final long LSN = 9;

  private final SimulatedDisk disk = SimulatedDisk.seeded(9);
  private final HandMadeLog log = HandMadeLog.on(disk.storage());
  private final StagingMemory memory = new StagingMemory();
  private final OpenFiles files = new OpenFiles(disk.storage());
  private final BatchTraces traces =
      new BatchTraces(
          files.storage(),
          new LogIdentity(HandMadeLog.STORE.high(), HandMadeLog.STORE.low()),
          PARTITIONS,
          memory);
  private String name = "";

  @BeforeEach
  void emptySegment() {
    name = log.segment(FILE_BYTES);
  }

  @AfterEach
  void end() {
    memory.close();
    assertThat(files.open()).isEmpty();
  }

  /** Returns a batch of a generation and sequence, of this many pages. */
  private ByteBuffer batch(long generation, long sequence, int pages) {
    log.generation = generation;
    log.sequence = sequence - 1;
    for (int i = 0; i < pages; i++) {
      log.run(0, LSN + i, 0, i == 0 ? 100 : 505);
    }
    ByteBuffer batch = log.encode(LSN, 0);
    assertThat(batch.capacity()).isEqualTo(pages * PAGE);
    return batch;
  }

  private void putAt(int offset, ByteBuffer batch) {
    log.write(offset, batch.clear());
  }

  private long found(long from) {
    return traces.firstAfter(name, from, 4, 7, 5);
  }

  @Test
  void aBatchIsLaterByItsSequenceOrItsGeneration() {
    long[][] batches = {
      {4, 6, -1}, {4, 7, -1}, {4, 8, HEADER}, {3, 99, -1}, {5, 1, HEADER}, {6, 1, -1}
    };
    for (long[] each : batches) {
      emptySegment();
      HandMadeLog fresh = HandMadeLog.on(SimulatedDisk.seeded(1).storage());
      fresh.generation = each[0];
      fresh.sequence = each[1] - 1;
      fresh.commit(1, LSN);
      putAt(HEADER, fresh.encode(LSN, 0));
      assertThat(found(HEADER))
          .as("batch %d of generation %d", each[1], each[0])
          .isEqualTo(each[2]);
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        HEADER,
        HEADER + PAGE,
        HEADER + SPAN - PAGE,
        HEADER + SPAN,
        HEADER + 2 * SPAN - 2 * PAGE,
        FILE_BYTES - 3 * PAGE
      })
  void aBatchIsFoundWhereverItLies(int offset) {
    putAt(offset, batch(4, 8, 3));
    assertThat(found(HEADER)).isEqualTo(offset);
    assertThat(found(offset)).isEqualTo(offset);
    assertThat(found(offset + PAGE)).isEqualTo(-1);
  }

  @Test
  void theFirstOfSeveralIsFound() {
    ByteBuffer batch = batch(4, 8, 1);
    putAt(HEADER + 5 * PAGE, batch);
    putAt(HEADER + SPAN + PAGE, batch);
    assertThat(found(HEADER)).isEqualTo(HEADER + 5 * PAGE);
    assertThat(found(HEADER + 6 * PAGE)).isEqualTo(HEADER + SPAN + PAGE);
  }

  @Test
  void aBatchIsWholeOrNone() {
    ByteBuffer batch = batch(4, 8, 3);
    for (int offset : new int[] {HEADER, HEADER + SPAN - PAGE}) {
      for (int page = 0; page < 3; page++) {
        emptySegment();
        putAt(offset, batch);
        disk.flipBit(name, (long) offset + (long) page * PAGE + 50, 1);
        assertThat(found(HEADER)).as("bit of page %d at %d", page, offset).isEqualTo(-1);
      }
    }
  }

  @Test
  void aBatchEndsWithinItsFile() {
    ByteBuffer batch = batch(4, 8, 3);
    putAt(FILE_BYTES - 3 * PAGE, batch);
    disk.truncate(name, FILE_BYTES - PAGE);
    assertThat(found(HEADER)).isEqualTo(-1);
  }

  @Test
  void aRestOfAPageIsNotLookedAt() {
    putAt(FILE_BYTES - PAGE, batch(4, 8, 1));
    assertThat(found(HEADER)).isEqualTo(FILE_BYTES - PAGE);
    disk.truncate(name, FILE_BYTES - 1);
    assertThat(found(HEADER)).isEqualTo(-1);
    assertThat(traces.isBegun(name, FILE_BYTES - PAGE, 4, 8)).isFalse();
  }

  @Test
  void impossibleContentsAreNoBatch() {
    log.forgery = bytes -> bytes.putInt(BatchLayout.SECTION_COUNT_OFFSET, PARTITIONS + 1);
    putAt(HEADER, batch(4, 8, 1));
    assertThat(found(HEADER)).isEqualTo(-1);
    assertThat(traces.isBegun(name, HEADER, 4, 8)).isFalse();
  }

  @Test
  void aBatchIsBegunWithItsHeaderWhateverFollows() {
    ByteBuffer batch = batch(4, 8, 3);
    putAt(HEADER + PAGE, batch);
    disk.flipBit(name, HEADER + 2 * PAGE, 1);
    assertThat(traces.isBegun(name, HEADER + PAGE, 4, 8)).isTrue();
    assertThat(traces.isBegun(name, HEADER + PAGE, 4, 7)).isFalse();
    assertThat(traces.isBegun(name, HEADER + PAGE, 5, 8)).isFalse();
    assertThat(traces.isBegun(name, HEADER, 4, 8)).isFalse();
    assertThat(traces.isBegun(name, FILE_BYTES, 4, 8)).as("behind the file").isFalse();
  }

  @Test
  void aBatchThatIsBegunHasRoomInItsFile() {
    putAt(FILE_BYTES - 3 * PAGE, batch(4, 8, 3));
    assertThat(traces.isBegun(name, FILE_BYTES - 3 * PAGE, 4, 8)).isTrue();
    disk.truncate(name, FILE_BYTES - PAGE);
    assertThat(traces.isBegun(name, FILE_BYTES - 3 * PAGE, 4, 8)).isFalse();
  }

  /** What an earlier look has left in memory is nothing that a file holds. */
  @Test
  void aShortFileIsNotFilledUpFromALookBefore() {
    ByteBuffer batch = batch(4, 8, 1);
    putAt(HEADER, batch);
    assertThat(found(HEADER)).isEqualTo(HEADER);
    String other = "short";
    try (StorageFile file = disk.storage().create(other)) {
      file.setSize(HEADER);
      file.write(0, ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN));
    }
    assertThat(traces.firstAfter(other, HEADER, 4, 7, 5)).isEqualTo(-1);
    assertThat(traces.isBegun(other, HEADER, 4, 8)).isFalse();
    assertThat(disk.storage().open(other, Storage.Access.READ).sizeBytes()).isEqualTo(HEADER);
  }
}
