package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.howdah.core.Region;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Ring;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches as they are on the disk, and how much goes into one. */
class BatchWriterTest {

  private static final int STAGING = 1 << 16;
  private static final int SEGMENT = 1 << 17;
  private static final int HEADER = SegmentLayout.HEADER_LENGTH;

  private final SimulatedDisk disk = SimulatedDisk.seeded(3);
  private final Storage storage = disk.storage();
  private final LogStart start = new LogStart(1, 2, 7, 0, 1, List.of(), List.of(), 1);
  private final SegmentHistory history = new SegmentHistory(1, 0);
  private final Ring first = ring(0);
  private final Ring second = ring(1);
  private Segment segment;
  private SegmentTarget target;
  private BatchWriter batches;
  private int segments = 1;

  private static Ring ring(int partition) {
    Region memory = Regions.anonymous(RingLayout.HEADER_LENGTH + (long) RingLayout.MIN_CAPACITY);
    for (int at = 0; at < RingLayout.MIN_CAPACITY; at += Long.BYTES) {
      memory.setLong(RingLayout.HEADER_LENGTH + (long) at, at + 1000L * partition);
    }
    return new Ring(memory, partition, RingLayout.MIN_CAPACITY);
  }

  private Segment segment(int sequence) {
    String name = "segment" + sequence;
    storage.create(name).close();
    return new Segment(storage.open(name, Storage.Access.DIRECT), name, sequence, SEGMENT, HEADER);
  }

  private Segment nextSegment(BatchTarget.Waiting waiting) {
    segments++;
    return segment(segments);
  }

  @BeforeEach
  void begin() {
    segment = segment(1);
    target = new SegmentTarget(segment, history, _ -> {}, this::nextSegment, "a test");
    batches = new BatchWriter(start, target, 2, STAGING);
  }

