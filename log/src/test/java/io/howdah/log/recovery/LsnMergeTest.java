package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sections of batches, each at its bounds, and the order in which their records come out. */
class LsnMergeTest {

  private static final int AT = 64;
  private static final int SECTIONS = AT + BatchLayout.HEADER_LENGTH;

  private final StagingMemory memory = new StagingMemory();
  private final RecordStash stash = new RecordStash(SimulatedDisk.seeded(9).storage(), memory);

  @AfterEach
  void end() {
    stash.close();
    memory.close();
  }

  /** A batch that is filled section by section. */
  private static final class Sections {
    final ByteBuffer bytes = ByteBuffer.allocate(1 << 16).order(ByteOrder.LITTLE_ENDIAN);
    int count;

    Sections() {
      bytes.position(SECTIONS);
    }

    Sections section(int partition, int length, long position) {
      bytes.putInt(partition).putInt(length).putLong(position);
      count++;
      return this;
    }

    /** Appends void records of some LSNs. */
    Sections records(int partition, long... lsns) {
      for (long lsn : lsns) {
        bytes.putLong(
            RedoRecordLayout.head(RedoRecordLayout.MIN_LENGTH, RedoRecordLayout.KIND_VOID, 0));
        bytes.putLong(Lsn.pack(lsn, partition)).putLong(0).putLong(0);
      }
      return this;
    }

    Batch batch() {
      Batch batch = new Batch();
      batch.bytes = bytes;
      batch.at = AT;
      batch.length = bytes.position() - AT;
      batch.sectionCount = count;
      return batch;
    }
  }

  private LsnMerge merge(int partitions) {
    return new LsnMerge(partitions, stash);
  }

  // ---- the first batch of a trimmed log

  @Test
  void aTrimmedLogStartsWhereItsFirstBatchSays() {
    LsnMerge merge = merge(3);
    Sections sections = new Sections().section(0, 32, 8).records(0, 5);
    sections.section(1, 0, 0).section(2, 64, 80).records(2, 6, 7);
    Batch batch = sections.batch();
    merge.startAt(batch, 4);
    assertThat(merge.stream(0).endPosition()).isEqualTo(8);
    assertThat(merge.stream(1).endPosition()).isZero();
    assertThat(merge.stream(2).endPosition()).isEqualTo(80);
    merge.load(batch);
    assertThat(merge.stream(0).endPosition()).isEqualTo(40);
    assertThat(merge.stream(2).endPosition()).isEqualTo(144);
    merge.stashRest();
    assertThat(Lsn.dense(merge.largestLsn())).isEqualTo(7);
  }

  private MalformedRecordException notStarted(Sections sections) {
    return catchThrowableOfType(
        MalformedRecordException.class, () -> merge(2).startAt(sections.batch(), 4));
  }

  @Test
  void aTrimmedLogsFirstBatchHasASectionForEachPartition() {
    assertThat(notStarted(new Sections().section(0, 0, 0)).problem())
        .contains("no section of partition 1");
    assertThat(notStarted(new Sections().section(0, 0, 0)).at()).isEqualTo(SECTIONS + 16);
    assertThat(notStarted(new Sections().section(1, 0, 0).section(0, 0, 0)).problem())
        .contains("no section of partition 0");
    merge(2).startAt(new Sections().section(0, 0, 0).section(1, 0, 0).batch(), 4);
  }

  @ParameterizedTest
  @CsvSource({"-8, 0", "40, 0", "33, 0", "0, -8", "0, 4", "0, 1"})
  void aSectionOfATrimmedLogLiesWithinItsBatchAndOnAWord(int length, long position) {
    Sections sections = new Sections().section(0, 0, 0).section(1, length, position);
    MalformedRecordException found = notStarted(sections.records(1, 5));
    assertThat(found.problem()).contains("section of " + length + " bytes at position " + position);
    assertThat(found.at()).isEqualTo(SECTIONS + 32);
  }

