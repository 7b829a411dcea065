package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.howdah.log.commit.RingSet;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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

  private int watched;
  private @Nullable Throwable failure;
  private RingSet rings;
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
    flusher = flusher(1 << 20, 1 << 20, false);
  }

  private Flusher flusher(int segmentBytes, int stagingBytes, boolean logPerThread) {
    storage.list("log/0").forEach(name -> storage.delete("log/0/" + name));
    SegmentFactory factory =
        new SegmentFactory(storage, start, segmentBytes, SegmentLayout.MAX_LENGTH);
    SegmentHistory history = new SegmentHistory(1, 0);
    return new Flusher(
        words,
        rings,
        new BatchWriter(start, factory.next(), history, 2, stagingBytes),
        new SegmentPreparer(factory, execution, "preparer"),
        waiters,
        spaceWaiters,
        doorbell,
        execution,
        new GroupCommit(INTERVAL, 0, logPerThread),
        new LogLimit(
            history, new CommitLanes(words, List.of(), execution, spaceWaiters), Long.MAX_VALUE),
        () -> watched++,
        cause -> failure = cause);
  }

  private static final class Enough extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** Runs the flusher; each action is taken in one of its parks, and it is asked to end after. */
  private void run(Runnable... actions) {
    flusher.start();
    int first = execution.parks.size();
    boolean[] isEnding = {false};
    execution.onPark =
        () -> {
          if (isEnding[0]) {
            throw new Enough(); // ends the park of close, which is called in this thread
          }
          int park = execution.parks.size() - first;
          if (park <= actions.length) {
            actions[park - 1].run();
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
    lane.put(new long[lengthBytes / Long.BYTES], lengthBytes / Long.BYTES - 4);
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
    assertThat(waiters.tell(2, told::add)).isTrue();
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
    run(actions);
    assertThat(execution.parks.subList(0, 1000)).containsOnly(INTERVAL);
    assertThat(execution.parks.subList(1005, 1020))
        .containsOnly(INTERVAL * GroupCommit.IDLE_FACTOR);
    assertThat(watched).isEqualTo(1);
  }

  @Test
  void aCommitUnderWayKeepsTheStableLsnBackAndTheFlusherAwake() {
    long[] open = {begin(0)};
    commit(1, 64);
    assertThat(waiters.tell(2, told::add)).isTrue();
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
    flusher = flusher(1 << 20, 1 << 15, false);
    long last = 0;
    for (int i = 0; i < 10; i++) {
      last = commit(i % 2, 8192);
    }
    long expected = last;
    run(
        () -> {
          assertThat(stable()).isEqualTo(expected);
          assertThat(flusher.stats().batches()).isBetween(3L, 5L);
          assertThat(flusher.stats().recordBytes()).isEqualTo(10 * 8192);
        });
    assertThat(flusher.hasForcedAll()).isTrue();
  }

  @Test
  void aFullSegmentIsFollowedByThePreparedOne() {
    flusher = flusher(1 << 16, 1 << 16, false);
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

  @Test
  void aFileSystemThatIsFullIsWaitedForAndReported() {
    flusher = flusher(1 << 16, 1 << 16, false);
    commit(0, 40_000);
    disk.inject(Fault.onNth(Operation.CREATE, 1).with(Reason.NO_SPACE));
    run(
        () -> commit(0, 24_000),
        this::prepare,
        () -> {
          assertThat(flusher.waitsFor()).isEqualTo(LogStall.Reason.FILE_SYSTEM_FULL);
          assertThat(stable()).isEqualTo(1);
        });
    assertThat(failure).hasMessageContaining("could be prepared");
  }

  @Test
  void aFailureReachesTheStoreAndReleasesEveryWaiter() {
    commit(0, 64);
    assertThat(waiters.tell(1, told::add)).isTrue();
    disk.inject(Fault.onNth(Operation.FORCE, 1).with(Reason.IO));
    run();
    assertThat(failure).isInstanceOf(StorageException.class);
    assertThat(told).containsExactly(false);
    assertThat(stable()).isZero();
  }

  @Test
  void ringsThatVanishStopTheLogWithinASecond() {
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
  @CsvSource({"32, 30000", "255, 30000", "256, 300000"})
  void afterAForceTheFlusherGathersThoseWhoWaitedForIt(int count, long quietNanos) {
    commit(0, 64);
    for (int i = 0; i < count; i++) {
      assertThat(waiters.tell(1, told::add)).isTrue();
    }
    run(
        () -> {
          assertThat(told).hasSize(count);
          commit(0, 64);
          assertThat(waiters.tell(2, told::add)).isTrue();
        },
        () -> assertThat(execution.parks.getLast()).isEqualTo(quietNanos));
    assertThat(told).hasSize(count + 1);
  }

  @Test
  void logsThatAreForcedEachByItselfAreStableUpToTheSmallestOfTheirBounds() {
    flusher = flusher(1 << 20, 1 << 20, true);
    long open = begin(1);
    commit(0, 64);
    assertThat(waiters.tell(2, told::add)).isTrue();
    run(
        () -> {
          assertThat(stable()).isZero();
          assertThat(rings.rings().getFirst().forcedPosition()).isEqualTo(64);
          assertThat(flusher.stats().batches()).isEqualTo(1);
        },
        () -> end(1, open, 64),
        () -> {
          assertThat(stable()).isEqualTo(2);
          assertThat(told).containsExactly(true);
          assertThat(flusher.stats().batches()).isEqualTo(2);
        });
    assertThat(failure).isNull();
  }
}
