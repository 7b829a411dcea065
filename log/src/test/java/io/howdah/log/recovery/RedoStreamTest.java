package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The records of one partition: their order, parts and their commits, and what is given back. */
class RedoStreamTest {

  private static final int PARTITION = 3;
  private static final long FIRST_NODE = 8;

  private final StagingMemory memory = new StagingMemory();
  private final RecordStash stash = new RecordStash(SimulatedDisk.seeded(9).storage(), memory);
  private final RedoStream stream = new RedoStream(PARTITION, stash);
  private final List<String> read = new ArrayList<>();
  private final RedoStream.RecordReader reader =
      new RedoStream.RecordReader() {
        @Override
        public void part(ByteBuffer source, int at) {
          read.add("part " + source.getLong(at + RedoRecordLayout.DEP_OFFSET));
        }

        @Override
        public void commit(ByteBuffer source, int at) {
          read.add("commit " + Lsn.dense(source.getLong(at + RedoRecordLayout.LSN_OFFSET)));
        }
      };

  @AfterEach
  void end() {
    stash.close();
    memory.close();
  }

  /** Returns as many records as there are arrays, each its kind, LSN or group, dependency, body. */
  private static ByteBuffer records(long[]... records) {
    ByteBuffer bytes = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
    for (long[] record : records) {
      int body = (record.length - 3) * Long.BYTES;
      bytes.putLong(RedoRecordLayout.head(RedoRecordLayout.MIN_LENGTH + body, (int) record[0], 0));
      for (int i = 1; i < record.length; i++) {
        bytes.putLong(record[i]);
      }
      bytes.putLong(0);
    }
    return bytes.flip();
  }

  private static long[] commit(long lsn, long dep) {
    return new long[] {RedoRecordLayout.KIND_COMMIT, Lsn.pack(lsn, PARTITION), dep};
  }

  private static long[] commit(long lsn) {
    return commit(lsn, 0);
  }

  private static long[] part(long group, long index) {
    return new long[] {RedoRecordLayout.KIND_PART, group, index};
  }

  private static long[] multipart(long lsn, long group, long count) {
    return new long[] {
      RedoRecordLayout.KIND_MULTIPART_COMMIT, Lsn.pack(lsn, PARTITION), 0, group, count
    };
  }

  private void load(long[]... records) {
    ByteBuffer bytes = records(records);
    stream.load(bytes, 0, bytes.limit());
  }

  private MalformedRecordException malformed(long[]... records) {
    return catchThrowableOfType(MalformedRecordException.class, () -> load(records));
  }

  private void takeAll() {
    while (stream.headLsn() != -1) {
      stream.read(reader);
    }
  }

  private void requireEmptyStash() {
    assertThat(stash.add(records(commit(1)), 0, 32, 0)).isEqualTo(FIRST_NODE);
    stash.drop();
  }

  @Test
  void partsAreReadBeforeTheirCommitWhetherItIsStashedOrNot() {
    load(part(7, 0), part(7, 1), multipart(5, 7, 2), commit(6));
    takeAll();
    requireEmptyStash();
    load(part(8, 0), part(8, 1), multipart(9, 8, 2), commit(10));
    stream.stashRest();
    takeAll();
    assertThat(read)
        .containsExactly(
            "part 0",
            "part 1",
            "commit 5",
            "commit 6",
            "part 0",
            "part 1",
            "commit 9",
            "commit 10");
    requireEmptyStash();
    assertThat(Lsn.dense(stream.lastLsn())).isEqualTo(10);
  }

  @Test
  void partsMayWaitInTheStashForACommitInALaterSection() {
    load(commit(4), part(7, 0));
    stream.stashRest();
    load(part(7, 1), multipart(5, 7, 2));
    stream.stashRest();
    load(commit(6));
    takeAll();
    assertThat(read).containsExactly("commit 4", "part 0", "part 1", "commit 5", "commit 6");
    requireEmptyStash();
  }

  @Test
  void whatIsSkippedGivesItsMemoryBack() {
    load(part(7, 0), part(7, 1), multipart(5, 7, 2), commit(6));
    stream.skip();
    stream.skip();
    assertThat(stream.headLsn()).isEqualTo(-1);
    requireEmptyStash();
    load(part(8, 0), multipart(9, 8, 1), commit(10));
    stream.stashRest();
    stream.skip();
    assertThat(Lsn.dense(stream.headLsn())).isEqualTo(10);
    stream.skip();
    assertThat(stream.headLsn()).isEqualTo(-1);
    requireEmptyStash();
  }