  @Test
  void aSectionMayEndWithItsBatch() {
    merge(1).startAt(new Sections().section(0, 32, 0).records(0, 5).batch(), 4);
  }

  // ---- sections

  private MalformedRecordException notLoaded(Sections sections) {
    return catchThrowableOfType(
        MalformedRecordException.class, () -> merge(2).load(sections.batch()));
  }

  @Test
  void sectionsAreOfPartitionsInTheirOrder() {
    assertThat(notLoaded(new Sections().section(-1, 0, 0)).problem()).contains("partition -1");
    assertThat(notLoaded(new Sections().section(2, 0, 0)).problem()).contains("of 2 partitions");
    assertThat(notLoaded(new Sections().section(1, 0, 0).section(1, 0, 0)).problem())
        .contains("after that of 1");
    assertThat(notLoaded(new Sections().section(1, 0, 0).section(0, 0, 0)).at())
        .isEqualTo(SECTIONS + 16);
    merge(2).load(new Sections().section(0, 0, 0).section(1, 0, 0).batch());
  }

  @Test
  void sectionsFillTheirBatch() {
    Sections more = new Sections().section(0, 0, 0);
    more.count = 2;
    assertThat(notLoaded(more).problem()).contains("before section 1 of 2");
    assertThat(notLoaded(more).at()).isEqualTo(SECTIONS + 16);
    Sections less = new Sections().section(0, 0, 0).section(1, 0, 0);
    less.count = 1;
    assertThat(notLoaded(less).problem()).contains("after the batch's last section");
    assertThat(notLoaded(less).at()).isEqualTo(SECTIONS + 16);
  }

  @ParameterizedTest
  @CsvSource({"-8", "24", "36", "40"})
  void aSectionHoldsWholeRecords(int length) {
    assertThat(notLoaded(new Sections().section(0, length, 0).records(0, 5)).problem())
        .contains("section of " + length + " bytes");
  }

  @Test
  void aSectionContinuesTheOneBefore() {
    assertThat(notLoaded(new Sections().section(0, 32, 8).records(0, 5)).problem())
        .contains("starts at position 8")
        .contains("ended at 0");
    LsnMerge merge = merge(2);
    merge.load(new Sections().section(0, 32, 0).records(0, 5).batch());
    merge.stashRest();
    merge.load(new Sections().section(0, 32, 32).records(0, 6).batch());
    assertThat(merge.stream(0).endPosition()).isEqualTo(64);
  }

  // ---- order

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "8", "15", "16", "40"})
  void recordsComeOutInTheOrderOfTheirLsns(int partitions) {
    LsnMerge merge = merge(partitions);
    SplittableRandom random = new SplittableRandom(partitions);
    long lsn = 0;
    for (int round = 0; round < 6; round++) {
      List<List<Long>> lsns = new ArrayList<>();
      for (int p = 0; p < partitions; p++) {
        lsns.add(new ArrayList<>());
      }
      long first = lsn + 1;
      for (int i = 0; i < 5 * partitions; i++) {
        lsns.get(random.nextInt(partitions)).add(++lsn);
      }
      Sections sections = new Sections();
      for (int p = 0; p < partitions; p++) {
        long[] own = lsns.get(p).stream().mapToLong(Long::longValue).toArray();
        sections.section(p, own.length * 32, merge.stream(p).endPosition()).records(p, own);
      }
      merge.load(sections.batch());
      if (round % 2 == 1) {
        merge.stashRest();
      }
      merge.begin();
      List<Long> found = new ArrayList<>();
      while (merge.headLsn() != Long.MAX_VALUE) {
        found.add(Lsn.dense(merge.headLsn()));
        merge.head().skip();
        merge.next();
      }
      assertThat(found).isEqualTo(LongStream.rangeClosed(first, lsn).boxed().toList());
    }
    // All that was stashed was dropped, so the next record takes the first place.
    ByteBuffer record = new Sections().records(0, 1).bytes;
    assertThat(stash.add(record, SECTIONS, 32, 0)).isEqualTo(8);
  }
}
