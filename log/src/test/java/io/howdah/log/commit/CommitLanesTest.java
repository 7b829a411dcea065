package io.howdah.log.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lane a commit gets, what it waits for, and that no lane and no gate is lost on the way. */
class CommitLanesTest {

  private static final int RECORD = 64;
  private static final int RING = RingLayout.MIN_CAPACITY;

  private final Steps steps = new Steps();
  private final Space space = new Space();
  private final List<Ring> rings = new ArrayList<>();
  private Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));

  private CommitLanes lanes(int count) {
    words = Regions.anonymous(CommitLanes.wordsLengthBytes(count));
    List<Lane> lanes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Region memory = Regions.anonymous(RingLayout.HEADER_LENGTH + (long) RING);
      memory.setLong(RingLayout.INFLIGHT_OFFSET, RingLayout.IDLE);
      rings.add(new Ring(memory, i, RING));
      lanes.add(new Lane(words, i, rings.get(i), 7));
    }
    return new CommitLanes(words, lanes, steps, space);
  }

  /** Fills a ring but for a number of bytes. */
  private void fill(CommitLanes lanes, int index, int freeBytes) {
    Lane lane = lanes.lane(index);
    assertThat(lane.tryLease(99)).isTrue();
    int left = RING - freeBytes;
    while (left > 0) {
      int length = Math.min(left, 32 * 1024);
      lane.begin(1, length, 0, 1, 0);
      lane.put(new long[length / Long.BYTES], 0, length / Long.BYTES - 4);
      lane.publish();
      left -= length;
    }
    lane.finish();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void aCommitGetsItsHomeLaneAndElseTheNextFreeOne(int count) {
    CommitLanes lanes = lanes(count);
    assertThat(lanes.count()).isEqualTo(count);
    for (int home : new int[] {0, 1, 7, -1, Integer.MIN_VALUE}) {
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        order.add(lanes.lease(home, RECORD, 0).partition());
      }
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        expected.add(Math.floorMod(Math.floorMod(home, count) + i, count));
      }
      assertThat(order).isEqualTo(expected);
      assertThat(lanes.leaseAtOnce(home, RECORD)).isNull();
      for (int i = 0; i < count; i++) {
        lanes.lane(i).endLease();
      }
      assertThat(lanes.isIdle()).isTrue();
    }
  }

  @Test
  void aLaneTellsWithWhichHomeItIsLeased() {
    CommitLanes lanes = lanes(2);
    assertThat(lanes.ownerOf(0)).isEqualTo(-1);
    assertThat(lanes.leasedBy(6)).isNull();
    Lane first = lanes.lease(6, RECORD, 0);
    Lane second = lanes.lease(-1, RECORD, 0);
    assertThat(lanes.leasedBy(6)).isSameAs(first);
    assertThat(lanes.leasedBy(-1)).isSameAs(second);
    assertThat(lanes.ownerOf(0)).isEqualTo(6);
    assertThat(lanes.ownerOf(1)).isEqualTo(0xFFFF_FFFFL);
    first.endLease();
    assertThat(lanes.leasedBy(6)).isNull();
    assertThat(lanes.isIdle()).isFalse();
    second.endLease();
    assertThat(lanes.isIdle()).isTrue();
  }

  @Test
  void aFullRingIsPassedOverAndItsLaneGivenBack() {
    CommitLanes lanes = lanes(2);
    fill(lanes, 0, RECORD - 8);
    Lane lane = lanes.lease(0, RECORD, 0);
    assertThat(lane.partition()).isEqualTo(1);
    assertThat(lanes.lane(0).isLeased()).isFalse();
    lane.endLease();
    assertThat(lanes.lease(0, RECORD - 8, 0).partition()).isZero();
  }

  @Test
  void aCommitWaitsForSpaceUntilItsRecordFitsExactly() {
    CommitLanes lanes = lanes(2);
    fill(lanes, 0, 8);
    fill(lanes, 1, 0);
    List<Boolean> looks = new ArrayList<>();
    space.onAwait =
        hasSpace -> {
          assertThat(lanes.isIdle()).isTrue();
          looks.add(hasSpace.getAsBoolean());
          rings.getFirst().publishForced(RECORD - 16);
          looks.add(hasSpace.getAsBoolean());
          rings.getFirst().publishForced(RECORD - 8);
          looks.add(hasSpace.getAsBoolean());
        };
    assertThat(lanes.lease(1, RECORD, 0).partition()).isZero();
    assertThat(looks).containsExactly(false, false, true);
    assertThat(space.awaits).isEqualTo(1);
  }

  @Test
  void aCommitWhoseNeighbourHasSpacePausesInsteadOfWaitingForAForce() {
    CommitLanes lanes = lanes(2);
    fill(lanes, 0, 0);
    Lane busy = lanes.lease(1, RECORD, 0);
    steps.onSpin = () -> busy.endLease();
    assertThat(lanes.lease(0, RECORD, 0)).isSameAs(busy);
    assertThat(space.awaits).isZero();
    assertThat(steps.spins).isEqualTo(1);
  }

  @Test
  void aHolderOfALaneWaitsForSpaceOfItsOwnRing() {
    CommitLanes lanes = lanes(2);
    Lane lane = lanes.lease(0, RECORD, 0);
    lanes.awaitSpace(lane, RECORD, Deadline.NONE);
    assertThat(space.awaits).isZero();
    lane.endLease();
    fill(lanes, 0, RECORD - 8);
    assertThat(lane.tryLease(1)).isTrue();
    space.onAwait =
        hasSpace -> {
          assertThat(hasSpace.getAsBoolean()).isFalse();
          rings.getFirst().publishForced(8);
          assertThat(hasSpace.getAsBoolean()).isTrue();
        };
    lanes.awaitSpace(lane, RECORD, Deadline.NONE);
    assertThat(space.awaits).isEqualTo(1);
    assertThat(lane.isLeased()).isTrue();
  }

  @Test
  void whileTheLogIsAtItsLimitNoCommitBegins() {
    CommitLanes lanes = lanes(2);
    lanes.block(true);
    assertThat(lanes.isBlocked()).isTrue();
    assertThat(lanes.leaseAtOnce(0, RECORD)).isNull();
    assertThat(lanes.isIdle()).isTrue();
    space.onTrim =
        lifted -> {
          assertThat(lifted.getAsBoolean()).isFalse();
          lanes.block(false);
          assertThat(lifted.getAsBoolean()).isTrue();
        };
    assertThat(lanes.lease(0, RECORD, 0).partition()).isZero();
    assertThat(space.trims).isEqualTo(1);
    assertThat(lanes.isBlocked()).isFalse();
  }

  @Test
  void anIrrevocableTransactionKeepsItsGateAtTheLimitAndWaitsWithItsCommit() {
    CommitLanes lanes = lanes(2);
    lanes.block(true);
    lanes.enterGate(5);
    lanes.block(true);
    space.onTrim = _ -> lanes.block(false);
    assertThat(lanes.lease(1, RECORD, 5).partition()).isEqualTo(1);
    assertThat(space.trims).isEqualTo(1);
    assertThat(lanes.leaseAtOnce(0, RECORD)).isNull();
    lanes.lane(1).endLease();
    lanes.leaveGate();
    assertThat(lanes.leaseAtOnce(0, RECORD)).isNotNull();
  }

  @Test
  void aGateThatIsLeftAtTheLimitStaysClosedToCommits() {
    for (boolean byTicket : new boolean[] {false, true}) {
      CommitLanes lanes = lanes(1);
      lanes.enterGate(5);
      lanes.block(true);
      if (byTicket) {
        lanes.leaveGateIfHeld(5);
      } else {
        lanes.leaveGate();
      }
      assertThat(words.getLong(CommitWords.GATE)).isEqualTo(-1);
      lanes.block(false);
      assertThat(words.getLong(CommitWords.GATE)).isZero();
      assertThat(lanes.leaseAtOnce(0, RECORD)).isNotNull();
    }
  }

  @Test
  void onlyItsHolderLeavesTheGateByTicket() {
    CommitLanes lanes = lanes(1);
    lanes.enterGate(5);
    lanes.leaveGateIfHeld(4);
    assertThat(lanes.leaseAtOnce(0, RECORD)).isNull();
    lanes.leaveGateIfHeld(5);
    assertThat(lanes.leaseAtOnce(0, RECORD)).isNotNull();
  }

  @Test
  void theGateIsEnteredWhenTheLastCommitUnderWayHasEnded() {
    CommitLanes lanes = lanes(3);
    Lane first = lanes.lease(0, RECORD, 0);
    Lane last = lanes.lease(2, RECORD, 0);
    List<Boolean> newCommits = new ArrayList<>();
    steps.onSpin =
        () -> {
          newCommits.add(lanes.leaseAtOnce(1, RECORD) != null);
          (first.isLeased() ? first : last).endLease();
        };
    lanes.enterGate(5);
    assertThat(newCommits).containsExactly(false, false);
    assertThat(lanes.isIdle()).isTrue();
    assertThat(lanes.lease(0, RECORD, 5)).isNotNull();
  }

  @Test
  void aGateThatCannotBeEnteredInTimeIsOpenAgain() {
    CommitLanes lanes = lanes(2);
    Lane lane = lanes.lease(0, RECORD, 0);
    assertThatThrownBy(() -> lanes.enterGate(5, OVER)).hasCauseInstanceOf(TimeoutException.class);
    lane.endLease();
    assertThat(lanes.leaseAtOnce(1, RECORD)).isNotNull();
  }

  @Test
  void aClosedGateIsWaitedForUntilTheDeadline() {
    CommitLanes lanes = lanes(2);
    lanes.enterGate(5);
    assertThatThrownBy(() -> lanes.enterGate(6, OVER)).hasCauseInstanceOf(TimeoutException.class);
    assertThatThrownBy(() -> lanes.lease(0, RECORD, 6, OVER))
        .hasCauseInstanceOf(TimeoutException.class);
    assertThat(lanes.isIdle()).isTrue();
    assertThat(lanes.lease(0, RECORD, 5, OVER)).isNotNull();
  }

  @Test
  void everyWaitEndsWhenTheLogStops() {
    CommitLanes lanes = lanes(2);
    Lane lane = lanes.lease(0, RECORD, 0);
    space.stopped = true;
    assertThatThrownBy(() -> lanes.lease(1, RECORD, 0)).hasMessage("stopped");
    assertThatThrownBy(() -> lanes.leaseAtOnce(1, RECORD)).hasMessage("stopped");
    assertThatThrownBy(() -> lanes.enterGate(5)).hasMessage("stopped");
    lane.endLease();
    space.stopped = false;
    lanes.enterGate(5);
    space.stopped = true;
    assertThatThrownBy(() -> lanes.enterGate(6)).hasMessage("stopped");
  }

  @Test
  void aWaitSpinsThenYieldsThenParksForUpToAMillisecondAndLooksNowAndThen() {
    CommitLanes lanes = lanes(1);
    lanes.lease(0, RECORD, 0);
    List<Integer> watched = new ArrayList<>();
    lanes.whenWaitIsLong(() -> watched.add(steps.total()));
    steps.limit = 1100;
    assertThatThrownBy(() -> lanes.lease(0, RECORD, 0)).hasMessage("limit");
    assertThat(steps.spins).isEqualTo(50);
    assertThat(steps.yields).isEqualTo(10);
    assertThat(steps.parks.subList(0, 8))
        .containsExactly(
            20_000L, 40_000L, 80_000L, 160_000L, 320_000L, 640_000L, 1_000_000L, 1_000_000L);
    assertThat(watched).containsExactly(511, 1023);
  }

  @Test
  void aWaitForIdleLanesEndsWithTheTimeOrTheLastCommit() {
    CommitLanes lanes = lanes(2);
    steps.nanos = Long.MAX_VALUE - 10;
    assertThat(lanes.awaitIdle(0)).isTrue();
    Lane lane = lanes.lease(1, RECORD, 0);
    assertThat(lanes.awaitIdle(0)).isFalse();
    steps.nanosPerSpin = 10;
    steps.spins = 0;
    assertThat(lanes.awaitIdle(30)).isFalse();
    assertThat(steps.spins).isEqualTo(3);
    steps.onSpin = () -> lane.endLease();
    assertThat(lanes.awaitIdle(30)).isTrue();

    assertThat(lane.tryLease(9)).isTrue();
    steps.onSpin = () -> {};
    steps.onPark = () -> lane.endLease();
    assertThat(lanes.awaitIdle(Long.MAX_VALUE)).isTrue();
    assertThat(steps.yields).isEqualTo(10);
    assertThat(steps.parks).hasSize(1);
  }

  @Test
  void aStoreThatHasUsedAllItsLsnsSaysSoAndLosesNoLane() {
    Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));
    long last = Lsn.MAX - (1 << 16);
    CommitLanes lanes = CommitLanes.unlogged(words, 1, last - 2, steps, () -> {});
    assertThat(lanes.clock()).isEqualTo(last - 2);
    assertThat(lanes.stable()).isEqualTo(last - 2);
    assertThat(words.getLong(CommitWords.REQUESTED)).isEqualTo(last - 2);
    for (long lsn = last - 1; lsn <= last; lsn++) {
      Lane lane = lanes.lease(0, RECORD, 0);
      assertThat(lane.isLogged()).isFalse();
      assertThat(Lsn.dense(lane.takeLsn())).isEqualTo(lsn);
      lane.finish();
    }
    assertThatThrownBy(() -> lanes.lease(0, RECORD, 0))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("copy its data to a new store");
    assertThatThrownBy(() -> lanes.leaseAtOnce(0, RECORD)).isInstanceOf(StoreFailedException.class);
    assertThat(lanes.isIdle()).isTrue();
    assertThat(lanes.clock()).isEqualTo(last);
  }

  @Test
  void lanesWithoutALogRefuseCommitsOnceTheStoreHasStopped() {
    Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(2));
    boolean[] stopped = {false};
    CommitLanes lanes =
        CommitLanes.unlogged(
            words,
            2,
            steps,
            () -> {
              if (stopped[0]) {
                throw new IllegalStateException("stopped");
              }
            });
    assertThat(lanes.leaseAtOnce(1, RECORD)).isNotNull();
    stopped[0] = true;
    assertThatThrownBy(() -> lanes.lease(0, RECORD, 0)).hasMessage("stopped");
  }

  @Test
  void aFaultThatNoRingExplainsIsToldAsItIs() {
    CommitLanes lanes = lanes(2);
    Throwable fault = new IllegalStateException();
    assertThat(lanes.explained(fault)).isSameAs(fault).isNotInstanceOf(CorruptStoreException.class);
  }

  private static final Deadline OVER =
      new Deadline() {
        @Override
        public long leftNanos() {
          return 0;
        }

        @Override
        public void failIfOver() {
          throw new IllegalStateException(new TimeoutException());
        }
      };

  /** Space that a test frees when a commit waits for it. */
  private static final class Space implements LogSpace {
    private Consumer<BooleanSupplier> onAwait = _ -> {};
    private Consumer<BooleanSupplier> onTrim = _ -> {};
    private int awaits;
    private int trims;
    private boolean stopped;

    @Override
    public void failIfStopped() {
      if (stopped) {
        throw new IllegalStateException("stopped");
      }
    }

    @Override
    public void await(BooleanSupplier hasSpace, Deadline deadline) {
      assertThat(++awaits).isLessThan(10);
      onAwait.accept(hasSpace);
    }

    @Override
    public void awaitTrim(BooleanSupplier lifted, Deadline deadline) {
      assertThat(++trims).isLessThan(10);
      onTrim.accept(lifted);
    }
  }

  /** Counts how a thread waits, and lets a test act in its place. */
  private static final class Steps implements Execution {
    private Runnable onSpin = () -> {};
    private Runnable onPark = () -> {};
    private final List<Long> parks = new ArrayList<>();
    private int spins;
    private int yields;
    private int limit = 10_000;
    private long nanos;
    private long nanosPerSpin;

    private int total() {
      return spins + yields + parks.size();
    }

    private void step() {
      if (total() > limit) {
        throw new IllegalStateException("limit");
      }
    }

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      parks.add(nanos);
      onPark.run();
      step();
    }

    @Override
    public void unpark(Thread thread) {}

    @Override
    public void spinWait() {
      spins++;
      nanos += nanosPerSpin;
      onSpin.run();
      step();
    }

    @Override
    public void yieldNow() {
      yields++;
      step();
    }

    @Override
    public Thread start(String name, Runnable body) {
      throw new UnsupportedOperationException("lanes start no thread");
    }

    @Override
    public int availableProcessors() {
      return 1;
    }
  }
}
