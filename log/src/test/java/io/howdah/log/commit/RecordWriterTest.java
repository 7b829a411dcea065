package io.howdah.log.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RedoRecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How long the records of a source are, and which words each part has. */
final class RecordWriterTest {

  /** Single words, and rows as a record has them. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Words(long[] addresses, long[] rowEntries, int rowCount) implements RecordSource {
    @Override
    public int singles() {
      return addresses.length;
    }

    @Override
    public long address(int single) {
      return addresses[single];
    }

    @Override
    public long value(int single) {
      return -addresses[single];
    }

    @Override
    public int rowEntriesEnd() {
      return rowEntries.length;
    }
  }

  private static Words singles(long... addresses) {
    return new Words(addresses, new long[0], 0);
  }

  @Test
  void neighboursShareAnEntryAndEachRowIsOne() {
    assertThat(new RecordWriter(singles(), singles()).selectWhole())
        .isEqualTo(RedoRecordLayout.MIN_LENGTH);
    // Three entries: 8 and 16; 32; 24, which comes before its neighbour.
    RecordWriter record = new RecordWriter(singles(8, 16, 32, 24), singles());
    assertThat(record.selectWhole()).isEqualTo(RedoRecordLayout.MIN_LENGTH + (4 + 3) * 8L);
    assertThat(RedoRecordLayout.count(record.head())).isEqualTo(3);
    long[] row = {RedoRecordLayout.entryHead(4096, 2), 1, 2};
    record = new RecordWriter(new Words(new long[] {8}, row, 1), singles());
    assertThat(record.selectWhole()).isEqualTo(RedoRecordLayout.MIN_LENGTH + (1 + 1 + 3) * 8L);
    assertThat(record.lengthBytes()).isEqualTo(RedoRecordLayout.MIN_LENGTH + 5 * 8);
    assertThat(RedoRecordLayout.count(record.head())).isEqualTo(2);
    assertThat(RedoRecordLayout.length(record.head())).isEqualTo(record.lengthBytes());
    assertThat(record.isAtPart()).isFalse();
  }

  @Test
  void partsAreAsLongAsTheyMayBeAndTheLastRecordNamesThem() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 200; round++) {
      long[] addresses = new long[random.nextInt(40, 400)];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] =
            i != 0 && random.nextBoolean() ? addresses[i - 1] + 8 : 8L * random.nextInt(1, 5000);
      }
      int max = RedoRecordLayout.MIN_LENGTH + 16 + 8 * random.nextInt(2, 30);
      RecordWriter record = new RecordWriter(singles(addresses), singles());
      long whole = record.selectWhole();
      assertThat(whole).isGreaterThan(max);
      record.split(max);
      List<Integer> lengths = new ArrayList<>();
      while (record.isAtPart()) {
        assertThat(record.precedingParts()).isEqualTo(lengths.size());
        assertThat(RedoRecordLayout.kind(record.partHead())).isEqualTo(RedoRecordLayout.KIND_PART);
        lengths.add(record.lengthBytes());
        record.moveToNext();
      }
      // With two words more, an address and a value, a part would be too long.
      assertThat(lengths)
          .allSatisfy(bytes -> assertThat(bytes).isBetween(max - 16 - 16 + 8, max - 16));
      assertThat(record.lengthBytes()).isLessThanOrEqualTo(max);
      assertThat(RedoRecordLayout.kind(record.head()))
          .isEqualTo(RedoRecordLayout.KIND_MULTIPART_COMMIT);
      long entries = lengths.stream().mapToLong(bytes -> bytes - RedoRecordLayout.MIN_LENGTH).sum();
      entries +=
          record.lengthBytes()
              - RedoRecordLayout.MIN_LENGTH
              - RedoRecordLayout.MULTIPART_PREFIX_BYTES;
      // A run that a part ends goes on in the next one with a head of its own.
      assertThat(entries)
          .isBetween(
              whole - RedoRecordLayout.MIN_LENGTH,
              whole - RedoRecordLayout.MIN_LENGTH + 8L * lengths.size());
    }
  }

  @Test
  void aRecordIsMeasuredAnewAfterItWasSplit() {
    RecordWriter record = new RecordWriter(singles(8, 32, 64, 96, 128), singles());
    long whole = record.selectWhole();
    record.split(RedoRecordLayout.MIN_LENGTH + 16 + 32);
    record.moveToNext();
    assertThat(record.selectWhole()).isEqualTo(whole);
    assertThat(RedoRecordLayout.kind(record.head())).isEqualTo(RedoRecordLayout.KIND_COMMIT);
    assertThat(record.precedingParts()).isZero();
  }
}
