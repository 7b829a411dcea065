package io.howdah.log;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.engine.NoAction;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.storage.Storage;
import io.howdah.log.commit.ApplyingWords;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitPoint;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Ring;
import io.howdah.log.commit.RingSet;
import io.howdah.log.commit.Survival;
import io.howdah.log.flush.BatchId;
import io.howdah.log.flush.BatchTarget;
import io.howdah.log.flush.BatchWriter;
import io.howdah.log.flush.Doorbell;
import io.howdah.log.flush.Flusher;
import io.howdah.log.flush.GroupCommit;
import io.howdah.log.flush.LogExtent;
import io.howdah.log.flush.LogFiles;
import io.howdah.log.flush.LogLimit;
import io.howdah.log.flush.LogStats;
import io.howdah.log.flush.SpaceWaiters;
import io.howdah.log.flush.StabilityListener;
import io.howdah.log.flush.StabilityWaiters;
import io.howdah.log.flush.StallDetector;
import io.howdah.log.flush.TrimPoint;
import io.howdah.log.report.LogStall;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The partitioned redo log of an open store: it creates the lanes of commits and the flusher that
 * makes their records durable, and it has the waits for the stable LSN. Commits use its {@link
 * #lanes}, the store its waits, checkpoints its trimming. Thread-safe.
 *
 * <p>The first failed write or force stops the log for good: waits end, commits are rejected, and
 * the next opening determines what is durable.
 */
public final class RedoLog implements AutoCloseable {

  /** With this number a commit rarely finds all lanes leased. */
  private static final int LANES_PER_PROCESSOR = 2;

  private final Region commitWords;
  private final RingSet rings;
  private final CommitLanes lanes;
  private final SpaceWaiters spaceWaiters;
  private final StabilityWaiters waiters;
  private final BatchTarget target;

  /** The files behind the target; null if the log is that of a replica group. */
  private final @Nullable LogFiles files;

  private final Flusher flusher;
  private final LogLimit limit;
  private final StallDetector stallDetector;
  private final Consumer<Throwable> onFailure;

  /** Whether {@link #close} was called; it may not have ended. */
  private boolean closed;

  private volatile boolean complete;

  private RedoLog(
      BatchTarget target,
      @Nullable LogFiles files,
      RingSet rings,
      Region commitWords,
      @Nullable ApplyingWords applying,
      LogStart start,
      LogOptions options,
      Execution execution,
      Runnable periodicAction,
      Consumer<Throwable> onFailure) {
    this.onFailure = onFailure;
    this.commitWords = commitWords;
    this.rings = rings;
    this.target = target;
    this.files = files;
    Flusher started = null;
    try {
      CommitWords.start(commitWords, start.baseLsn());
      Doorbell doorbell = new Doorbell(commitWords, execution);
      this.spaceWaiters =
          new SpaceWaiters(
              commitWords, execution, doorbell, options.logFullTimeoutNanos(), options.maxBytes());
      this.waiters = new StabilityWaiters(commitWords, execution, doorbell, options.spinNanos());
      int count = LANES_PER_PROCESSOR * execution.availableProcessors();
      List<Lane> laneList = CommitLanes.lanesOf(commitWords, rings, start, count, applying);
      this.lanes = new CommitLanes(commitWords, laneList, execution, spaceWaiters);
      this.limit = new LogLimit(new RetainedBytes(), lanes, options.maxBytes());
      GroupCommit groupCommit =
          new GroupCommit(options.groupCommitIntervalNanos(), options.spinNanos());
      this.flusher =
          new Flusher(
              commitWords,
              rings,
              new BatchWriter(start, target, rings.partitions(), stagingBytes(rings)),
              target,
              waiters,
              spaceWaiters,
              doorbell,
              execution,
              groupCommit,
              limit,
              new OnceASecond(periodicAction),
              new FlusherFailure());
      flusher.start();
      started = flusher;
      this.stallDetector =
          new StallDetector(
              commitWords,
              rings.rings(),
              flusher,
              waiters,
              spaceWaiters,
              execution,
              groupCommit,
              target);
    } catch (Throwable t) {
      if (started != null) {
        started.close(); // otherwise it would report released memory as a failure of the store
      }
      closeTarget();
      throw t;
    }
  }

  private final class RetainedBytes implements LongSupplier {
    @Override
    public long getAsLong() {
      return retainedBytes();
    }
  }

  /** What the flusher's thread does about once a second. */
  private final class OnceASecond implements Runnable {
    private final Runnable periodicAction;

    OnceASecond(Runnable periodicAction) {
      this.periodicAction = periodicAction;
    }

    @Override
    public void run() {
      lanes.runLongWaitAction(); // for threads that wait for durability
      periodicAction.run();
    }
  }

  private final class FlusherFailure implements Consumer<Throwable> {
    @Override
    public void accept(Throwable thrown) {
      fail(explained(thrown));
    }
  }

  private static int stagingBytes(RingSet rings) {
    long bytes = BatchLayout.ALIGNMENT;
    for (Ring ring : rings.rings()) {
      bytes += ring.capacityBytes() + BatchLayout.SECTION_HEADER_LENGTH;
    }
    return (int) Math.min(bytes, BatchLayout.MAX_LENGTH) & -BatchLayout.ALIGNMENT;
  }

  private void closeTarget() {
    LogFiles files = this.files;
    if (files == null) {
      target.close();
    } else {
      files.close();
    }
  }

  /**
   * Returns an exception that names the file if {@code thrown} is a fault of a mapped note or ring;
   * otherwise {@code thrown}.
   */
  private Throwable explained(Throwable thrown) {
    try {
      LogFiles files = this.files;
      Throwable explained = files == null ? thrown : files.explained(thrown);
      return explained instanceof CorruptStoreException ? explained : rings.explained(thrown);
    } catch (Throwable again) {
      return thrown; // waiters must be notified of the failure even without an explanation
    }
  }

  /** Starts a log without a periodic action. */
  public static RedoLog start(
      Storage storage,
      RingSet rings,
      Region commitWords,
      LogStart start,
      LogOptions options,
      Execution execution,
      Consumer<Throwable> onFailure) {
    return start(
        storage, rings, commitWords, null, start, options, execution, NoAction.NONE, onFailure);
  }

  /**
   * Starts the log of a new generation. Its first segment is durable when this returns.
   *
   * @param rings empty, created for the same generation; the log closes them
   * @param commitWords zeroed, at least {@link CommitLanes#wordsLengthBytes} long
   * @param applying the words of the lanes in memory that outlives the process, or null
   * @param periodicAction runs about once a second on the flusher's thread; an exception from it
   *     stops the log
   * @param onFailure called with the reason when the log stops, before any wait ends
   */
  public static RedoLog start(
      Storage storage,
      RingSet rings,
      Region commitWords,
      @Nullable ApplyingWords applying,
      LogStart start,
      LogOptions options,
      Execution execution,
      Runnable periodicAction,
      Consumer<Throwable> onFailure) {
    LogFiles files =
        new LogFiles(
            storage,
            start,
            options.firstSegmentBytes(),
            options.largestSegmentBytes(),
            rings.rings().getFirst().capacityBytes(),
            rings.partitions(),
            execution);
    return new RedoLog(
        files.target(),
        files,
        rings,
        commitWords,
        applying,
        start,
        options,
        execution,
        periodicAction,
        onFailure);
  }

  /**
   * Starts a log whose batches do not go to files. It has nothing to trim, and no archive.
   *
   * @param target the log closes it, also if this fails
   * @param rings empty, created for the same generation; the log closes them
   * @param commitWords zeroed, at least {@link CommitLanes#wordsLengthBytes} long
   * @param periodicAction runs about once a second on the flusher's thread; an exception from it
   *     stops the log
   * @param onFailure called with the reason when the log stops, before any wait ends
   */
  public static RedoLog start(
      BatchTarget target,
      RingSet rings,
      Region commitWords,
      LogStart start,
      LogOptions options,
      Execution execution,
      Runnable periodicAction,
      Consumer<Throwable> onFailure) {
    return new RedoLog(
        target,
        null,
        rings,
        commitWords,
        null,
        start,
        options,
        execution,
        periodicAction,
        onFailure);
  }

  /** Returns the lanes of commits. */
  public CommitLanes lanes() {
    return lanes;
  }

  /** Returns the largest dense LSN such that it and all before it survive a power cut. */
  public long stable() {
    return commitWords.getLongVolatile(CommitWords.STABLE);
  }

  /**
   * Waits until everything up to {@code lsn} survives a power cut. An interrupt does not end the
   * wait; it is set again on return.
   *
   * @param timeoutNanos 0 to check once, without a request for a force
   * @return whether it does; false after the timeout
   * @throws IllegalArgumentException if no commit of this store has this LSN
   * @throws StoreFailedException if the log stopped before
   */
  public boolean awaitStable(long lsn, long timeoutNanos) {
    if (lsn > lanes.clock()) {
      throw new IllegalArgumentException(
          "LSN " + lsn + " was not assigned by this store; its newest is " + lanes.clock());
    }
    return awaitForced(lsn, null, 0, lsn, timeoutNanos);
  }

  private boolean awaitForced(
      long lsn, @Nullable Ring ring, long position, long neededStable, long timeoutNanos) {
    // The flusher may publish its last force and stop between the two tests of a waiter, first for
    // the force, then for the stop. The second call finds that the commit is durable.
    if (waiters.awaitForced(lsn, ring, position, neededStable, timeoutNanos)
        || waiters.isForced(ring, position, neededStable)) {
      return true;
    }
    spaceWaiters.failIfStopped();
    return false;
  }

  // A commit survives a power cut if an LSN is stable and, with RECORD, its ring is forced up to
  // the end of its record. StabilityWaiters.isForced checks both.

  private long neededStable(CommitPoint point, Survival survival) {
    return isOfRecord(point, survival) ? point.dependency() : point.lsn();
  }

  private @Nullable Ring neededRing(CommitPoint point, Survival survival) {
    return isOfRecord(point, survival) ? rings.rings().get(point.partition()) : null;
  }

  private boolean isOfRecord(CommitPoint point, Survival survival) {
    return survival == Survival.RECORD && point.hasRecord() && target.keepsRecordsAboveTheCut();
  }

  /** Returns whether a commit survives a power cut by now. */
  public boolean isReached(CommitPoint point, Survival survival) {
    return waiters.isForced(
        neededRing(point, survival), point.end(), neededStable(point, survival));
  }

  /**
   * Requests a force and waits for {@link #isReached}. An interrupt does not end the wait; it is
   * set again on return.
   *
   * @param timeoutNanos 0 to check once, without a request for a force
   * @return whether it is reached; false after the timeout
   * @throws IllegalArgumentException if no commit of this store has the point's LSN; not checked if
   *     the wait is for a record ({@link Survival#RECORD})
   * @throws StoreFailedException if the log stopped before
   */
  public boolean await(CommitPoint point, Survival survival, long timeoutNanos) {
    if (!isOfRecord(point, survival)) {
      return awaitStable(point.lsn(), timeoutNanos);
    }
    return awaitForced(
        point.lsn(),
        neededRing(point, survival),
        point.end(),
        neededStable(point, survival),
        timeoutNanos);
  }

  /** Sets what is told of each force; see {@link Flusher#whenForced}. */
  public void whenForced(LongConsumer listener) {
    flusher.whenForced(listener);
  }

  /** Returns the current stall if the log has warned of it, or null. */
  public @Nullable LogStall stall() {
    return stallDetector.stall();
  }

  /**
   * Returns for how long at least the oldest commit that is not stable has not been, in
   * nanoseconds; accurate to a quarter of a second for recent commits. Forces nothing.
   */
  public long oldestUnstableNanos() {
    return stallDetector.oldestUnstableNanos();
  }

  /** Returns the reason why the stable LSN does not advance, for the message of a timeout. */
  public LogStall whyNotStable() {
    return stallDetector.diagnose();
  }

  /** Returns whether the log has stopped or is stopping, which ends all waits. */
  public boolean isEnding() {
    return waiters.isStopped();
  }

  /**
   * Requests a force. Calls the listener when {@link #isReached}, or when the log has stopped; on
   * the flusher's thread or on the caller's.
   *
   * @return whether the listener will be called; false if the queue is full, in which case the
   *     caller tries again
   */
  public boolean whenReached(CommitPoint point, Survival survival, StabilityListener listener) {
    return waiters.whenForced(
        neededRing(point, survival), point.end(), neededStable(point, survival), listener);
  }

  // ---- For checkpoints.

  private record FirstPart(CommitLanes lanes) implements IntToLongFunction {
    @Override
    public long applyAsLong(int lane) {
      return lanes.lane(lane).firstPartPosition();
    }
  }

  /**
   * Returns the point at which the log may start once a checkpoint contains the effects of every
   * LSN taken by now. It is after all segments that are complete and contain no part of a
   * transaction that has not ended. The first batch from there on is durable, unless nothing was
   * ever written.
   */
  public TrimPoint trimPoint() {
    return files().history().trimPoint(new FirstPart(lanes));
  }

  /**
   * Returns the last durable batch. If the caller has seen a {@link #stable} LSN before, every LSN
   * up to that is in this batch or an earlier one.
   */
  public BatchId lastBatch() {
    return files().history().lastBatch();
  }

  /**
   * Returns the smallest sequence that no segment of this log has. The log was closed: no further
   * segment gets it.
   */
  public long nextSegmentSequence() {
    return files().nextSegmentSequence();
  }

  /**
   * Returns the largest LSN taken so far, by a read-modify-write of the clock. A commit that takes
   * a larger LSN sees everything that the caller has written before. {@link #haveCommitsEnded} sees
   * every commit that has taken this or a smaller LSN (docs/protocol.md, R16).
   */
  public long orderedClock() {
    return commitWords.getAndAddLong(CommitWords.CLOCK, 0);
  }

  /**
   * Returns whether every commit with an LSN up to {@code lsn} has ended. If so, the effects of
   * these commits are visible to the caller.
   *
   * @param lsn a value that {@link #orderedClock} has returned
   */
  public boolean haveCommitsEnded(long lsn) {
    return lanes.haveCommitsEnded(lsn);
  }

  /**
   * Frees the segments before a point. The superblock must be durable that says that the log starts
   * there. Called on an engine thread.
   */
  public void trim(TrimPoint point) {
    files().trim(point);
  }

  /** Returns whether the log has files of its own; that of a replica group has none. */
  public boolean hasFiles() {
    return files != null;
  }

  private LogFiles files() {
    LogFiles files = this.files;
    if (files == null) {
      throw new IllegalStateException("the log of a replica group has no files of its own");
    }
    return files;
  }

  /**
   * Returns the segments that contain batches of this opening, oldest first. A copy of these ranges
   * contains every LSN that was stable at the time of the call. The caller prevents {@link #trim}
   * while it copies.
   */
  public List<LogExtent> extents() {
    return files().history().extents();
  }

  // ---- For the archive.

  /**
   * Starts to keep trimmed segments until {@link #copiedBefore} or {@link #unfollow} is called. One
   * archive at a time follows: one that followed before has lost track, and its calls have no
   * effect. Called by the thread that calls {@link #trim}; the other methods of the archive may be
   * called by any engine thread.
   *
   * @param archive who follows
   * @param maxBytes maximum total length of segments that are kept only for the archive. Beyond it
   *     they are reused, and {@link #followed} returns nothing from then on
   */
  public void follow(Object archive, long maxBytes) {
    files().free(files().history().follow(archive, maxBytes));
  }

  /**
   * Returns the segments that an archive has yet to read, oldest first. They contain every LSN that
   * was {@link #stable} at the time of the call and that was not copied before. Empty if some of
   * them were reused before they were copied, or the archive does not follow.
   */
  public Optional<List<LogExtent>> followed(Object archive) {
    return files().history().followed(archive);
  }

  /** Frees segments for the log whose sequence is smaller than that of a segment. */
  public void copiedBefore(Object archive, long segment) {
    files().free(files().history().copiedBefore(archive, segment));
  }

  /** Frees all segments that are kept for the archive, for lack of space. */
  public void giveUpFollowed() {
    LogFiles files = this.files;
    if (files != null) {
      files.free(files.history().giveUp());
    }
  }

  /** Ends what {@link #follow} has started. */
  public void unfollow(Object archive) {
    files().free(files().history().unfollow(archive));
  }

  /** Returns the total length of the trimmed segments that are kept for the archive, in bytes. */
  public long heldBytes() {
    LogFiles files = this.files;
    return files == null ? 0 : files.history().heldBytes();
  }

  /** Returns the bytes of the segments that a recovery would need; 0 for a log without files. */
  public long retainedBytes() {
    LogFiles files = this.files;
    return files == null ? 0 : files.history().bytes();
  }

  /** Returns the length of the log at which commits are blocked, in bytes. */
  public long maxBytes() {
    return limit.maxBytes();
  }

  /**
   * Returns whether the file system has no space for a further segment, and a checkpoint would free
   * one.
   */
  public boolean isSpaceScarce() {
    LogFiles files = this.files;
    return files != null && files.isSpaceScarce();
  }

  /** Returns whether no commit begins because the log is at its limit. */
  public boolean isBlocked() {
    return lanes.isBlocked();
  }

  /**
   * Sets an action that an engine thread runs when commits are blocked, or the file system has no
   * space for a further segment; it must neither block nor throw.
   */
  public void whenBlocked(Runnable action) {
    limit.whenBlocked(action);
    LogFiles files = this.files;
    if (files != null) {
      files.whenScarce(new GivingUpFollowed(action));
    }
  }

  private final class GivingUpFollowed implements Runnable {
    private final Runnable then;

    GivingUpFollowed(Runnable then) {
      this.then = then;
    }

    @Override
    public void run() {
      giveUpFollowed();
      then.run();
    }
  }

  /** Returns how often commits were blocked. */
  public long timesBlocked() {
    return limit.timesBlocked();
  }

  /**
   * Records why the last checkpoint did not free any segment, for the message to blocked commits;
   * null if it did.
   */
  public void notTrimmed(@Nullable Throwable cause) {
    spaceWaiters.notTrimmed(cause);
  }

  /** Stops the log after a failure, for good. The first cause is kept. */
  public void fail(Throwable cause) {
    try {
      onFailure.accept(cause);
    } finally {
      // Also if the call above throws: otherwise waiting threads would wait for ever.
      spaceWaiters.stop(cause);
      waiters.stop();
    }
  }

  /** Returns the reason why the log has stopped, or null. */
  public @Nullable Throwable failure() {
    return spaceWaiters.failure();
  }

  /** Returns whether the log was closed and everything committed through it is durable. */
  public boolean isComplete() {
    return complete;
  }

  /** Returns counters since the start. */
  public LogStats stats() {
    return flusher.stats();
  }

  /** Returns the partition count. */
  public int partitions() {
    return rings.partitions();
  }

  /**
   * Forces all published records and ends the log's threads. The caller has ensured that no commit
   * runs. Idempotent. The files of the rings stay.
   *
   * @throws StoreFailedException if not all records could be forced. The rings still contain them,
   *     and the next opening recovers them if the machine has not stopped
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    flusher.close();
    stallDetector.close(); // after the flusher: its last force may be the one that does not return
    // A commit for which the close of the store did not wait may have published after the last
    // force.
    complete = spaceWaiters.failure() == null && lanes.isIdle() && flusher.hasForcedAll();
    spaceWaiters.stop(null);
    waiters.stop();
    closeTarget();
    rings.close();
    Throwable cause = spaceWaiters.failure();
    if (cause != null) {
      throw new StoreFailedException("the log stopped before it was closed: " + cause, cause);
    }
  }
}
