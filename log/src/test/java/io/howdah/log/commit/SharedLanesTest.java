package io.howdah.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lanes that share a partition (docs/protocol.md, R33): who appends, and who has left. */
final class SharedLanesTest {

  private static final int RECORD = 64;
  private static final int CAPACITY = RingLayout.MIN_CAPACITY;

  private final LogStart start = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 1);
  private final Storage storage = SimulatedDisk.seeded(1).storage();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));
  private final RingSet rings = rings(1);
  private final CommitLanes lanes = lanes(rings, 3);
  private final Lane first = lanes.lane(0);
  private final Lane second = lanes.lane(1);

  private RingSet rings(int partitions) {
    storage.createDirectory("rings" + partitions);
    return RingSet.create(storage, "rings" + partitions, start, 77, partitions, CAPACITY);
  }

  private CommitLanes lanes(RingSet rings, int wanted) {
    return new CommitLanes(
        words,
        CommitLanes.lanesOf(words, rings, start, wanted),
        Execution.system(),
        LogSpace.unlimited(() -> {}));
  }

  @AfterEach
  void closeStorage() {
    rings.close();
    storage.close();
  }

  private Ring ring() {
    return rings.rings().getFirst();
  }

  /** Leases a lane and appends a record; the lane stays leased. */
  private static void append(Lane lane, int lengthBytes) {
    assertThat(lane.tryLease(lane.index() + 1L)).isTrue();
    assertThat(lane.tryAppendLock()).isTrue();
    lane.announce(0);
    long lsn = lane.takeLsn();
    lane.begin(RedoRecordLayout.KIND_COMMIT, lengthBytes, 0, lsn, lane.dependency(0));
    lane.put(new long[lengthBytes], 0, lengthBytes / Long.BYTES - 4);
    lane.publish();
    lane.releaseAppendLock();
  }

  @ParameterizedTest
  @CsvSource({
    "2, 4, 4",
    "2, 3, 2",
    "3, 4, 3",
    "4, 4, 4",
    "2, 200, 64",
    "5, 200, 60",
    "64, 200, 64"
  })
  void aPartitionHasSeveralLanesIfThereAreFewPartitions(int partitions, int wanted, int count) {
    try (RingSet some = rings(partitions)) {
      CommitLanes made = lanes(some, wanted);
      assertThat(made.count()).isEqualTo(count);
      assertThat(made.partitions()).isEqualTo(partitions);
      for (int i = 0; i < count; i++) {
        assertThat(made.lane(i).index()).isEqualTo(i);
        assertThat(made.lane(i).partition()).isEqualTo(i % partitions);
        assertThat(made.lane(i).isShared()).isEqualTo(count > partitions);
      }
    }
  }

  @Test
  void recordsOfSeveralLanesFollowOneAnother() {
    append(first, RECORD);
    first.finish();
    append(second, 2 * RECORD);
    second.finish();
    append(first, RECORD);
    assertThat(first.position()).isEqualTo(4 * RECORD).isEqualTo(ring().tail());
    assertThat(RedoRecordLayout.length(ring().word(RECORD))).isEqualTo(2 * RECORD);
    assertThat(ring().word(3 * RECORD + RedoRecordLayout.LSN_OFFSET)).isEqualTo(Lsn.pack(3, 0));
  }

  @Test
  void oneLaneAppendsAtATime() {
    assertThat(lanes.spinForAppendLock(first, RECORD)).isTrue();
    assertThat(lanes.spinForAppendLock(second, RECORD)).isFalse();
    first.announce(0);
    first.publishVoid(first.takeLsn());
    first.releaseAppendLock();
    assertThat(ring().inflight()).isEqualTo(RingLayout.IDLE);
    assertThat(lanes.spinForAppendLock(second, RECORD)).isTrue();
    assertThat(second.position()).isEqualTo(RedoRecordLayout.MIN_LENGTH);
  }

  @Test
  void nobodyAnnouncesWithoutTheAppendLock() {
    assertThat(lanes.spinForAppendLock(first, RECORD)).isTrue();
    assertThatThrownBy(() -> second.announce(0)).isInstanceOf(IllegalStateException.class);
    assertThat(ring().inflight()).isEqualTo(RingLayout.IDLE);
  }

  @Test
  void aLaneThatIsReturnedGivesTheAppendLockBackButNotThatOfAnotherOne() {
    assertThat(lanes.spinForAppendLock(first, RECORD)).isTrue();
    first.endLease();
    assertThat(lanes.spinForAppendLock(second, RECORD)).isTrue();
    second.announce(7);
    first.endLease();
    assertThat(ring().inflight()).isEqualTo(7);
    assertThat(lanes.spinForAppendLock(first, RECORD)).isFalse();
  }

  @Test
  void aCommitHasLeftWhenItHasStoredNotWhenItHasPublished() {
    append(first, RECORD);
    assertThat(ring().inflight()).isEqualTo(RingLayout.IDLE);
    assertThat(lanes.haveCommitsEnded(0)).isTrue();
    assertThat(lanes.haveCommitsEnded(1)).isFalse();
    append(second, RECORD);
    second.finish();
    assertThat(lanes.haveCommitsEnded(1)).isFalse();
    first.finish();
    assertThat(lanes.haveCommitsEnded(2)).isTrue();
  }

  /** As by default: then the announcement for the flusher stands until the commit has stored. */
  @Test
  void aCommitHasLeftALaneOfItsOwnWhenItHasStored() {
    try (RingSet two = rings(2)) {
      CommitLanes own = lanes(two, 2);
      append(own.lane(0), RECORD);
      assertThat(own.haveCommitsEnded(0)).isTrue();
      assertThat(own.haveCommitsEnded(1)).isFalse();
      append(own.lane(1), RECORD);
      own.lane(1).finish();
      assertThat(own.haveCommitsEnded(1)).isFalse();
      own.lane(0).finish();
      assertThat(own.haveCommitsEnded(2)).isTrue();
    }
  }

  @Test
  void theRoomThatALaneSawIsLookedAtAgainBehindTheAppendLock() {
    append(first, CAPACITY / 2);
    first.finish();
    append(second, CAPACITY / 2);
    second.finish();
    assertThat(first.hasSpace(RECORD)).as("what it saw last").isTrue();
    assertThat(lanes.spinForAppendLock(first, RECORD)).isFalse();
    assertThat(first.hasSpace(RECORD)).as("it has seen the tail").isFalse();
    ring().publishForced(RECORD);
    assertThat(lanes.spinForAppendLock(first, RECORD)).isTrue();
  }

  @Test
  void aSecondLeasePassesByALaneWhosePartitionIsBusy() {
    try (RingSet two = rings(2)) {
      CommitLanes four = lanes(two, 4);
      Lane busy = four.lease(0, RECORD, 0);
      assertThat(four.spinForAppendLock(busy, RECORD)).isTrue();
      Lane sharing = four.lease(2, RECORD, 0);
      assertThat(sharing.partition()).isZero();
      sharing.endLease();
      assertThat(four.leaseWithFreeAppendLock(2, RECORD, 0, Deadline.NONE).partition())
          .isEqualTo(1);
    }
  }

  @Test
  void dependenciesAndGroupsGoFromLaneToLane() {
    assertThat(lanes.spinForAppendLock(first, RECORD)).isTrue();
    assertThat(first.dependency(Lsn.pack(9, 1))).isEqualTo(Lsn.pack(9, 1));
    assertThat(first.beginParts()).isEqualTo(1);
    assertThat(second.firstPartPosition()).isZero();
    first.endLease();
    assertThat(second.firstPartPosition()).isEqualTo(Long.MAX_VALUE);
    assertThat(lanes.spinForAppendLock(second, RECORD)).isTrue();
    assertThat(second.dependency(Lsn.pack(5, 1))).isEqualTo(Lsn.pack(9, 1));
    assertThat(second.beginParts()).isEqualTo(2);
  }

  /** Single words that do not follow one another. */
  private record Words(int singles) implements RecordSource {
    @Override
    public long address(int single) {
      return 4096 + 16L * single;
    }

    @Override
    public long value(int single) {
      return single;
    }

    @Override
    public int rowCount() {
      return 0;
    }

    @Override
    public long[] rowEntries() {
      return new long[0];
    }

    @Override
    public int rowEntriesEnd() {
      return 0;
    }
  }

  @Test
  void aPreparedRecordHasTheSameWordsAsOneThatWasNotPrepared() {
    CommitPoint point = new CommitPoint();
    for (int singles : new int[] {1, 2, 61, 62, 63, 200}) {
      List<Long> words = new ArrayList<>();
      RecordWriter record = new RecordWriter(new Words(singles), new Words(0));
      int bytes = (int) record.selectWhole();
      for (Lane lane : List.of(first, second)) {
        record.selectWhole();
        if (lane == first) {
          lane.encodeBeforeLsn(record);
          assertThat(lane.isEncoded()).isEqualTo(bytes <= 128 * Long.BYTES);
        }
        assertThat(lanes.spinForAppendLock(lane, bytes)).isTrue();
        long from = lane.position();
        lane.append(record, Lsn.pack(11, 1), Lsn.pack(10, 0), point);
        assertThat(lane.position()).isEqualTo(from + bytes);
        assertThat(point.partition()).isEqualTo(lane.partition());
        assertThat(point.end()).isEqualTo(from + bytes);
        assertThat(point.dependency()).isEqualTo(10);
        lane.releaseAppendLock();
        for (int i = 0; i < bytes - Long.BYTES; i += Long.BYTES) {
          words.add(ring().word(from + i));
        }
      }
      int each = bytes / Long.BYTES - 1;
      assertThat(words.subList(0, each)).isEqualTo(words.subList(each, 2 * each));
      assertThat(words.get(1)).isEqualTo(Lsn.pack(11, 1));
      assertThat(words.get(2)).isEqualTo(Lsn.pack(10, 0));
    }
  }

  @Test
  void aRecordMayBePreparedInSeveralLanes() {
    RecordWriter record = new RecordWriter(new Words(2), new Words(0));
    int bytes = (int) record.selectWhole();
    CommitPoint point = new CommitPoint();
    first.encodeBeforeLsn(record);
    second.encodeBeforeLsn(record);
    assertThat(lanes.spinForAppendLock(second, bytes)).isTrue();
    long from = second.position();
    second.append(record, Lsn.pack(11, 1), 0, point);
    assertThat(second.isEncoded()).isFalse();
    assertThat(ring().word(from)).isEqualTo(record.head());
    assertThat(ring().word(from + 4 * Long.BYTES)).isZero();
    assertThat(ring().word(from + 6 * Long.BYTES)).isEqualTo(1);
  }

  @Test
  void aPreparedRecordIsForgottenWithTheReturnOfTheLane() {
    RecordWriter left = new RecordWriter(new Words(1), new Words(0));
    RecordWriter record = new RecordWriter(new Words(2), new Words(0));
    left.selectWhole();
    first.encodeBeforeLsn(left);
    first.endLease();
    appendOnly(record);
  }

  @Test
  void aPreparedRecordIsForgottenWithAVoid() {
    RecordWriter left = new RecordWriter(new Words(1), new Words(0));
    RecordWriter record = new RecordWriter(new Words(2), new Words(0));
    left.selectWhole();
    first.encodeBeforeLsn(left);
    assertThat(first.tryAppendLock()).isTrue();
    first.publishVoid(first.takeLsn());
    assertThat(first.isEncoded()).isFalse();
    first.releaseAppendLock();
    appendOnly(record);
  }

  /** Appends a record of two words through the first lane, without preparing it, and checks it. */
  private void appendOnly(RecordWriter record) {
    int bytes = (int) record.selectWhole();
    assertThat(lanes.spinForAppendLock(first, bytes)).isTrue();
    long from = first.position();
    first.append(record, Lsn.pack(11, 1), 0, new CommitPoint());
    assertThat(ring().word(from)).isEqualTo(record.head());
    assertThat(ring().word(from + 6 * Long.BYTES)).isEqualTo(1);
  }
}
