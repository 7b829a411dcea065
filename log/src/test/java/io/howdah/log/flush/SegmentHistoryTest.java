package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the log's segments hold, and up to where a checkpoint may trim them. */
class SegmentHistoryTest {

  private final Storage storage = SimulatedDisk.seeded(1).storage();
  private final SegmentHistory history = new SegmentHistory(4, 100);

  private void add(long sequence, long firstBatch, long... startPositions) {
    StorageFile file = storage.create("segment" + sequence);
    Segment segment = new Segment(file, "segment" + sequence, sequence, 1000, 0);
    BatchId batch = new BatchId(firstBatch, 7);
    history.add(new SegmentHistory.Used(segment, firstBatch, startPositions), 400, batch);
  }

  /** A backup beside commits copies as much of each segment as the history says. */
  @Test
  void aNewSegmentEndsWhereItsFirstBatchDoes() {
    add(4, 1, 0);
    history.extend(900, new BatchId(2, 22));
    add(5, 3, 0);
    assertThat(history.extents()).extracting(LogExtent::endBytes).containsExactly(1000, 400);
    assertThat(history.lastBatch()).isEqualTo(new BatchId(3, 7));
  }

  /** An archive that was given up may go on at any time. */
  @Test
  void oneCopyFollowsAtATime() {
    Object first = new Object();
    Object second = new Object();
    add(4, 1, 0);
    add(5, 7, 0);
    add(6, 9, 0);
    history.follow(first, 5000);
    assertThat(history.removeBefore(new TrimPoint(5, 7))).isEmpty();
    assertThat(history.follow(second, 5000)).containsExactly("segment4");
    assertThat(history.removeBefore(new TrimPoint(6, 9))).isEmpty();
    assertThat(history.followed(first)).isEmpty();
    assertThat(history.copiedBefore(first, 9)).isEmpty();
    assertThat(history.unfollow(first)).isEmpty();
    assertThat(history.followed(second).orElseThrow())
        .extracting(LogExtent::sequence)
        .containsExactly(5L, 6L);
    assertThat(history.copiedBefore(second, 6)).containsExactly("segment5");
  }

  @Test
  void anEmptyLogIsTrimmedToItsFirstSegment() {
    assertThat(history.trimPoint(_ -> Long.MAX_VALUE)).isEqualTo(new TrimPoint(4, 1));
    assertThat(history.bytes()).isEqualTo(100);
    assertThat(history.extents()).isEmpty();
    assertThat(history.lastBatch().sequence()).isZero();
  }

  @Test
  void aLogIsTrimmedToItsLastSegmentIfNoTransactionIsHandedOver() {
    add(4, 1, 0, 0);
    assertThat(history.trimPoint(_ -> Long.MAX_VALUE)).isEqualTo(new TrimPoint(4, 1));
    add(5, 7, 80, 16);
    add(6, 9, 160, 16);
    assertThat(history.trimPoint(_ -> Long.MAX_VALUE)).isEqualTo(new TrimPoint(6, 9));
  }

  @Test
  void aSegmentWithAPartOfATransactionThatHasNotEndedStays() {
    add(4, 1, 0, 0);
    add(5, 7, 80, 16);
    add(6, 9, 160, 16);

    assertThat(history.trimPoint(p -> p == 0 ? 160 : Long.MAX_VALUE))
        .isEqualTo(new TrimPoint(6, 9));
    assertThat(history.trimPoint(p -> p == 0 ? 159 : Long.MAX_VALUE))
        .isEqualTo(new TrimPoint(5, 7));
    assertThat(history.trimPoint(p -> p == 0 ? 80 : Long.MAX_VALUE)).isEqualTo(new TrimPoint(5, 7));
    assertThat(history.trimPoint(p -> p == 1 ? 15 : Long.MAX_VALUE)).isEqualTo(new TrimPoint(4, 1));
    assertThat(history.trimPoint(p -> p == 1 ? 16 : Long.MAX_VALUE)).isEqualTo(new TrimPoint(6, 9));
  }

  @Test
  void aTrimRemovesEarlierSegmentsAndTheirBytes() {
    add(4, 1, 0);
    add(5, 7, 80);
    add(6, 9, 160);
    assertThat(history.bytes()).isEqualTo(3100);
    assertThat(history.removeBefore(new TrimPoint(6, 9))).containsExactly("segment4", "segment5");
    assertThat(history.bytes()).isEqualTo(1000);
    assertThat(history.removeBefore(new TrimPoint(6, 9))).isEmpty();
    assertThat(history.bytes()).isEqualTo(1000);
    assertThat(history.removeBefore(new TrimPoint(7, 12))).containsExactly("segment6");
    assertThat(history.bytes()).isZero();
  }

  @Test
  void theLastSegmentEndsWithItsLastBatchAndTheOthersAreFull() {
    add(4, 1, 0);
    history.extend(500, new BatchId(1, 11));
    add(5, 2, 80);
    history.extend(300, new BatchId(2, 22));
    assertThat(history.lastBatch()).isEqualTo(new BatchId(2, 22));
    assertThat(history.extents())
        .isEqualTo(
            List.of(
                new LogExtent("segment4", 4, 1000, 1000), new LogExtent("segment5", 5, 1000, 300)));
  }

  @Test
  void aFileOfTheLogHasItsNumberWithEightDigitsOrMore() {
    for (int number : new int[] {0, 7, 99_999_999, 100_000_000, 999_999_999}) {
      String name = SegmentNames.name(number);
      assertThat(name).matches("log/0/\\d{8,9}\\.seg");
      assertThat(SegmentNames.number(name.substring("log/0/".length()))).isEqualTo(number);
    }
    assertThat(List.of("7.seg", "00000007.seg.old", "0000007.seg", "0000000007.seg", "notes"))
        .allSatisfy(entry -> assertThat(SegmentNames.number(entry)).isEqualTo(-1));
  }
}
