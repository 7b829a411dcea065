package io.howdah.replica.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class OpenRecordsTest {

  private static final int COMMIT = RedoRecordLayout.KIND_COMMIT;
  private static final int PART = RedoRecordLayout.KIND_PART;
  private static final int LAST = RedoRecordLayout.KIND_MULTIPART_COMMIT;

  private final OpenRecords open = new OpenRecords();

  /** A record of a partition; a part has no LSN. */
  private record Written(int partition, int kind, long lsn) {}

  private void add(long cut, Written... records) {
    ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(BatchLayout.CUT_OFFSET, cut).putInt(BatchLayout.SECTION_COUNT_OFFSET, 2);
    int at = BatchLayout.HEADER_LENGTH;
    for (int partition = 0; partition < 2; partition++) {
      int section = at;
      at += BatchLayout.SECTION_HEADER_LENGTH;
      for (Written record : records) {
        if (record.partition() == partition) {
          int length = RedoRecordLayout.MIN_LENGTH;
          bytes.putLong(at, RedoRecordLayout.head(length, record.kind(), 0));
          bytes.putLong(at + RedoRecordLayout.LSN_OFFSET, Lsn.pack(record.lsn(), partition));
          at += length;
        }
      }
      bytes.putInt(section + BatchLayout.SECTION_PARTITION_OFFSET, partition);
      bytes.putInt(
          section + BatchLayout.SECTION_LENGTH_OFFSET,
          at - section - BatchLayout.SECTION_HEADER_LENGTH);
    }
    open.add(new Entry.Batch(1, 1, bytes.limit(at)));
  }

  @Test
  void nothingWaitsAtFirstAndAfterWholeBatches() {
    assertThat(open.isEmpty()).isTrue();
    add(2, new Written(0, COMMIT, 2), new Written(1, COMMIT, 1));
    assertThat(open.isEmpty()).isTrue();
  }

  @Test
  void aRecordAboveTheCutWaitsForALaterCut() {
    add(1, new Written(0, COMMIT, 1), new Written(0, COMMIT, 3));
    assertThat(open.isEmpty()).isFalse();
    add(3, new Written(1, COMMIT, 2));
    assertThat(open.isEmpty()).isTrue();
  }

  @Test
  void aPartWaitsForTheCommitOfItsPartition() {
    add(0, new Written(1, PART, 0));
    assertThat(open.isEmpty()).isFalse();
    add(1, new Written(0, COMMIT, 1));
    assertThat(open.isEmpty()).isFalse();
    add(2, new Written(1, LAST, 2));
    assertThat(open.isEmpty()).isTrue();
  }

  @Test
  void partsWithoutACommitEndWithTheNextRecord() {
    add(0, new Written(1, PART, 0));
    add(1, new Written(1, COMMIT, 1));
    assertThat(open.isEmpty()).isTrue();
  }

  @Test
  void anEpochDropsWhatWaits() {
    add(0, new Written(1, PART, 0), new Written(0, COMMIT, 1));
    open.beginEpoch();
    assertThat(open.isEmpty()).isTrue();
  }
}
