package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.LogFullException;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.Ring;
import io.howdah.log.commit.RingSet;
import io.howdah.log.report.LogStall;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The flusher's rounds, one by one: the other threads act while it parks. */
class FlusherTest {

  private static final long INTERVAL = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final long BUSY = 50_000;

  private final SimulatedDisk disk = SimulatedDisk.seeded(1);
  private final Storage storage = disk.storage();
  private final ManualExecution execution = new ManualExecution();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(2));
  private final Doorbell doorbell = new Doorbell(words, execution);
  private final StabilityWaiters waiters = new StabilityWaiters(words, execution, doorbell, 0);
  private final SpaceWaiters spaceWaiters =
      new SpaceWaiters(words, execution, doorbell, 1000, Long.MAX_VALUE);
  private final LogStart start = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 1);
  private final List<Boolean> told = new ArrayList<>();
  private final List<Lane> lanes = new ArrayList<>();

  private final Semaphore toPreparer = new Semaphore(0);
  private final Semaphore toFlusher = new Semaphore(0);
  private @Nullable Thread preparer;

  /** Whether the flusher is expected to fail. */
  private boolean fails;

  private int watched;
  private long spinNanos;
  private long maxLogBytes = Long.MAX_VALUE;
  private @Nullable Throwable failure;
  private RingSet rings;
  private @Nullable LogLimit limit;
  private Flusher flusher;

  @BeforeEach
  void createLog() {
    storage.createDirectory("log");
    storage.createDirectory("log/0");
    storage.createDirectory("rings");
    rings = RingSet.create(storage, "rings", start, 77, 2, RingLayout.MIN_CAPACITY);
    for (int partition = 0; partition < 2; partition++) {
      lanes.add(new Lane(words, partition, rings.rings().get(partition), start.logSeed(partition)));
    }
    flusher = flusher(1 << 20, 1 << 20);
  }

  private Flusher flusher(int segmentBytes, int stagingBytes) {
    storage.list("log/0").forEach(name -> storage.delete("log/0/" + name));
    SegmentFactory factory =
        new SegmentFactory(
            storage, start, SegmentLayout.MIN_LENGTH, segmentBytes, SegmentLayout.MAX_LENGTH);
    SegmentHistory history = new SegmentHistory(1, 0);
    LogLimit limit =
        new LogLimit(
            history::bytes,
            new CommitLanes(words, List.of(), execution, spaceWaiters),
            maxLogBytes);
    this.limit = limit;
    Segment first = factory.next();
    SegmentPreparer segments = new SegmentPreparer(factory, execution, () -> {}, "preparer");
    BatchTarget target =
        new SegmentTarget(first, history, _ -> {}, segments::await, storage.describe());
    return new Flusher(
        words,
        rings,
        new BatchWriter(start, target, 2, stagingBytes),
        target,
        waiters,
        spaceWaiters,
        doorbell,
        execution,
        new GroupCommit(INTERVAL, spinNanos),
        limit,
        () -> watched++,
        cause -> failure = cause);
  }

  private static final class Enough extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /**
   * Runs the flusher; each action is taken in one of its parks, and it is asked to end after. The
   * flusher takes what an action throws for its own failure, so it is thrown again here.
   */
  private void run(Runnable... actions) {
    AtomicReference<@Nullable AssertionError> wrong = new AtomicReference<>();
    flusher.start();
    int first = execution.parks.size();
    boolean[] isEnding = {false};
    int[] taken = {0};
    execution.onPark =
        () -> {
          if (Thread.currentThread().equals(preparer)) {
            execution.parks.removeLast();
            toFlusher.release();
            toPreparer.acquireUninterruptibly();
            return;
          }
          if (isEnding[0]) {
            throw new Enough(); // ends the park of close, which is called in this thread
          }
          int park = execution.parks.size() - first;
          if (park <= actions.length && wrong.get() == null) {
            try {
              taken[0]++;
              actions[park - 1].run();
            } catch (AssertionError e) {
              wrong.set(e);
              throw e;
            }
            return;
          }
          isEnding[0] = true;
          try {
            flusher.close();
          } catch (Enough e) {
            assertThat(flusher.hasEnded()).isFalse();
          }
        };
    Objects.requireNonNull(execution.bodies.get("howdah-flusher")).run();
    AssertionError failed = wrong.get();
    if (failed != null) {
      throw failed;
    }
    if (!fails) {
      assertThat(failure).isNull();
      assertThat(taken[0]).as("actions taken").isEqualTo(actions.length);
    }
    assertThat(flusher.hasEnded()).isTrue();
    assertThat(waiters.isStopped()).isTrue();
  }

  private long begin(int partition) {
    assertThat(lanes.get(partition).tryLease(1)).isTrue();
    lanes.get(partition).announce();
    return lanes.get(partition).takeLsn();
  }

  private void end(int partition, long lsn, int lengthBytes) {
    Lane lane = lanes.get(partition);
    lane.begin(RedoRecordLayout.KIND_COMMIT, lengthBytes, 0, lsn, 0);
    lane.put(new long[lengthBytes / Long.BYTES], 0, lengthBytes / Long.BYTES - 4);
    lane.publish();
    lane.finish();
  }

  private long commit(int partition, int lengthBytes) {
    long lsn = begin(partition);
    end(partition, lsn, lengthBytes);
    return Lsn.dense(lsn);
  }

  private long stable() {
    return words.getLong(CommitWords.STABLE);
  }

  @Test
  void aCommitIsForcedAndStableAfterOneRound() {
    commit(0, 64);
    commit(1, 128);
    long forces = disk.operations(Operation.FORCE);
    assertThat(waiters.whenForced(null, 0, 2, told::add)).isTrue();
    run(
        () -> {
          assertThat(stable()).isEqualTo(2);
          assertThat(told).containsExactly(true);
          assertThat(rings.rings().getFirst().forcedPosition()).isEqualTo(64);
          assertThat(rings.rings().getLast().forcedPosition()).isEqualTo(128);
          LogStats stats = flusher.stats();
          assertThat(stats.batches()).isEqualTo(1);
          assertThat(stats.recordBytes()).isEqualTo(192);
          assertThat(stats.segments()).isEqualTo(1);
          assertThat(flusher.waitsFor()).isEqualTo(LogStall.Reason.FLUSHER);
        });
    assertThat(disk.operations(Operation.FORCE)).isEqualTo(forces + 1);
    assertThat(failure).isNull();
    assertThat(flusher.hasForcedAll()).isTrue();
  }

  @Test
  void aCommitOnePartitionOfWhichIsIdleIsForcedToo() {
    run(
        () -> commit(1, 64),
        () -> {
          assertThat(stable()).isEqualTo(1);
          commit(0, 64);
        },
        () -> assertThat(stable()).isEqualTo(2));
    assertThat(flusher.stats().batches()).isEqualTo(2);
    assertThat(flusher.stats().writtenBytes()).isEqualTo(2 * 4096);
    assertThat(flusher.stats().rounds()).isGreaterThanOrEqualTo(3);
  }

  @Test
  void anIdleFlusherSleepsLongerAfterASecond() {
    Runnable[] actions = new Runnable[1020];
    Arrays.fill(actions, (Runnable) () -> {});
    actions[999] = () -> assertThat(watched).isZero();
    actions[1000] = () -> assertThat(watched).as("after a second").isEqualTo(1);
    run(actions);
    assertThat(execution.parks.subList(0, 1001)).containsOnly(INTERVAL);
    assertThat(execution.parks.subList(1001, 1020))
        .containsOnly(INTERVAL * GroupCommit.IDLE_FACTOR);
    assertThat(watched).isEqualTo(1);
  }

  /** The first commit makes it as attentive as before. */
  @Test
  void aFlusherSleepsLongerStillAfterAMinute() {
    int idle = 1001 + 59_000 / GroupCommit.IDLE_FACTOR;
    Runnable[] actions = new Runnable[idle + 40];
    Arrays.fill(actions, (Runnable) () -> {});
    actions[idle + 20] = () -> commit(0, 64);
    run(actions);
    assertThat(execution.parks.subList(1001, idle - 1))
        .containsOnly(INTERVAL * GroupCommit.IDLE_FACTOR);
    assertThat(execution.parks.subList(idle + 1, idle + 20)).containsOnly(GroupCommit.QUIET_NANOS);
    assertThat(stable()).isEqualTo(1);
    assertThat(execution.parks.subList(idle + 22, idle + 40)).containsOnly(INTERVAL);
  }

  @Test
  void aCommitUnderWayKeepsTheStableLsnBackAndTheFlusherAwake() {
    long[] open = {begin(0)};
    commit(1, 64);
    assertThat(waiters.whenForced(null, 0, 2, told::add)).isTrue();
    run(
        () -> {
          assertThat(stable()).isZero();
          assertThat(told).isEmpty();
          assertThat(rings.rings().getLast().forcedPosition()).isEqualTo(64);
        },
        () -> end(0, open[0], 64),
        () -> assertThat(stable()).isEqualTo(2));
    assertThat(execution.parks.subList(0, 2)).containsExactly(BUSY, BUSY);
    assertThat(told).containsExactly(true);
  }

  @Test
  void whatIsLongerThanABatchGoesIntoSeveral() {
    flusher = flusher(1 << 20, 1 << 15);
    long last = 0;
    for (int i = 0; i < 10; i++) {
      last = commit(i % 2, 8192);
    }
    long expected = last;
    List<Long> batches = new ArrayList<>();
    Ring ring = rings.rings().getFirst();
    assertThat(waiters.whenForced(ring, 8192, 0, _ -> batches.add(flusher.stats().batches())))
        .isTrue();
    run(
        () -> {
          assertThat(stable()).isEqualTo(expected);
          assertThat(flusher.stats().batches()).isBetween(3L, 5L);
          assertThat(flusher.stats().recordBytes()).isEqualTo(10 * 8192);
        });
    assertThat(batches).as("who needs one log only does not wait for all").containsExactly(1L);
    assertThat(flusher.hasForcedAll()).isTrue();
  }

  @Test
  @Timeout(20)
  void aRecordThatNoSegmentTakesStopsTheLog() {
    flusher = flusher(1 << 20, 1 << 15);
    commit(0, 40_000);
    fails = true;
    run();
    assertThat(failure).hasMessageContaining("no log segment is long enough");
    assertThat(stable()).isZero();
  }

  @Test
  void aFullSegmentIsFollowedByThePreparedOne() {
    flusher = flusher(1 << 16, 1 << 16);
    commit(0, 40_000);
    run(
        () -> commit(0, 24_000),
        () -> {
          assertThat(flusher.waitsFor()).isEqualTo(LogStall.Reason.SEGMENT);
          assertThat(stable()).isEqualTo(1);
          prepare();
        },
        () -> {
          assertThat(stable()).isEqualTo(2);
          assertThat(flusher.waitsFor()).isEqualTo(LogStall.Reason.FLUSHER);
        });
    assertThat(failure).isNull();
    assertThat(flusher.stats().segments()).isEqualTo(2);
    assertThat(execution.parks.get(1)).isEqualTo(BUSY);
  }

  /** Lets the preparer's thread make a segment, until it parks. */
  private void prepare() {
    Runnable before = execution.onPark;
    execution.onPark =
        () -> {
          throw new Enough();
        };
    Objects.requireNonNull(execution.bodies.get("preparer")).run();
    execution.parks.removeLast();
    execution.onPark = before;
  }

  /** Lets the preparer's thread go on, beside the flusher's, until it parks. */
  private void goOn() {
    if (preparer == null) {
      Thread thread = new Thread(execution.bodies.get("preparer"), "test-preparer");
      thread.setDaemon(true);
      preparer = thread;
      thread.start();
    } else {
      toPreparer.release();
    }
    toFlusher.acquireUninterruptibly();
  }

  @Test
  void aFileSystemThatIsFullIsWaitedForAndReported() {
    flusher = flusher(1 << 16, 1 << 16);
    commit(0, 40_000);
    disk.inject(Fault.onNth(Operation.CREATE, 1).with(Reason.NO_SPACE));
    run(
        () -> commit(0, 24_000),
        this::goOn,
        () -> {
          assertThat(flusher.waitsFor()).isEqualTo(LogStall.Reason.FILE_SYSTEM_FULL);
          assertThat(execution.parks.getLast()).isEqualTo(1_000_000);
          assertThat(stable()).isEqualTo(1);
          execution.tick = 2000;
          assertThatThrownBy(() -> spaceWaiters.await(() -> false, Deadline.NONE))
              .isInstanceOf(LogFullException.class);
          execution.tick = 0;
          assertThat(watched).isZero();
          execution.nanos += SECOND;
        },
        () -> {
          assertThat(watched).as("also while it waits").isEqualTo(1);
          goOn();
        },
        () -> {
          assertThat(stable()).isEqualTo(2);
          assertThat(flusher.waitsFor()).isEqualTo(LogStall.Reason.FLUSHER);
          execution.tick = 2000;
          int[] looks = {0};
          spaceWaiters.await(() -> looks[0]++ > 0, Deadline.NONE);
          execution.tick = 0;
        });
    assertThat(failure).isNull();
  }

  @Test
  void aFlusherThatEndsWhileTheFileSystemIsFullSaysSo() {
    fails = true;
    flusher = flusher(1 << 16, 1 << 16);
    commit(0, 40_000);
    disk.inject(Fault.onNth(Operation.CREATE, 1).with(Reason.NO_SPACE));
    run(() -> commit(0, 24_000), this::goOn);
    assertThat(failure).hasMessageContaining("remain only in the rings");
    assertThat(stable()).isEqualTo(1);
  }

  @Test
  void aSegmentThatCannotBePreparedStopsTheLog() {
    fails = true;
    flusher = flusher(1 << 16, 1 << 16);
    commit(0, 40_000);
    disk.inject(Fault.onNth(Operation.CREATE, 1).with(Reason.IO));
    run(
        () -> commit(0, 24_000),
        () -> Objects.requireNonNull(execution.bodies.get("preparer")).run());
    assertThat(failure).hasMessageContaining("could be prepared");
  }

  @Test
  void aFailureReachesTheStoreAndReleasesEveryWaiter() {
    fails = true;
    commit(0, 64);
    assertThat(waiters.whenForced(null, 0, 1, told::add)).isTrue();
    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.IO));
    run();
    assertThat(failure).isInstanceOf(StorageException.class);
    assertThat(told).containsExactly(false);
    assertThat(stable()).isZero();
  }

  @Test
  void ringsThatVanishStopTheLogWithinASecond() {
    fails = true;
    Runnable[] actions = new Runnable[1100];
    Arrays.fill(actions, (Runnable) () -> {});
    actions[10] = () -> storage.delete("rings/1");
    run(actions);
    assertThat(failure).hasMessageContaining("removed or replaced");
    assertThat(execution.nanos).isLessThan(2 * SECOND);
    assertThat(watched).isEqualTo(1);
  }

  @Test
  void whatIsCommittedBeforeTheEndIsForced() {
    run(() -> {}, () -> {}, () -> commit(1, 64));
    assertThat(stable()).isEqualTo(1);
    assertThat(flusher.hasForcedAll()).isTrue();
    commit(0, 64);
    assertThat(flusher.hasForcedAll()).isFalse();
  }

  @Test
  void aThreadThatWaitsForSpaceIsWokenInTheNextRound() {
    int[] looks = {0};
    spaceWaiters.await(() -> ++looks[0] > 2, Deadline.NONE);
    assertThat(spaceWaiters.isAnyoneWaiting()).isTrue();
    run(
        () -> {
          assertThat(spaceWaiters.isAnyoneWaiting()).isFalse();
          assertThat(execution.unparked).contains(Thread.currentThread());
        });
  }

  @ParameterizedTest
  @CsvSource({"1, 1000000", "2, 30000", "32, 30000", "255, 30000", "256, 300000"})
  void afterAForceTheFlusherGathersThoseWhoWaitedForIt(int count, long quietNanos) {
    commit(0, 64);
    for (int i = 0; i < count; i++) {
      assertThat(waiters.whenForced(null, 0, 1, told::add)).isTrue();
    }
    run(
        () -> {
          assertThat(told).hasSize(count);
          commit(0, 64);
          assertThat(waiters.whenForced(null, 0, 2, told::add)).isTrue();
        },
        () -> assertThat(execution.parks.getLast()).isEqualTo(quietNanos));
    assertThat(told).hasSize(count + 1);
  }

  /** Twenty of 32 are released; of the others, who stand already, none needs to arrive. */
  @Test
  void gatheringDoesNotWaitForThreadsThatWaitAlready() {
    commit(0, 64);
    for (int i = 0; i < 32; i++) {
      assertThat(waiters.whenForced(null, 0, i < 20 ? 1 : 3, told::add)).isTrue();
    }
    run(
        () -> {
          assertThat(told).hasSize(20);
          assertThat(execution.parks).containsExactly(30_000L);
          assertThat(words.getLong(CommitWords.PARKED)).isEqualTo(18);
          assertThat(waiters.whenForced(null, 0, 3, told::add)).isTrue();
        },
        () -> {
          assertThat(execution.parks).as("one more has come").containsExactly(30_000L, 30_000L);
          assertThat(words.getLong(CommitWords.PARKED)).isEqualTo(18);
        },
        () ->
            assertThat(execution.parks)
                .as("nobody has come")
                .containsExactly(30_000L, 30_000L, BUSY));
  }

  @Test
  void theTimeOfAForceIsAnAverage() {
    commit(0, 64);
    execution.tick = 8000;
    run(
        () -> {
          assertThat(flusher.stats().forceNanos()).isEqualTo(1000);
          commit(0, 64);
        },
        () -> assertThat(flusher.stats().forceNanos()).isEqualTo(1875));
  }

  @Test
  void everyRoundCountsAlsoTheLast() {
    run(() -> {}, () -> {});
    assertThat(flusher.stats().rounds()).isEqualTo(4);
  }

  @Test
  void aLogOfItsLongestBlocksCommitsInTheNextRound() {
    maxLogBytes = 1;
    flusher = flusher(1 << 20, 1 << 20);
    commit(0, 64);
    run(() -> {}, () -> assertThat(Objects.requireNonNull(limit).timesBlocked()).isEqualTo(1));
  }

  @Test
  void theDoorbellWakesTheFlusher() {
    run(
        () -> {
          assertThat(execution.unparked).isEmpty();
          doorbell.ring();
          assertThat(execution.unparked).containsExactly(Thread.currentThread());
        });
  }

  /** It spins once more for the thread that has spun for its force, and only for that. */
  @Test
  void afterARequestOfASpinningThreadTheFlusherSpins() {
    spinNanos = 9_600;
    flusher = flusher(1 << 20, 1 << 20);
    int[] spins = {0};
    execution.onSpin =
        () -> {
          if (++spins[0] == 5) {
            commit(0, 64);
            words.setLong(CommitWords.REQUESTED, 2);
          }
        };
    long[] open = {begin(0)};
    words.setLong(CommitWords.REQUESTED, 1);
    words.setLong(CommitWords.SPINNER, 1);
    run(
        () -> end(0, open[0], 64),
        () -> {
          assertThat(stable()).isEqualTo(2);
          assertThat(spins[0]).as("32 spins of 10 ns at a time").isEqualTo(5 + 32 * 30);
          assertThat(execution.parks.getLast()).isEqualTo(INTERVAL - 9_600);
          open[0] = begin(0);
          words.setLong(CommitWords.REQUESTED, 3);
          words.setLong(CommitWords.SPINNER, 0);
        },
        () -> end(0, open[0], 64),
        () -> {
          assertThat(stable()).isEqualTo(3);
          assertThat(spins[0]).as("nobody has spun for this force").isEqualTo(5 + 32 * 30);
          assertThat(execution.parks.getLast()).isEqualTo(INTERVAL);
        });
  }
}
