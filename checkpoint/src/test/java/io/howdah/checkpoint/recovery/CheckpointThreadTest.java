package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.BackupResult;
import io.howdah.checkpoint.CheckpointOptions;
import io.howdah.checkpoint.CheckpointResult;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.LogSummary;
import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.LogOptions;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * The thread that takes checkpoints beside a real log, in simulated time: when it takes one, what
 * callers get who wait for it, what it does after a failure, and the summaries that it writes.
 */
class CheckpointThreadTest {

  private static final long PAGE = 4096;
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1_000 * MILLISECOND;
  private static final long NEVER = Long.MAX_VALUE;
  private static final int SEGMENT = SegmentLayout.MIN_LENGTH;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.roundRobin(10))
          .processors(1)
          .maxSteps(300_000)
          .virtualThreads()
          .build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
  private final Map<Long, Long> words = new HashMap<>();
  private final List<Long> parks = new ArrayList<>();
  private boolean recovered = true;
  private long next;

  /** What is done with a store and its thread. */
  private interface Use {
    void use(LoggedStore store, CheckpointThread thread) throws Exception;
  }

  /** Returns the execution for the thread; it records the thread's timed parks. */
  private Execution recording() {
    return (Execution)
        Proxy.newProxyInstance(
            Execution.class.getClassLoader(),
            new Class<?>[] {Execution.class},
            (_, method, arguments) -> {
              if (method.getName().equals("parkNanos")
                  && arguments[0] instanceof CheckpointThread) {
                parks.add((Long) arguments[1]);
              }
              try {
                return method.invoke(execution, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static LogOptions logOptions(long maxBytes) {
    return new LogOptions(MILLISECOND, 0, SECOND, SEGMENT, SEGMENT, maxBytes);
  }

  private void run(long logBytes, long logBytesBefore, long maxLogBytes, Use use) {
    execution.run(
        () -> {
          disk.storage().createDirectory("copy");
          LoggedStore.create(disk.storage(), new StoreId(3, 4));
          LoggedStore store =
              LoggedStore.open(
                  disk.storage(), execution, RecoveryOptions.DEFAULTS, logOptions(maxLogBytes));
          CheckpointThread thread =
              new CheckpointThread(
                  new Checkpointer(store.storage, store.superblock),
                  store.region(),
                  store.dirty(),
                  store.log,
                  recording(),
                  () -> recovered,
                  new CheckpointOptions(logBytes),
                  logBytesBefore);
          use.use(store, thread);
          thread.close();
        });
  }

  private void run(Use use) {
    run(NEVER, 0, NEVER, use);
  }

  private void pause(long nanos) {
    execution.parkNanos(this, nanos);
  }

  /** Commits one word; returns its LSN. */
  private long commit(LoggedStore store, long address) {
    words.put(address, ++next);
    return store.commit(0, Map.of(address, next));
  }

  /** Commits until the log has so many bytes more, each batch a page of its own. */
  private void commitBytes(LoggedStore store, long bytes) {
    for (long until = store.log.stats().writtenBytes() + bytes;
        store.log.stats().writtenBytes() < until; ) {
      long lsn = commit(store, 8 * PAGE + next % 64 * 8);
      store.log.awaitStable(lsn, SECOND);
    }
  }

  private void requireWords(Storage storage, long replayed) {
    try (SuperblockFile superblock = SuperblockFile.open(storage)) {
      RecoveredStore store =
          StoreRecovery.recover(storage, execution, superblock, RecoveryOptions.DEFAULTS);
      store.replay().finish();
      words.forEach(
          (address, value) -> assertThat(store.region().getLong(address)).isEqualTo(value));
      assertThat(store.report().counts().records()).isEqualTo(replayed);
    }
  }

  // ---- when

  /**
   * Memory may lack what a commit has stored, if a fault has stopped the store (docs/protocol.md,
   * R6a). Then the log has to decide.
   */
  @Test
  void noCheckpointBeginsInAStoreThatHasStopped() {
    recovered = false;
    run(
        SEGMENT,
        0,
        NEVER,
        (store, thread) -> {
          commitBytes(store, 2L * SEGMENT);
          store.log.awaitStable(commit(store, PAGE), SECOND);
          store.region().setLong(PAGE, 0); // as if it had not been stored
          store.log.fail(new InternalError("a fault, by the test"));
          recovered = true;
          pause(3 * SECOND);
          SimulatedDisk killed = disk.fork();
          killed.kill();
          try (SuperblockFile superblock = SuperblockFile.open(killed.storage())) {
            RecoveredStore again =
                StoreRecovery.recover(
                    killed.storage(), execution, superblock, RecoveryOptions.DEFAULTS);
            again.replay().finish();
            words.forEach(
                (address, value) ->
                    assertThat(again.region().getLong(address))
                        .as("word at %d", address)
                        .isEqualTo(value));
          }
          assertThat(thread.checkpoints()).isZero();
        });
  }

  @Test
  void theThreadSleepsLongerWhileNothingIsCommittedForAMinute() {
    run(
        (store, thread) -> {
          pause(59 * SECOND);
          assertThat(parks).isNotEmpty().containsOnly(SECOND / 10);
          pause(10 * SECOND);
          assertThat(parks.getLast()).isEqualTo(SECOND);
          parks.clear();
          pause(30 * SECOND);
          assertThat(parks).isNotEmpty().containsOnly(SECOND);
          commit(store, 8 * PAGE);
          pause(3 * SECOND);
          parks.clear();
          pause(50 * SECOND);
          assertThat(parks).isNotEmpty().containsOnly(SECOND / 10);
        });
  }

  /** The thread looks less often then, and is woken by a request. */
  @Test
  void aStoreThatWasQuietForMinutesGetsItsCheckpoints() {
    run(
        SEGMENT,
        0,
        NEVER,
        (store, thread) -> {
          pause(90 * SECOND);
          long asked = execution.nanoTime();
          commit(store, 8 * PAGE);
          assertThat(thread.checkpoint().sequence()).isEqualTo(1);
          assertThat(execution.nanoTime() - asked).isLessThan(SECOND / 2);
          pause(90 * SECOND);
          commitBytes(store, 2L * SEGMENT);
          for (int i = 0; i < 10 && thread.checkpoints() == 1; i++) {
            pause(SECOND);
          }
          assertThat(thread.checkpoints()).isGreaterThan(1);
        });
  }

  @Test
  void aCheckpointThatIsAskedForHoldsAllThatWasCommitted() {
    run(
        (store, thread) -> {
          assertThat(thread.lastResult()).isNull();
          commit(store, 8 * PAGE);
          commit(store, 9 * PAGE);
          long lsn = commit(store, 9 * PAGE + 64);
          long written = store.log.stats().writtenBytes();
          CheckpointResult result = thread.checkpoint();
          assertThat(result.sequence()).isEqualTo(1);
          assertThat(result.lsn()).isEqualTo(lsn);
          assertThat(result.dirtyPages()).isEqualTo(2);
          assertThat(result.totalNanos())
              .isEqualTo(
                  result.drainNanos()
                      + result.copyNanos()
                      + result.stableNanos()
                      + result.foldNanos());
          assertThat(thread.lastResult()).isEqualTo(result);
          assertThat(thread.checkpoints()).isEqualTo(1);
          assertThat(thread.isRunning()).isFalse();
          assertThat(thread.replayBytes()).isLessThanOrEqualTo(12288 - written);
          assertThat(thread.replayNanos())
              .isEqualTo((long) (thread.replayBytes() * 1e9 / (200L << 20)));
          CheckpointState state = store.superblock.current().checkpoint();
          assertThat(state.phase()).isEqualTo(CheckpointState.Phase.FOLDED);
          assertThat(state.replayAboveLsn()).isEqualTo(lsn);
          assertThat(thread.checkpoint().dirtyPages()).as("none since").isZero();
          commit(store, 10 * PAGE);
        });
    disk.kill();
    execution.run(() -> requireWords(disk.storage(), 1));
  }

  @Test
  void aLogOfHalfTheLengthThatMayBeLeftIsCheckpointed() {
    run(
        1 << 17,
        0,
        NEVER,
        (store, thread) -> {
          commitBytes(store, (1 << 16) - PAGE);
          pause(SECOND);
          assertThat(thread.checkpoints()).isZero();
          commitBytes(store, PAGE);
          pause(SECOND);
          assertThat(thread.checkpoints()).isEqualTo(1);
          pause(5 * SECOND);
          assertThat(thread.checkpoints()).isEqualTo(1);
        });
  }

  @Test
  void whatTheOpeningHasLeftCountsUntilTheFirstCheckpoint() {
    run(
        1 << 17,
        1 << 16,
        NEVER,
        (store, thread) -> {
          pause(SECOND);
          assertThat(thread.checkpoints()).isEqualTo(1);
          assertThat(thread.replayBytes()).isZero();
          pause(SECOND);
          assertThat(thread.checkpoints()).isEqualTo(1);
        });
    run(
        (store, thread) -> {
          pause(SECOND);
          assertThat(thread.checkpoints()).isZero();
        });
  }

  @Test
  void noneIsTakenBeforeTheLogIsInTheRegion() {
    recovered = false;
    run(
        1 << 17,
        1 << 17,
        NEVER,
        (store, thread) -> {
          pause(SECOND);
          assertThat(thread.checkpoints()).isZero();
          recovered = true;
          pause(SECOND / 2);
          assertThat(thread.checkpoints()).isEqualTo(1);
        });
  }

  @Test
  void segmentsThatFillHalfOfWhatTheLogMayTakeCountHoweverFullTheyAre() {
    long maxLogBytes = 8L * SEGMENT;
    run(
        NEVER,
        0,
        maxLogBytes,
        (store, thread) -> {
          commitBytes(store, 2 * SEGMENT);
          pause(SECOND);
          assertThat(thread.checkpoints()).isZero();
          commitBytes(store, 2 * SEGMENT);
          pause(SECOND);
          assertThat(thread.checkpoints()).isEqualTo(1);
          assertThat(store.log.retainedBytes()).isLessThan(maxLogBytes / 2);
          commitBytes(store, 20 * SEGMENT);
          assertThat(thread.checkpoints()).isGreaterThan(3);
        });
  }

  // ---- who waits

  @Test
  void anInterruptDoesNotEndTheWait() {
    recovered = false;
    run(
        (store, thread) -> {
          commit(store, 8 * PAGE);
          boolean[] interrupted = new boolean[1];
          AtomicReference<CheckpointResult> result = new AtomicReference<>();
          Thread caller =
              execution.spawn(
                  "caller",
                  () -> {
                    result.set(thread.checkpoint());
                    interrupted[0] = Thread.interrupted();
                  });
          pause(MILLISECOND);
          execution.interrupt(caller);
          pause(MILLISECOND);
          assertThat(result.get()).isNull();
          recovered = true;
          execution.join(caller);
          assertThat(result.get()).isNotNull();
          assertThat(interrupted[0]).isTrue();
        });
  }

  @Test
  void aCloseEndsTheWait() {
    recovered = false;
    run(
        (store, thread) -> {
          Thread caller =
              execution.spawn(
                  "caller",
                  () ->
                      assertThatThrownBy(thread::checkpoint)
                          .isInstanceOf(StoreClosedException.class));
          Thread copier =
              execution.spawn(
                  "copier",
                  () ->
                      assertThatThrownBy(() -> thread.backup(disk.storage("copy")))
                          .isInstanceOf(StoreClosedException.class));
          pause(MILLISECOND);
          thread.close();
          execution.join(caller);
          execution.join(copier);
        });
  }

  // ---- failures

  @Test
  void afterATransientFailureItTriesAgainOnceASecondAndTells() {
    run(
        1 << 17,
        1 << 17,
        NEVER,
        (store, thread) -> {
          disk.inject(
              Fault.onNth(Operation.CREATE, 1).in("journal").with(Reason.NO_SPACE).forEver());
          assertThatThrownBy(thread::checkpoint).isInstanceOf(StorageException.class);
          long before = thread.failures().count();
          assertThat(before).isPositive();
          assertThat(thread.failures().problem()).contains("journal");
          pause(10 * SECOND);
          assertThat(thread.failures().count() - before).isBetween(9L, 12L);
          assertThat(store.log.failure()).isNull();
          assertThat(thread.checkpoints()).isZero();
          disk.clearFaults();
          pause(2 * SECOND);
          assertThat(thread.checkpoints()).isEqualTo(1);
          assertThat(thread.failures().count()).isZero();
          assertThat(thread.failures().problem()).isNull();
        });
  }

  @Test
  void anyOtherFailureStopsTheLog() {
    run(
        (store, thread) -> {
          commit(store, 8 * PAGE);
          disk.inject(Fault.onNth(Operation.FORCE, 1).in("journal/").with(Reason.IO));
          assertThatThrownBy(thread::checkpoint)
              .isInstanceOf(StoreFailedException.class)
              .hasMessageContaining("journal");
          assertThat(store.log.failure()).isInstanceOf(StorageException.class);
          assertThat(thread.isRunning()).isFalse();
        });
  }

  // ---- backups

  @Test
  void aBackupHoldsWhatWasCommittedBefore() {
    run(
        (store, thread) -> {
          commit(store, 8 * PAGE);
          thread.checkpoint();
          long lsn = commit(store, 9 * PAGE);
          BackupResult result = thread.backup(disk.storage("copy"));
          assertThat(result.lsn()).isEqualTo(lsn);
          assertThat(result.fromLsn()).isBetween(1L, lsn);
          assertThat(result.bytes()).isPositive();
          assertThat(result.nanos()).isPositive();
          assertThat(thread.checkpoints()).as("one before each").isEqualTo(2);
          requireWords(disk.storage("copy"), 0);
        });
  }

  @Test
  void aBackupThatFailsLeavesNothingAndTheStoreGoesOn() {
    run(
        (store, thread) -> {
          commit(store, 8 * PAGE);
          Storage target = disk.storage("copy");
          disk.inject(Fault.onNth(Operation.WRITE, 1).in("copy/image").with(Reason.NO_SPACE));
          assertThatThrownBy(() -> thread.backup(target)).isInstanceOf(StorageException.class);
          disk.clearFaults();
          assertThat(target.list("")).isEmpty();
          assertThat(thread.isRunning()).isFalse();
          assertThat(store.log.failure()).isNull();
          assertThat(thread.failures().count()).isZero();
          assertThat(thread.backup(target).lsn()).isEqualTo(1);
        });
  }

  // ---- summaries of the log

  private static long pageBits(LogSummary summary, int word) {
    return summary.map().length > word ? summary.map()[word] : 0;
  }

  @Test
  void aSummaryIsWrittenWheneverTheLogGoesOnToAnotherSegment() {
    run(
        (store, thread) -> {
          commit(store, 64);
          commit(store, 70 * PAGE);
          commitBytes(store, SEGMENT / 2);
          pause(SECOND);
          assertThat(disk.storage().exists("log/summary-0")).as("one segment").isFalse();
          commitBytes(store, SEGMENT);
          long lsn = store.log.stable();
          pause(SECOND);
          LogSummary first = LogSummary.newest(store.storage, store.superblock.current());
          assertThat(first).isNotNull();
          assertThat(first.shortcut().segment()).isEqualTo(2);
          assertThat(first.shortcut().generation()).isEqualTo(1);
          assertThat(first.shortcut().replayAboveLsn()).isBetween(1L, lsn);
          assertThat(first.shortcut().imageLsn()).isBetween(first.shortcut().replayAboveLsn(), lsn);
          assertThat(first.shortcut().sinceLsn()).isZero();
          assertThat(first.header()[8]).isEqualTo(1);
          assertThat(pageBits(first, 0)).isEqualTo(1L | 1L << 8);
          assertThat(pageBits(first, 1)).isEqualTo(1L << (70 - 64));
          assertThat(disk.storage().exists("log/summary-1")).isFalse();
          commitBytes(store, SEGMENT);
          pause(SECOND);
          assertThat(disk.storage().exists("log/summary-1")).isTrue();
          LogSummary second = LogSummary.newest(store.storage, store.superblock.current());
          assertThat(second).isNotNull();
          assertThat(second.shortcut().segment()).isEqualTo(3);
        });
  }

  @Test
  void aSummaryThatCannotBeWrittenStopsNothingAndTheNextTakesItsPlace() {
    run(
        (store, thread) -> {
          disk.inject(Fault.onNth(Operation.WRITE, 1).in("summary").with(Reason.NO_SPACE));
          commitBytes(store, SEGMENT + SEGMENT / 2);
          pause(SECOND);
          assertThat(LogSummary.newest(store.storage, store.superblock.current())).isNull();
          commitBytes(store, SEGMENT);
          pause(SECOND);
          LogSummary summary = LogSummary.newest(store.storage, store.superblock.current());
          assertThat(summary).isNotNull();
          assertThat(disk.storage().exists("log/summary-1")).isFalse();
          assertThat(store.log.failure()).isNull();
          assertThat(thread.checkpoint().sequence()).isEqualTo(1);
        });
  }
}