  private ByteBuffer contents() {
    return ByteBuffer.wrap(disk.contents("segment1")).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void aBatchHasItsSectionsAndIsPaddedWithZeros() {
    batches.begin();
    batches.section(first, 0, 64);
    batches.section(second, 16, 48);
    long forces = disk.operations(Operation.FORCE);
    assertThat(batches.write(5, 4, 6, Unwaited.INSTANCE)).isEqualTo(4096);
    assertThat(disk.operations(Operation.FORCE)).isEqualTo(forces + 1);

    ByteBuffer batch = contents();
    assertThat(batch.getLong(HEADER + BatchLayout.MAGIC_OFFSET)).isEqualTo(BatchLayout.MAGIC);
    assertThat(batch.getLong(HEADER + BatchLayout.SEQUENCE_OFFSET)).isEqualTo(1);
    assertThat(batch.getLong(HEADER + BatchLayout.CUT_OFFSET)).isEqualTo(5);
    assertThat(batch.getLong(HEADER + BatchLayout.STABLE_OFFSET)).isEqualTo(4);
    assertThat(batch.getLong(HEADER + BatchLayout.MAX_LSN_OFFSET)).isEqualTo(6);
    assertThat(batch.getInt(HEADER + BatchLayout.SECTION_COUNT_OFFSET)).isEqualTo(2);
    int length = batch.getInt(HEADER + BatchLayout.LENGTH_OFFSET);
    assertThat(length).isEqualTo((int) BatchWriter.batchBytes(96, 2));
    int at = HEADER + BatchLayout.HEADER_LENGTH;
    assertThat(batch.getInt(at)).isZero();
    assertThat(batch.getInt(at + 4)).isEqualTo(64);
    assertThat(batch.getLong(at + 8)).isZero();
    assertThat(batch.getLong(at + 16 + 56)).isEqualTo(56);
    at += 16 + 64;
    assertThat(batch.getInt(at)).isEqualTo(1);
    assertThat(batch.getInt(at + 4)).isEqualTo(32);
    assertThat(batch.getLong(at + 8)).isEqualTo(16);
    assertThat(batch.getLong(at + 16)).isEqualTo(1016);
    for (int i = HEADER + length; i < HEADER + 4096; i++) {
      assertThat(batch.get(i)).isZero();
    }
  }

  @Test
  void aShorterBatchLeavesNothingOfTheOneBeforeInItsPadding() {
    batches.begin();
    batches.section(first, 0, 2048);
    batches.write(5, 4, 6, Unwaited.INSTANCE);
    batches.begin();
    batches.section(first, 2048, 2056);
    batches.write(5, 4, 6, Unwaited.INSTANCE);
    ByteBuffer batch = contents();
    int at = HEADER + 4096;
    for (int i = batch.getInt(at + BatchLayout.LENGTH_OFFSET); i < 4096; i++) {
      assertThat(batch.get(at + i)).isZero();
    }
  }

  @Test
  void eachBatchFollowsTheOneBeforeAndNamesItsChecksum() {
    for (int i = 0; i < 3; i++) {
      batches.begin();
      batches.section(first, i * 64L, i * 64L + 64);
      batches.write(i, i, i, Unwaited.INSTANCE);
    }
    ByteBuffer batch = contents();
    int previous = BatchLayout.firstPreviousCrc(start.storeTag(), 7);
    for (int i = 0; i < 3; i++) {
      int at = HEADER + i * 4096;
      assertThat(batch.getLong(at + BatchLayout.SEQUENCE_OFFSET)).isEqualTo(i + 1);
      assertThat(batch.getLong(at + BatchLayout.GENERATION_OFFSET)).isEqualTo(7);
      assertThat(batch.getInt(at + BatchLayout.PREVIOUS_CRC_OFFSET)).isEqualTo(previous);
      previous = batch.getInt(at + BatchLayout.CRC_OFFSET);
    }
    assertThat(history.lastBatch()).isEqualTo(new BatchId(3, previous));
    assertThat(history.extents())
        .containsExactly(new LogExtent("segment1", 1, SEGMENT, HEADER + 3 * 4096));
  }

  @Test
  void aSegmentIsKnownFromItsFirstBatchOn() {
    assertThat(target.needsAllSections()).isTrue();
    assertThat(history.extents()).isEmpty();
    batches.begin();
    batches.section(first, 0, 64);
    batches.write(1, 1, 1, Unwaited.INSTANCE);
    assertThat(target.needsAllSections()).isFalse();
    assertThat(target.segmentsUsed()).isEqualTo(1);

    target.use(segment(2));
    assertThat(target.segmentsUsed()).isEqualTo(2);
    assertThat(target.needsAllSections()).isTrue();
    batches.begin();
    batches.section(first, 64, 128);
    batches.section(second, 8, 8);
    batches.write(2, 2, 2, Unwaited.INSTANCE);
    assertThat(history.extents()).hasSize(2);
    assertThat(history.trimPoint(_ -> Long.MAX_VALUE)).isEqualTo(new TrimPoint(2, 2));
    assertThat(history.trimPoint(p -> p == 0 ? 63 : Long.MAX_VALUE)).isEqualTo(new TrimPoint(1, 1));
    assertThat(history.trimPoint(p -> p == 1 ? 7 : Long.MAX_VALUE)).isEqualTo(new TrimPoint(1, 1));
    target.close();
  }

  @Test
  void aBatchIsNoLongerThanTheStagingMemoryAndTheRestOfTheSegment() {
    batches.begin();
    assertThat(batches.spaceForSection(1)).isEqualTo(STAGING - (int) BatchWriter.batchBytes(0, 1));
    assertThat(batches.spaceForSection(3)).isEqualTo(STAGING - (int) BatchWriter.batchBytes(0, 3));
    assertThat(batches.spaceForSection(1 << 20)).isZero();
    batches.prepare(SEGMENT, 1, Unwaited.INSTANCE);
    assertThat(segments).as("it comes in parts").isEqualTo(1);
    batches.section(first, 0, 40_000);
    batches.write(1, 1, 1, Unwaited.INSTANCE);
    batches.begin();
    batches.section(first, 0, 40_000);
    batches.write(1, 1, 1, Unwaited.INSTANCE);

    int left = segment.remainingBytes();
    assertThat(left).isLessThan(STAGING);
    int header = (int) BatchWriter.batchBytes(0, 1);
    batches.prepare(left - header, 1, Unwaited.INSTANCE);
    batches.prepare(left - 4095 - header, 1, Unwaited.INSTANCE);
    assertThat(segments).isEqualTo(1);
    batches.begin();
    assertThat(batches.spaceForSection(1)).isEqualTo(left - header);
    batches.prepare(left + 1 - header, 1, Unwaited.INSTANCE);
    assertThat(segments).isEqualTo(2);
    batches.begin();
    batches.section(first, 0, 40_000);
    batches.write(1, 1, 1, Unwaited.INSTANCE);
    batches.prepare(SEGMENT, 1, Unwaited.INSTANCE);
    assertThat(segments).as("longer than the staging memory").isEqualTo(2);
    batches.begin();
    batches.section(first, 0, 40_000);
    batches.write(1, 1, 1, Unwaited.INSTANCE);
    batches.prepare(SEGMENT, 1, Unwaited.INSTANCE);
    assertThat(segments).isEqualTo(3);
  }

  @Test
  void aFlightRecordingIsToldOfEachBatch() {
    List<RecordedEvent> events =
        FlightRecords.of(
            "io.howdah.Batch",
            () -> {
              for (int i = 1; i <= 2; i++) {
                batches.begin();
                batches.section(first, 0, 4096L * i);
                batches.write(i, i, 10L * i, Unwaited.INSTANCE);
              }
            });
    assertThat(events)
        .extracting(
            event -> event.getLong("bytes"),
            event -> event.getLong("sequence"),
            event -> event.getLong("maxLsn"))
        .containsExactly(tuple(8192L, 1L, 10L), tuple(12288L, 2L, 20L));
    assertThat(events).allSatisfy(event -> assertThat(event.getDuration()).isPositive());
  }
}
