package io.howdah.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.RingSet;
import io.howdah.log.flush.BatchWriter;
import io.howdah.log.flush.Doorbell;
import io.howdah.log.flush.Flusher;
import io.howdah.log.flush.GroupCommit;
import io.howdah.log.flush.LogLimit;
import io.howdah.log.flush.Segment;
import io.howdah.log.flush.SegmentFactory;
import io.howdah.log.flush.SegmentHistory;
import io.howdah.log.flush.SegmentPreparer;
import io.howdah.log.flush.SegmentTarget;
import io.howdah.log.flush.SpaceWaiters;
import io.howdah.log.flush.StabilityWaiters;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log on real files: what its lanes, its flusher and its waiters promise each other. */
class RedoLogTest {

  private static final long SECOND = 1_000_000_000L;
  private static final int ENTRY_BYTES = 2 * Long.BYTES;

  @TempDir Path directory;
  private FileStorage storage;

  @BeforeEach
  void createStore() {
    storage = FileStorage.open(directory);
    storage.createDirectory("log");
    storage.createDirectory("log/0");
    storage.createDirectory("rings");
  }

  @AfterEach
  void closeStore() {
    storage.close();
  }

  private RedoLog start(int partitions, LogOptions options) {
    return start(partitions, options, Execution.system());
  }

  private RedoLog start(int partitions, LogOptions options, Execution execution) {
    return start(partitions, options, execution, cause -> {});
  }

