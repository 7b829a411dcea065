package io.howdah.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.layout.RecordChecksum;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records as a lane writes them into its ring, and what its window announces. */
class LaneTest {

  private static final int CAPACITY = RingLayout.MIN_CAPACITY;
  private static final long SEED = 0x1234_5678_9ABCL;

  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(4));
  private final Region memory = Regions.anonymous(RingLayout.HEADER_LENGTH + (long) CAPACITY);
  private final Ring ring = new Ring(memory, 2, CAPACITY);
  private final Lane lane = new Lane(words, 2, ring, SEED);

  private long checksum(long from, long to) {
    long[] words = new long[(int) (to - from) / Long.BYTES - 1];
    Arrays.setAll(words, i -> ring.word(from + (long) i * Long.BYTES));
    RecordChecksum checksum = new RecordChecksum();
    checksum.start(SEED, from);
    checksum.add(words, words.length);
    return checksum.value();
  }

  /** Writes a record of a length; returns where it starts. */
  private long write(int lengthBytes, boolean wordByWord) {
    long start = lane.position();
    int count = lengthBytes / Long.BYTES - 4;
    lane.begin(RedoRecordLayout.KIND_COMMIT, lengthBytes, 1, 77, 55);
    long[] body = new long[count + 3];
    Arrays.setAll(body, i -> start * 31 + i);
    if (wordByWord) {
      for (int i = 0; i < count; i++) {
        lane.put(body[i]);
      }
    } else {
      lane.put(body, 0, count);
    }
    lane.publish();
    return start;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRecordOfAnyLengthIsInTheRingAsItWasPut(boolean wordByWord) {
    for (int words = 4; words < 600; words++) {
      int length = words * Long.BYTES;
      long start = write(length, wordByWord);
      long end = start + length;
      assertThat(ring.tail()).isEqualTo(end).isEqualTo(lane.position());
      assertThat(ring.word(start))
          .isEqualTo(RedoRecordLayout.head(length, RedoRecordLayout.KIND_COMMIT, 1));
      assertThat(ring.word(start + 8)).isEqualTo(77);
      assertThat(ring.word(start + 16)).isEqualTo(55);
      for (int i = 0; i < words - 4; i++) {
        assertThat(ring.word(start + 24 + i * 8L)).isEqualTo(start * 31 + i);
      }
      assertThat(ring.word(end - 8)).isEqualTo(checksum(start, end));
    }
    assertThat(lane.position()).isGreaterThan(10L * CAPACITY);
  }

  @Test
  void bytesOfTheRingAreCopiedInTheOrderOfTheirPositionsAlsoOverItsEnd() {
    while (lane.position() < CAPACITY - 200) {
      write(96, true);
    }
    long from = lane.position();
    while (lane.position() < CAPACITY + 400L) {
      write(96, false);
    }
    int length = (int) (lane.position() - from);
    ByteBuffer copy = ByteBuffer.allocateDirect(length + 16).order(ByteOrder.LITTLE_ENDIAN);
    copy.position(8);
    ring.copyTo(from, lane.position(), copy);
    assertThat(copy.position()).isEqualTo(8 + length);
    assertThat(copy.limit()).isEqualTo(length + 16);
    for (int i = 0; i < length; i += Long.BYTES) {
      assertThat(copy.getLong(8 + i)).isEqualTo(ring.word(from + i));
    }
    assertThat(copy.getLong(0)).isZero();
    assertThat(copy.getLong(8 + length)).isZero();
  }

  @Test
  void aRecordThatDoesNotFillItsLengthIsNotPublished() {
    long from = write(96, true) + 96;
    lane.begin(RedoRecordLayout.KIND_COMMIT, 64, 1, 77, 0);
    lane.put(1);
    assertThatThrownBy(lane::publish)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("64 bytes")
        .hasMessageContaining("with 40");
    assertThat(lane.position()).isEqualTo(from);
    assertThat(lane.hasPublishedSince(from)).isFalse();
    lane.publishVoid(77);
    assertThat(lane.hasPublishedSince(from)).isTrue();
    assertThat(lane.hasPublishedSince(lane.position())).isFalse();
    assertThat(lane.position()).isEqualTo(from + RedoRecordLayout.MIN_LENGTH);
    assertThat(RedoRecordLayout.kind(ring.word(from))).isEqualTo(RedoRecordLayout.KIND_VOID);
  }

  @Test
  void spaceIsWhatNoUnforcedRecordTakes() {
    assertThat(lane.hasSpace(CAPACITY)).isTrue();
    assertThat(lane.hasSpace(CAPACITY + 8)).isFalse();
    write(64, true);
    assertThat(lane.hasSpace(CAPACITY - 64)).isTrue();
    assertThat(lane.hasSpace(CAPACITY - 56)).isFalse();
    ring.publishForced(8);
    assertThat(lane.hasSpace(CAPACITY - 56)).isTrue();
    assertThat(lane.hasSpace(CAPACITY - 48)).isFalse();
    ring.publishForced(64);
    assertThat(lane.hasSpace(CAPACITY)).isTrue();
  }

  @Test
  void anAnnouncementIsTheNewestLsnThatIsKnownUntilTheWindowEnds() {
    assertThat(lane.tryLease(9)).isTrue();
    lane.announce();
    assertThat(ring.inflight()).isZero();
    assertThat(Lsn.dense(lane.takeLsn())).isEqualTo(1);
    lane.publishVoid(Lsn.pack(1, 2));
    lane.finish();
    assertThat(ring.inflight()).isEqualTo(RingLayout.IDLE);
    assertThat(lane.isLeased()).isFalse();

    assertThat(lane.tryLease(9)).isTrue();
    lane.announce();
    assertThat(ring.inflight()).isEqualTo(1);
    lane.announce(5);
    assertThat(ring.inflight()).isEqualTo(5);
    lane.announce(0);
    assertThat(ring.inflight()).isEqualTo(1);
  }

  @Test
  void anLsnNamesItsPartitionAndIsTakenOnce() {
    CommitWords.start(words, 41);
    long lsn = lane.takeLsn();
    assertThat(Lsn.dense(lsn)).isEqualTo(42);
    assertThat(Lsn.partition(lsn)).isEqualTo(2);
    assertThat(lane.lastLsn()).isEqualTo(42);
    assertThat(words.getLong(CommitWords.CLOCK)).isEqualTo(42);
    assertThat(Lsn.dense(lane.takeLsn())).isEqualTo(43);
  }

  @Test
  void aRecordDependsOnWhatEarlierOnesOfItsPartitionDependOn() {
    assertThat(lane.dependency(0)).isZero();
    assertThat(lane.dependency(Lsn.pack(5, 1))).isEqualTo(Lsn.pack(5, 1));
    assertThat(lane.dependency(0)).isEqualTo(Lsn.pack(5, 1));
    assertThat(lane.dependency(Lsn.pack(7, 3))).isEqualTo(Lsn.pack(7, 3));
    assertThat(lane.dependency(Lsn.pack(6, 3))).isEqualTo(Lsn.pack(7, 3));
  }

  @Test
  void theLogIsNotTrimmedAfterTheFirstPartUntilTheLaneIsReturned() {
    assertThat(lane.tryLease(9)).isTrue();
    assertThat(lane.firstPartPosition()).isEqualTo(Long.MAX_VALUE);
    assertThat(lane.beginParts()).isEqualTo(1);
    assertThat(lane.firstPartPosition()).isZero();
    write(64, true);
    assertThat(lane.firstPartPosition()).isZero();
    lane.finish();
    assertThat(lane.firstPartPosition()).isEqualTo(Long.MAX_VALUE);

    assertThat(lane.tryLease(9)).isTrue();
    assertThat(lane.beginParts()).isEqualTo(2);
    assertThat(lane.firstPartPosition()).isEqualTo(64);
    assertThat(words.getLong(CommitWords.CLOCK)).isZero();
    assertThat(lane.leaseWord()).isEqualTo(9);
    lane.finish();
    assertThat(lane.firstPartPosition()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aLeaseIsExclusiveAndOfThisLaneAlone() {
    Lane other = new Lane(words, 3, ring, SEED);
    assertThat(lane.tryLease(9)).isTrue();
    assertThat(lane.tryLease(9)).isFalse();
    assertThat(lane.leaseWord()).isEqualTo(9);
    assertThat(other.isLeased()).isFalse();
    assertThat(other.tryLease(8)).isTrue();
    lane.finish();
    assertThat(lane.isLeased()).isFalse();
    assertThat(other.leaseWord()).isEqualTo(8);
  }

  @Test
  void aLaneWithoutARingHasSpaceForEverythingAndPublishesNothing() {
    Lane volatileLane = new Lane(words, 1, null, 0);
    assertThat(volatileLane.isLogged()).isFalse();
    assertThat(lane.isLogged()).isTrue();
    assertThat(volatileLane.hasSpace(Long.MAX_VALUE)).isTrue();
    volatileLane.announce();
    for (int i = 0; i < 50; i++) {
      volatileLane.begin(RedoRecordLayout.KIND_COMMIT, 64, 1, 77, 0);
      volatileLane.put(new long[4], 0, 4);
      volatileLane.publish();
    }
    assertThat(volatileLane.position()).isZero();
    assertThat(volatileLane.hasPublishedSince(-1)).isFalse();
    Throwable fault = new IllegalStateException();
    assertThat(volatileLane.explained(fault)).isSameAs(fault);
    assertThat(lane.explained(fault)).isSameAs(fault);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        RingLayout.MIN_CAPACITY / 2,
        RingLayout.MIN_CAPACITY + 8,
        RingLayout.MIN_CAPACITY * 3L,
        RingLayout.MAX_CAPACITY * 2L
      })
  void aRingOfAnotherSizeIsRefused(long capacity) {
    assertThatThrownBy(() -> new Ring(memory, 0, capacity))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not " + capacity);
  }

  @Test
  void theSmallestAndTheLargestRingAreAccepted() {
    assertThat(new Ring(memory, 1, RingLayout.MIN_CAPACITY).capacityBytes())
        .isEqualTo(RingLayout.MIN_CAPACITY);
    Ring largest = new Ring(memory, 1, RingLayout.MAX_CAPACITY);
    assertThat(largest.capacityBytes()).isEqualTo(RingLayout.MAX_CAPACITY);
    assertThat(largest.partition()).isEqualTo(1);
  }

  @Test
  void packedLsnsOrderAsDenseOnesDo() {
    assertThat(Lsn.ceiling(7)).isGreaterThanOrEqualTo(Lsn.pack(7, Lsn.MAX_PARTITIONS - 1));
    assertThat(Lsn.ceiling(7)).isLessThan(Lsn.pack(8, 0));
    assertThat(Lsn.dense(Lsn.pack(Lsn.MAX, 255))).isEqualTo(Lsn.MAX);
    assertThat(Lsn.partition(Lsn.pack(Lsn.MAX, 255))).isEqualTo(255);
    assertThat(Lsn.partition(Lsn.pack(3, 0))).isZero();
  }

  @Test
  void aParkEndsWithTheDeadlineAndTakesAtLeastANanosecond() {
    assertThat(Deadline.NONE.park(50)).isEqualTo(50);
    assertThat(left(20).park(50)).isEqualTo(20);
    assertThat(left(-20).park(50)).isEqualTo(1);
  }

  private static Deadline left(long nanos) {
    return new Deadline() {
      @Override
      public long leftNanos() {
        return nanos;
      }

      @Override
      public void failIfOver() {}
    };
  }
}