  @Test
  void whatIsDetachedIsTakenOrDroppedLater() {
    load(part(7, 0), multipart(5, 7, 1), part(8, 0), multipart(6, 8, 1));
    stream.stashRest();
    long first = stream.detach();
    long second = stream.detach();
    assertThat(stream.headLsn()).isEqualTo(-1);
    stream.read(second, reader);
    stream.drop(first);
    assertThat(read).containsExactly("part 0", "commit 6");
    requireEmptyStash();
  }

  @Test
  void partsThatAreGivenUpGiveTheirMemoryBack() {
    load(part(7, 0), part(7, 1), commit(5));
    takeAll();
    requireEmptyStash();
    load(part(8, 0), part(9, 0), multipart(6, 9, 1));
    takeAll();
    assertThat(read).containsExactly("commit 5", "part 0", "commit 6");
    requireEmptyStash();
  }

  @Test
  void partsComeInTurn() {
    assertThat(malformed(part(7, 1)).problem()).contains("part 1 of group 7");
    assertThat(malformed(part(7, 0), part(7, 2)).problem()).contains("follows 1 parts");
    assertThat(malformed(part(7, 0), part(8, 1)).problem()).contains("part 1 of group 8");
    assertThat(malformed(part(7, 0), multipart(5, 8, 1)).problem()).contains("commit of 1 parts");
    assertThat(malformed(part(7, 0), multipart(6, 7, 2)).problem()).contains("follows 1 parts");
  }

  // ---- order

  @Test
  void lsnsOfAPartitionGrow() {
    load(commit(5));
    takeAll();
    assertThat(malformed(commit(5)).problem()).contains("LSN 5").contains("after 5");
    load(commit(Lsn.MAX));
    takeAll();
    assertThat(malformed(commit(Lsn.MAX + 1)).problem()).contains("after " + Lsn.MAX);
  }

  @Test
  void aRecordIsOfItsPartition() {
    assertThat(
            malformed(new long[] {RedoRecordLayout.KIND_COMMIT, Lsn.pack(5, PARTITION + 1), 0})
                .problem())
        .contains("record of partition 3");
  }

  @Test
  void dependenciesLieBeforeTheirRecordAndNeverFall() {
    load(commit(5, Lsn.pack(5, PARTITION) - 1), commit(6, Lsn.pack(5, PARTITION) - 1));
    takeAll();
    assertThat(malformed(commit(7, Lsn.pack(5, PARTITION) - 2)).problem()).contains("depends on");
    assertThat(malformed(commit(8, Lsn.pack(8, PARTITION))).problem()).contains("depends on");
  }

  @Test
  void aRecordEndsWithinItsSection() {
    ByteBuffer bytes = records(commit(5), new long[] {RedoRecordLayout.KIND_COMMIT, 1, 0, 0});
    MalformedRecordException found =
        catchThrowableOfType(
            MalformedRecordException.class,
            () -> {
              stream.load(bytes, 0, bytes.limit() - Long.BYTES);
              stream.read(reader);
            });
    assertThat(found.at()).isEqualTo(32);
    assertThat(found.problem()).contains("no redo record");
  }

  // ---- logs that were trimmed

  @ParameterizedTest
  @CsvSource({"5, true", "6, false"})
  void aCommitMayLackPartsThatWereTrimmed(long lsn, boolean allowed) {
    stream.startAt(800, 5);
    if (allowed) {
      load(part(7, 2), multipart(lsn, 7, 3));
      stream.skip();
      requireEmptyStash();
      assertThat(stream.endPosition()).isEqualTo(880);
    } else {
      assertThat(malformed(part(7, 2), multipart(lsn, 7, 3)).problem())
          .contains("commit of 3 parts");
    }
  }

  @Test
  void fromTheFirstWholeGroupOnPartsAreHeldToTheirTurn() {
    stream.startAt(0, 0);
    assertThat(malformed(part(7, 2), part(8, 0), part(8, 2)).problem()).contains("follows 1 parts");
  }

  @Test
  void afterARecordNoGroupIsOpenThatWasTrimmed() {
    stream.startAt(0, 9);
    load(commit(5));
    takeAll();
    assertThat(malformed(part(7, 2)).problem()).contains("part 2 of group 7");
  }
}