  private RedoLog start(
      int partitions, LogOptions options, Execution execution, Consumer<Throwable> onFailure) {
    LogStart start = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 1);
    RingSet rings =
        RingSet.create(storage, "rings", start, 77, partitions, RingLayout.MIN_CAPACITY);
    return RedoLog.start(
        storage,
        rings,
        Regions.anonymous(CommitLanes.wordsLengthBytes(partitions)),
        start,
        options,
        execution,
        onFailure);
  }

  /** Leases a lane and takes its append lock, as a commit does. */
  private static Lane lease(RedoLog log, int home, int recordBytes, long ticket) {
    Lane lane = log.lanes().lease(home, recordBytes, ticket);
    while (!log.lanes().spinForAppendLock(lane, recordBytes)) {
      lane.endLease();
      lane = log.lanes().leaseWithFreeAppendLock(home, recordBytes, ticket, Deadline.NONE);
    }
    return lane;
  }

  private static long commit(RedoLog log, int home, int words) {
    int length = RedoRecordLayout.MIN_LENGTH + words * ENTRY_BYTES;
    Lane lane = lease(log, home, length, 0);
    lane.announce();
    long lsn = lane.takeLsn();
    lane.begin(RedoRecordLayout.KIND_COMMIT, length, words, lsn, lane.dependency(0));
    for (int i = 0; i < words; i++) {
      lane.put(RedoRecordLayout.entryHead(8L * i, 1));
      lane.put(lsn);
    }
    lane.publish();
    lane.finish();
    return Lsn.dense(lsn);
  }

  @Test
  void aCommitBecomesStableWithOneForce() {
    try (RedoLog log = start(4, LogOptions.DEFAULTS)) {
      for (int i = 1; i <= 20; i++) {
        long lsn = commit(log, 0, 2);
        assertThat(lsn).isEqualTo(i);
        assertThat(log.awaitStable(lsn, 60 * SECOND)).isTrue();
      }
      assertThat(log.stable()).isEqualTo(20);
    }
  }

  @Test
  void stableReachesTheClockWithoutAnyoneAskingAndWhileOtherPartitionsAreIdle() throws Exception {
    try (RedoLog log = start(64, LogOptions.DEFAULTS)) {
      long lsn = commit(log, 63, 1);
      long deadline = System.nanoTime() + 60 * SECOND;
      while (log.stable() < lsn && System.nanoTime() < deadline) {
        Thread.sleep(1);
      }
      assertThat(log.stable()).isEqualTo(lsn);
    }
  }

  /** The caller unmaps the rings next; a flusher that was left would report that as a failure. */
  @Test
  void aLogThatGetsNoThreadForItsWatchHasNoFlusherLeft() {
    List<Thread> started = new ArrayList<>();
    Execution limited =
        (Execution)
            Proxy.newProxyInstance(
                Execution.class.getClassLoader(),
                new Class<?>[] {Execution.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("start") && arguments[0].equals("howdah-watch")) {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                  Object result = method.invoke(Execution.system(), arguments);
                  if (result instanceof Thread thread) {
                    started.add(thread);
                  }
                  return result;
                });
    List<Throwable> failures = new ArrayList<>();
    assertThatThrownBy(() -> start(2, LogOptions.DEFAULTS, limited, failures::add))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(started).hasSize(2);
    for (Thread thread : started) {
      assertThat(join(thread)).as(thread.getName()).isTrue();
    }
    assertThat(failures).isEmpty();
  }

  private static boolean join(Thread thread) {
    try {
      return thread.join(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aVoidLeavesNoHole() {
    try (RedoLog log = start(2, LogOptions.DEFAULTS)) {
      Lane lane = lease(log, 0, RedoRecordLayout.MIN_LENGTH, 0);
      lane.announce();
      lane.publishVoid(lane.takeLsn());
      lane.finish();
      long lsn = commit(log, 1, 1);
      assertThat(log.awaitStable(lsn, 60 * SECOND)).isTrue();
    }
  }

  @Test
  void aCommitUnderWayHoldsTheStableLsnBack() {
    try (RedoLog log = start(2, LogOptions.DEFAULTS)) {
      Lane lane = lease(log, 0, RedoRecordLayout.MIN_LENGTH, 0);
      lane.announce();
      long held = lane.takeLsn();
      long later = commit(log, 1, 1);
      assertThat(log.awaitStable(later, SECOND / 20)).isFalse();
      assertThat(log.stable()).isZero();
      lane.publishVoid(held);
      lane.finish();
      assertThat(log.awaitStable(later, 60 * SECOND)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 64})
  void manyThreadsFillRingsManyTimesOverAndEverythingBecomesStable(int threads) throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (RedoLog log = start(3, LogOptions.DEFAULTS)) {
      int commits = 40_000 / threads;
      List<Thread> workers = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int home = t;
        workers.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        long lsn = 0;
                        for (int i = 0; i < commits; i++) {
                          lsn = commit(log, home, i % 40);
                        }
                        assertThat(log.awaitStable(lsn, 60 * SECOND)).isTrue();
                      } catch (Throwable e) {
                        failure.set(e);
                      }
                    }));
      }
      for (Thread worker : workers) {
        worker.join();
      }
      assertThat(failure.get()).isNull();
      assertThat(log.stable()).isEqualTo((long) commits * threads);
      assertThat(log.stats().recordBytes()).isGreaterThan(3L * RingLayout.MIN_CAPACITY);
      assertThat(log.stats().segments()).isGreaterThan(1);
    }
  }

  @Test
  void aRecordThatIsNotFilledIsNotPublished() {
    try (RedoLog log = start(1, LogOptions.DEFAULTS)) {
      Lane lane = lease(log, 0, 64, 0);
      lane.announce();
      long lsn = lane.takeLsn();
      lane.begin(RedoRecordLayout.KIND_COMMIT, 64, 1, lsn, 0);
      assertThatThrownBy(lane::publish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("64 bytes");
      lane.publishVoid(lsn);
      lane.finish();
      assertThat(log.awaitStable(1, 60 * SECOND)).isTrue();
    }
  }

  @Test
  void anInterruptNeitherEndsTheWaitNorIsLost() {
    try (RedoLog log = start(1, LogOptions.DEFAULTS)) {
      Thread.currentThread().interrupt();
      for (int i = 0; i < 50; i++) {
        assertThat(log.awaitStable(commit(log, 0, 1), 60 * SECOND)).isTrue();
      }
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void theGateAdmitsItsHolderAlone() throws Exception {
    try (RedoLog log = start(2, LogOptions.DEFAULTS)) {
      log.lanes().enterGate(42);
      Thread other = Thread.ofVirtual().start(() -> commit(log, 0, 1));
      other.join(100);
      assertThat(other.isAlive()).isTrue();
      Lane lane = lease(log, 0, RedoRecordLayout.MIN_LENGTH, 42);
      lane.announce();
      lane.publishVoid(lane.takeLsn());
      lane.finish();
      log.lanes().leaveGate();
      other.join();
      assertThat(log.awaitStable(2, 60 * SECOND)).isTrue();
    }
  }

  @Test
  void anInterruptedThreadWaitsForALaneWithoutSpinning() throws Exception {
    ParkCount execution = new ParkCount();
    try (RedoLog log = start(1, LogOptions.DEFAULTS, execution)) {
      log.lanes().enterGate(42);
      AtomicReference<Boolean> stillInterrupted = new AtomicReference<>();
      Thread other =
          new Thread(
              () -> {
                Thread.currentThread().interrupt();
                commit(log, 0, 1);
                stillInterrupted.set(Thread.currentThread().isInterrupted());
              });
      execution.watched = other;
      long started = System.nanoTime();
      other.start();
      while (execution.parks.get() == 0) {
        Thread.sleep(1);
      }
      other.join(300);
      log.lanes().leaveGate();
      other.join();
      assertThat(stillInterrupted.get()).isTrue();
      assertThat(execution.parks.get()).isLessThan(1000 + 4 * millisSince(started));
    }
  }

  @Test
  void aWaitForRoomThatIsOverLetsTheFlusherSleep() throws Exception {
    Execution execution = Execution.system();
    GroupCommit groupCommit = new GroupCommit(1_000_000, 200_000);
    LogStart start = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 1);
    Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(1));
    RingSet rings = RingSet.create(storage, "rings", start, 77, 1, RingLayout.MIN_CAPACITY);
    Doorbell doorbell = new Doorbell(words, execution);
    SpaceWaiters spaceWaiters =
        new SpaceWaiters(words, execution, doorbell, 5_000_000_000L, Long.MAX_VALUE);
    SegmentFactory factory =
        new SegmentFactory(
            storage, start, SegmentLayout.MIN_LENGTH, 1 << 20, SegmentLayout.MAX_LENGTH);
    SegmentHistory history = new SegmentHistory(1, 0);
    Segment first = factory.next();
    SegmentPreparer preparer = new SegmentPreparer(factory, execution, () -> {}, "preparer");
    SegmentTarget target =
        new SegmentTarget(
            first,
            history,
            _ -> {},
            _ -> {
              throw new AssertionError();
            },
            "a test");
    Flusher flusher =
        new Flusher(
            words,
            rings,
            new BatchWriter(start, target, 1, 1 << 20),
            target,
            new StabilityWaiters(words, execution, doorbell, 0),
            spaceWaiters,
            doorbell,
            execution,
            groupCommit,
            new LogLimit(
                history::bytes,
                new CommitLanes(words, List.of(), execution, spaceWaiters),
                Long.MAX_VALUE),
            () -> {},
            cause -> {});
    flusher.start();
    // The room comes between the first look and the one after the waiter is in the queue.
    Iterator<Boolean> looks = List.of(false, true).iterator();
    long started = System.nanoTime();
    spaceWaiters.await(looks::next, Deadline.NONE);
    Thread.sleep(300);
    flusher.close();
    preparer.close();
    target.close();
    rings.close();
    assertThat(flusher.stats().rounds()).isLessThan(1000 + 4 * millisSince(started));
  }

  private static long millisSince(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1_000_000;
  }

  /** The system's threads and clock, with an eye on how often one thread parks. */
  private static final class ParkCount implements Execution {
    private final AtomicLong parks = new AtomicLong();
    private volatile @Nullable Thread watched;

    @Override
    public long nanoTime() {
      return Execution.system().nanoTime();
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      if (Thread.currentThread().equals(watched)) {
        parks.incrementAndGet();
      }
      Execution.system().parkNanos(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {
      Execution.system().unpark(thread);
    }

    @Override
    public void spinWait() {
      Execution.system().spinWait();
    }

    @Override
    public void yieldNow() {
      Execution.system().yieldNow();
    }

    @Override
    public Thread start(String name, Runnable body) {
      return Execution.system().start(name, body);
    }

    @Override
    public int availableProcessors() {
      return Execution.system().availableProcessors();
    }
  }

  @Test
  void aStoreWhoseRingsVanishStops() throws Exception {
    RedoLog log = start(1, LogOptions.DEFAULTS);
    storage.delete(RingSet.name("rings", 0));
    long deadline = System.nanoTime() + 60 * SECOND;
    while (log.failure() == null && System.nanoTime() < deadline) {
      Thread.sleep(10);
    }
    assertThat(log.failure()).hasMessageContaining("removed or replaced");
    assertThatThrownBy(() -> commit(log, 0, 1)).hasMessageContaining("open it again");
    assertThatThrownBy(log::close).hasMessageContaining("removed or replaced");
  }

  @Test
  void aFailureThatItsOwnerCannotTakeNoteOfStopsTheLogAllTheSame() {
    RedoLog log =
        start(
            2,
            LogOptions.DEFAULTS,
            Execution.system(),
            cause -> {
              throw new OutOfMemoryError("of the owner");
            });
    assertThatThrownBy(() -> log.fail(new IllegalStateException("of the disk")))
        .isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> commit(log, 0, 1))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("of the disk");
    assertThatThrownBy(log::close).isInstanceOf(StoreFailedException.class);
  }

  @Test
  void aCommitThatCloseDidNotWaitForDoesNotCountAsDurable() {
    RedoLog log = start(2, LogOptions.DEFAULTS);
    Lane lane = lease(log, 0, RedoRecordLayout.MIN_LENGTH, 0);
    log.close();
    assertThat(log.isComplete()).isFalse();
    assertThat(lane.partition()).isZero();
  }

  @Test
  void aClosedLogRefusesCommits() {
    RedoLog log = start(1, LogOptions.DEFAULTS);
    long lsn = commit(log, 0, 1);
    log.close();
    assertThat(log.stable()).isEqualTo(lsn);
    assertThatThrownBy(() -> commit(log, 0, 1)).isInstanceOf(StoreClosedException.class);
  }
}
