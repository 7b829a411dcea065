package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.flush.OpenFiles;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Blocks of segments in their order, read by the consumer itself or ahead of it by two threads, and
 * ranges of bytes that lie in several of them.
 */
@ParameterizedClass
@ValueSource(ints = {1, 2})
class ReadAheadTest {

  private static final int BLOCK = ReadAhead.BLOCK_BYTES;
  private static final int WORDS_APART = 4096;

  private final int processors;
  private final SimulatedExecution execution;
  private final SimulatedDisk disk;
  private final OpenFiles files;
  private final List<SegmentFile> segments = new ArrayList<>();

  ReadAheadTest(int processors) {
    this.processors = processors;
    this.execution =
        SimulatedExecution.builder(Schedule.roundRobin(2))
            .processors(processors)
            .maxSteps(5_000)
            .virtualThreads()
            .build();
    this.disk = SimulatedDisk.builder(3).execution(execution).build();
    this.files = new OpenFiles(disk.storage());
  }

  /** Adds a segment; the first word of each page tells which segment and offset it is of. */
  private void segment(int lengthBytes) {
    int index = segments.size();
    String name = "segment" + index;
    ByteBuffer word = ByteBuffer.allocateDirect(8).order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile file = disk.storage().create(name)) {
      file.setSize(lengthBytes);
      for (int offset = 0; offset < lengthBytes; offset += WORDS_APART) {
        file.write(offset, word.clear().putLong(0, word(index, offset)));
      }
    }
    segments.add(new SegmentFile(name, index + 1, 1, lengthBytes, false));
  }

  private static long word(int segment, int offset) {
    return (segment + 1L) << 32 | offset;
  }

  /** What is done with blocks. */
  private interface Use {
    void use(ReadAhead source, StagingMemory memory);
  }

  private void run(int from, Use use) {
    SimulationOutcome outcome =
        execution.run(
            () -> {
              try (StagingMemory memory = new StagingMemory()) {
                try (ReadAhead source =
                    new ReadAhead(files.storage(), memory, segments, from, execution)) {
                  use.use(source, memory);
                }
                assertThat(files.open()).isEmpty();
              }
              execution.parkNanos(this, 1_000_000); // for threads that have ended to be gone
            });
    assertThat(outcome.leftover()).isEmpty();
  }

  private static void requireBlock(
      ReadAhead.@Nullable Block block, int segment, int offset, int length) {
    assertThat(block).isNotNull();
    assertThat(List.of(block.segment, block.offset, block.length, block.end()))
        .containsExactly(segment, offset, length, offset + length);
    for (int at = 0; at < length; at += WORDS_APART) {
      assertThat(block.bytes.getLong(at)).isEqualTo(word(segment, offset + at));
    }
  }

  @Test
  void blocksComeInTheirOrderUpToTheEndOfEachSegment() {
    segment(2 * BLOCK + 8192);
    segment(BLOCK);
    segment(4096);
    run(
        0,
        (source, _) -> {
          requireBlock(source.next(), 0, 0, BLOCK);
          requireBlock(source.next(), 0, BLOCK, BLOCK);
          requireBlock(source.next(), 0, 2 * BLOCK, 8192);
          requireBlock(source.next(), 1, 0, BLOCK);
          requireBlock(source.next(), 2, 0, 4096);
          assertThat(source.next()).isNull();
          assertThat(source.next()).isNull();
        });
  }

  @Test
  void readingBeginsWithAnySegment() {
    segment(BLOCK);
    segment(4096);
    run(
        1,
        (source, _) -> {
          requireBlock(source.next(), 1, 0, 4096);
          assertThat(source.next()).isNull();
        });
  }

  @Test
  void ofNoSegmentThereIsNothing() {
    run(0, (source, _) -> assertThat(source.next()).isNull());
  }

  @Test
  void noMoreBlocksAreReadAheadThanThereAre() {
    int more = 5;
    segment((ReadAhead.BLOCKS + more) * BLOCK);
    run(
        0,
        (source, _) -> {
          for (int i = 0; i < ReadAhead.BLOCKS; i++) {
            requireBlock(source.next(), 0, i * BLOCK, BLOCK);
          }
          for (int i = 0; i < 10; i++) {
            execution.parkNanos(this, 10_000_000);
          }
          // None was given back: the first ones hold what they held.
          assertThat(disk.operations(Operation.READ)).isEqualTo(ReadAhead.BLOCKS);
          for (int i = 0; i < more; i++) {
            source.release();
            requireBlock(source.next(), 0, (ReadAhead.BLOCKS + i) * BLOCK, BLOCK);
          }
          source.release();
          assertThat(source.next()).isNull();
        });
  }

  @Test
  void readersContinueAsSoonAsABlockIsGivenBack() {
    segment((ReadAhead.BLOCKS + 2) * BLOCK);
    run(
        0,
        (source, _) -> {
          for (int i = 0; i < ReadAhead.BLOCKS; i++) {
            source.next();
          }
          execution.parkNanos(this, 10_300_000);
          long before = execution.nanoTime();
          source.release();
          requireBlock(source.next(), 0, ReadAhead.BLOCKS * BLOCK, BLOCK);
          assertThat(execution.nanoTime() - before).isLessThan(100_000);
        });
  }

  @Test
  void segmentsThatAreSkippedAreNotRead() {
    segment(20 * BLOCK);
    segment(20 * BLOCK);
    segment(4096);
    run(
        0,
        (source, _) -> {
          requireBlock(source.next(), 0, 0, BLOCK);
          source.skipTo(2);
          ReadAhead.Block block = source.next();
          int read = 2;
          source.release();
          while (block != null && block.segment < 2) {
            source.release();
            block = source.next();
            read++;
          }
          requireBlock(block, 2, 0, 4096);
          assertThat(read).isLessThanOrEqualTo(ReadAhead.BLOCKS + 2);
          assertThat(source.next()).isNull();
        });
  }

  @Test
  void aFileThatShrankEndsEarly() {
    segment(BLOCK + 8192);
    disk.truncate("segment0", BLOCK + 4096);
    run(
        0,
        (source, _) -> {
          requireBlock(source.next(), 0, 0, BLOCK);
          requireBlock(source.next(), 0, BLOCK, 4096);
          assertThat(source.next()).isNull();
        });
  }

  @Test
  void whatCannotBeReadEndsTheReading() {
    segment(3 * BLOCK);
    disk.inject(Fault.onNth(Operation.READ, 2));
    run(
        0,
        (source, _) ->
            assertThatThrownBy(
                    () -> {
                      while (source.next() != null) {
                        source.release();
                      }
                    })
                .isInstanceOf(StorageException.class));
  }

  @Test
  void aSegmentThatCannotBeOpenedEndsTheReading() {
    segment(BLOCK);
    segment(BLOCK);
    disk.remove("segment1");
    run(
        0,
        (source, _) ->
            assertThatThrownBy(
                    () -> {
                      while (source.next() != null) {
                        source.release();
                      }
                    })
                .hasMessageContaining("segment1"));
  }

  @Test
  void aConsumerMayLeaveAtAnyTime() {
    segment(20 * BLOCK);
    run(0, (source, _) -> requireBlock(source.next(), 0, 0, BLOCK));
  }

  @Test
  void theThreadsAreThoseThatTheProcessorsAllow() {
    segment(BLOCK);
    execution.run(
        () -> {
          try (StagingMemory memory = new StagingMemory();
              ReadAhead source = new ReadAhead(files.storage(), memory, segments, 0, execution)) {
            for (int i = 0; i < 10; i++) {
              execution.parkNanos(this, 5_000_000);
            }
            assertThat(disk.operations(Operation.READ)).isEqualTo(processors - 1);
            requireBlock(source.next(), 0, 0, BLOCK);
          }
        });
  }

  // ---- the window

  private static long shown(SegmentWindow window, int offset) {
    return window.bytes.getLong(window.at + offset);
  }

  @Test
  void aRangeIsShownInOnePieceWhereverItLies() {
    segment(4 * BLOCK);
    run(
        0,
        (source, memory) -> {
          SegmentWindow window = new SegmentWindow(segments, source, memory);
          window.enter(0);
          window.show(0, 4096);
          assertThat(shown(window, 0)).isEqualTo(word(0, 0));
          window.show(8192, BLOCK - 8192);
          assertThat(window.at).as("not copied").isEqualTo(8192);
          assertThat(shown(window, BLOCK - 12288)).isEqualTo(word(0, BLOCK - 4096));
          // Over the end of a block, over a whole block, and again from where it began.
          for (int length : new int[] {8192, BLOCK + 8192, 2 * BLOCK, 8192}) {
            window.show(BLOCK - 4096, length);
            for (int at = 0; at < length; at += WORDS_APART) {
              assertThat(shown(window, at)).isEqualTo(word(0, BLOCK - 4096 + at));
            }
          }
          window.show(3 * BLOCK + 4096, 8192);
          assertThat(shown(window, 0)).isEqualTo(word(0, 3 * BLOCK + 4096));
          assertThat(shown(window, 4096)).isEqualTo(word(0, 3 * BLOCK + 8192));
        });
  }

  @Test
  void whatWasLeftIsGivenBack() {
    segment(30 * BLOCK);
    segment(2 * BLOCK);
    run(
        0,
        (source, memory) -> {
          SegmentWindow window = new SegmentWindow(segments, source, memory);
          window.enter(0);
          for (int offset = 0; offset < 30 * BLOCK - 4096; offset += BLOCK / 2) {
            window.show(offset, 8192);
            assertThat(shown(window, 4096)).isEqualTo(word(0, offset + 4096));
          }
          window.enter(1);
          for (int offset = 0; offset < 2 * BLOCK; offset += BLOCK / 2) {
            window.show(offset, 4096);
            assertThat(shown(window, 0)).isEqualTo(word(1, offset));
          }
        });
  }

  @Test
  void aSegmentIsLeftBeforeItsEnd() {
    for (int i = 0; i < 3; i++) {
      segment(15 * BLOCK);
    }
    run(
        0,
        (source, memory) -> {
          SegmentWindow window = new SegmentWindow(segments, source, memory);
          for (int index : new int[] {0, 2}) {
            window.enter(index);
            window.show(4096, 4096);
            assertThat(shown(window, 0)).isEqualTo(word(index, 4096));
            window.show(14 * BLOCK, 4096);
            assertThat(shown(window, 0)).isEqualTo(word(index, 14 * BLOCK));
          }
        });
  }

  @Test
  void aSegmentThatShrankIsDamage() {
    segment(2 * BLOCK);
    disk.truncate("segment0", BLOCK + 4096);
    run(
        0,
        (source, memory) -> {
          SegmentWindow window = new SegmentWindow(segments, source, memory);
          window.enter(0);
          window.show(BLOCK, 4096);
          assertThatThrownBy(() -> window.show(BLOCK, 8192))
              .isInstanceOfSatisfying(
                  CorruptStoreException.class,
                  e -> {
                    assertThat(e.file()).isEqualTo("segment0");
                    assertThat(e).hasMessageContaining("ended before its " + 2 * BLOCK);
                  });
        });
  }

  @Test
  void aSegmentThatShrankToNothingIsDamageEvenIfAnotherFollows() {
    segment(BLOCK);
    segment(BLOCK);
    disk.truncate("segment0", 0);
    run(
        0,
        (source, memory) -> {
          SegmentWindow window = new SegmentWindow(segments, source, memory);
          window.enter(0);
          assertThatThrownBy(() -> window.show(0, 4096))
              .isInstanceOfSatisfying(
                  CorruptStoreException.class,
                  e -> assertThat(List.of(e.file(), e.offset())).containsExactly("segment0", 0L));
        });
  }
}
