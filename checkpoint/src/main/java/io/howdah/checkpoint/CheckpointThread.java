package io.howdah.checkpoint;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.engine.NoAction;
import io.howdah.core.report.FlightRecording;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.RedoLog;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that makes checkpoints of an open store: when the log has grown by half of its replay
 * limit, when the disk is almost full, and on request. It decides when; {@link OnlineCheckpoint}
 * executes one. After a transient failure, such as a full disk or too many open files, it repeats
 * the checkpoint. Any other failure stops the store. Thread-safe.
 */
public final class CheckpointThread implements Runnable, AutoCloseable {

  private static final long POLL_NANOS = 100_000_000;

  /** The same for a log in which nothing was written for a time. Requests wake the thread. */
  private static final long QUIET_POLL_NANOS = 1_000_000_000;

  private static final long QUIET_AFTER_NANOS = 60_000_000_000L;
  private static final long RECOVERED_POLL_NANOS = 1_000_000;
  private static final long RETRY_NANOS = 1_000_000_000;

  /** Interval while a checkpoint frees no segment, because a large transaction is being written. */
  private static final long BLOCKED_RETRY_NANOS = 5_000_000;

  /** If the segments have the maximum length of the log divided by this, a checkpoint is needed. */
  private static final int LENGTH_DIVISOR = 2;

  /** Minimum length of log between two such checkpoints: the maximum length divided by this. */
  private static final int INTERVAL_DIVISOR = 16;

  /** Minimum length of log written between two checkpoints that scarce space causes, in bytes. */
  private static final long SCARCE_BYTES = 1 << 16;

  private final Execution execution;
  private final RedoLog log;
  private final OnlineCheckpoint checkpoint;

  /** Writes summaries of the log's files. */
  private final Runnable keepUp;

  private final BooleanSupplier recovered;
  private final long triggerBytes;
  private final long logBytesBefore;
  private final AtomicLong requested = new AtomicLong();
  private final Queue<Work<?>> works = new ConcurrentLinkedQueue<>();
  private final ProgramLog programLog;
  private final EngineThread thread;

  /** The last attempt that a caller may wait for. */
  private volatile Attempt last = new Attempt(0, null, null);

  private volatile @Nullable CheckpointResult lastResult;
  private volatile @Nullable LongConsumer takenListener;
  private final AtomicLong checkpoints = new AtomicLong();
  private volatile Failures failures = Failures.NONE;

  /** Number of bytes that the log had written when the newest attempt began. */
  private long attemptedBytes;

  /** Number of bytes that the log had written when the newest checkpoint that counts began. */
  private volatile long coveredBytes;

  private volatile boolean running;

  /** Number of bytes that the log had written at the last poll. */
  private long seenBytes = -1;

  /** When a poll has seen that number first. */
  private long seenNanos;

  /**
   * Attempts in a row that have failed and were followed by another.
   *
   * @param problem of the last one, or null if there was none
   */
  public record Failures(long count, @Nullable String problem) {

    static final Failures NONE = new Failures(0, null);
  }

  private record Attempt(
      long request, @Nullable CheckpointResult result, @Nullable RuntimeException failure) {}

  /**
   * Work with the store's files that a caller waits for.
   *
   * @param <T> of the result
   */
  private static final class Work<T> {
    final Supplier<T> body;

    /** Whether a checkpoint is made before. */
    final boolean isAfterCheckpoint;

    /** What the body does, for a message. */
    final String what;

    /** Set by this thread when it starts the body, or by a caller that no longer waits. */
    final AtomicBoolean isClaimed = new AtomicBoolean();

    volatile @Nullable T result;
    volatile @Nullable RuntimeException failure;

    Work(Supplier<T> body, boolean isAfterCheckpoint, String what) {
      this.body = body;
      this.isAfterCheckpoint = isAfterCheckpoint;
      this.what = what;
    }
  }

  /**
   * Starts the thread. From now on it owns the checkpointer.
   *
   * @param dirty marked by every commit from now on
   * @param recovered returns whether the deferred replay has ended; the first checkpoint waits for
   *     that
   * @param logBytesBefore length of the log before this opening that the next recovery would read
   */
  public CheckpointThread(
      Checkpointer checkpointer,
      Region region,
      DirtyPages dirty,
      RedoLog log,
      Execution execution,
      BooleanSupplier recovered,
      CheckpointOptions options,
      long logBytesBefore) {
    this(
        checkpointer,
        region,
        dirty,
        log,
        execution,
        recovered,
        options,
        logBytesBefore,
        ReplayStart.OF_FILES);
  }

  /**
   * Starts the thread for a store whose log may have no files of its own.
   *
   * @param replayStart where a replay starts, if it has none
   */
  public CheckpointThread(
      Checkpointer checkpointer,
      Region region,
      DirtyPages dirty,
      RedoLog log,
      Execution execution,
      BooleanSupplier recovered,
      CheckpointOptions options,
      long logBytesBefore,
      ReplayStart replayStart) {
    this.execution = execution;
    this.recovered = recovered;
    this.thread = new EngineThread(execution, "howdah-checkpoint");
    this.log = log;
    BooleanSupplier cancelled = new Ending();
    CheckpointPace pace =
        new CheckpointPace(
            execution, cancelled, new WrittenBytes(log), Math.max(1, options.logBytes() / 2));
    this.checkpoint =
        new OnlineCheckpoint(
            checkpointer,
            new MarkedPages(region, dirty),
            dirty,
            log,
            execution,
            pace,
            cancelled,
            replayStart);
    LogSummaries summaries =
        log.hasFiles() ? checkpointer.summaries(region, dirty, log, execution, cancelled) : null;
    this.keepUp = summaries == null ? NoAction.NONE : summaries;
    pace.betweenSlices(keepUp);
    this.triggerBytes =
        options.logBytes() == Long.MAX_VALUE ? Long.MAX_VALUE : options.logBytes() / 2;
    this.logBytesBefore = logBytesBefore;
    this.programLog = new ProgramLog("io.howdah.checkpoint", execution);
    thread.start(this, new FailingLog(log, region));
    log.whenBlocked(new Waking(thread));
  }

  private final class Ending implements BooleanSupplier {
    @Override
    public boolean getAsBoolean() {
      return isEnding();
    }
  }

  private record WrittenBytes(RedoLog log) implements LongSupplier {
    @Override
    public long getAsLong() {
      return log.stats().writtenBytes();
    }
  }

  private record FailingLog(RedoLog log, Region region) implements Consumer<Throwable> {
    @Override
    public void accept(Throwable thrown) {
      log.fail(explained(region, thrown));
    }
  }

  private record Waking(EngineThread thread) implements Runnable {
    @Override
    public void run() {
      thread.unpark();
    }
  }

  /** Returns a more specific exception; {@code thrown} if there is none, or memory is exhausted. */
  private static Throwable explained(Region region, Throwable thrown) {
    try {
      return region.explained(thrown);
    } catch (VirtualMachineError e) {
      return thrown;
    }
  }

  /** The body of the thread. */
  @Override
  public void run() {
    awaitRecovered();
    while (!isEnding()) {
      long request = requested.get();
      Work<?> work = works.poll();
      if (work != null) {
        if (work.isAfterCheckpoint) {
          attempt(request);
        }
        execute(work);
      } else if (log.isBlocked()) {
        attempt(request);
        if (log.isBlocked()) {
          execution.parkNanos(this, BLOCKED_RETRY_NANOS);
        }
      } else if (request > last.request() || failures.count() > 0 || isNeeded()) {
        attempt(request);
      } else {
        keepUp.run();
        execution.parkNanos(this, pollNanos());
      }
    }
  }

  private long pollNanos() {
    long now = execution.nanoTime();
    long written = log.stats().writtenBytes();
    if (written != seenBytes) {
      seenBytes = written;
      seenNanos = now;
    }
    return now - seenNanos > QUIET_AFTER_NANOS ? QUIET_POLL_NANOS : POLL_NANOS;
  }

  /**
   * Waits for the deferred replay. A checkpoint frees the log of the pages that it copies, so it
   * must not copy a page whose words are not replayed yet.
   */
  private void awaitRecovered() {
    while (!isEnding() && !recovered.getAsBoolean()) {
      execution.parkNanos(this, RECOVERED_POLL_NANOS);
    }
  }

  /** Returns whether the store closes, or has stopped. A stopped store changes no file. */
  private boolean isEnding() {
    return thread.isClosing() || log.failure() != null;
  }

  /** Returns the exception for a caller that waits while the store closes or has stopped. */
  private RuntimeException ending() {
    Throwable failure = log.failure();
    return failure == null
        ? new StoreClosedException("the store is closed")
        : new StoreFailedException(
            "the store stopped before the checkpoint ended: " + failure, failure);
  }

  private boolean isNeeded() {
    return replayBytes() >= triggerBytes
        // As long as the disk has space for a journal. Later the log would wait for space that only
        // a checkpoint can free.
        || (log.isSpaceScarce() && log.stats().writtenBytes() - attemptedBytes >= SCARCE_BYTES)
        || (log.retainedBytes() >= log.maxBytes() / LENGTH_DIVISOR
            && log.stats().writtenBytes() - attemptedBytes >= log.maxBytes() / INTERVAL_DIVISOR);
  }

  private <T> void execute(Work<T> work) {
    if (!work.isClaimed.compareAndSet(false, true)) {
      return; // the caller no longer waits
    }
    try {
      RuntimeException failure = work.isAfterCheckpoint ? last.failure() : null;
      if (failure != null) {
        throw failure;
      }
      running = work.isAfterCheckpoint;
      work.result = work.body.get();
    } catch (CancellationException e) {
      work.failure = ending();
    } catch (RuntimeException e) {
      // The body has only read the store's files.
      work.failure = e;
    } catch (OutOfMemoryError e) {
      work.failure = new StorageException(StorageException.Reason.NO_MEMORY, work.what, e);
    } finally {
      running = false;
    }
  }

  private void attempt(long request) {
    long written = log.stats().writtenBytes();
    attemptedBytes = written;
    try {
      running = true;
      CheckpointEvent event = FlightRecording.isOn() ? new CheckpointEvent() : null;
      if (event != null) {
        event.begin();
      }
      CheckpointResult result = checkpoint.run();
      if (event != null) {
        event.end();
        if (event.shouldCommit()) {
          event.take(result);
          event.commit();
        }
      }
      coveredBytes = written + logBytesBefore;
      checkpoints.incrementAndGet();
      lastResult = result;
      LongConsumer told = takenListener;
      if (told != null) {
        told.accept(result.totalNanos());
      }
      last = new Attempt(request, result, null);
      log.notTrimmed(null);
      succeeded();
    } catch (CancellationException e) {
      last = new Attempt(request, null, ending()); // the loop ends
    } catch (StorageException e) {
      if (!e.isTransient() || checkpoint.hasLostSuperblock()) {
        throw e;
      }
      failed(e);
      last = new Attempt(request, null, e);
      log.notTrimmed(e);
      // The log remains usable up to its maximum length. The next attempt succeeds when space or a
      // file descriptor is available again.
      execution.parkNanos(this, RETRY_NANOS);
    } finally {
      running = false;
    }
  }

  private void failed(StorageException failure) {
    if (failure.reason() == StorageException.Reason.NO_SPACE) {
      log.giveUpFollowed(); // a checkpoint is worth more than the archive's segments
    }
    long count = failures.count() + 1;
    failures = new Failures(count, failure.getMessage());
    if (count == 1) { // once in a row, not once a second
      programLog.say(
          System.Logger.Level.WARNING,
          () ->
              "a checkpoint failed and is tried again every second; until one succeeds the log"
                  + " grows, up to "
                  + log.maxBytes()
                  + " bytes (maxLogBytes), where commits are refused: "
                  + failure.getMessage());
    }
  }

  private void succeeded() {
    long count = failures.count();
    if (count > 0) {
      programLog.say(
          System.Logger.Level.INFO,
          () -> "checkpoints succeed again, after " + count + " failures");
      failures = Failures.NONE;
    }
  }

  /**
   * Requests a checkpoint that begins after the call, and waits for it. An interrupt does not end
   * the wait; it is set again on return.
   *
   * @throws StorageException if the disk is full, or too many files are open; the store continues
   * @throws StoreClosedException if the store closes during the wait
   * @throws StoreFailedException if the store stopped
   */
  public CheckpointResult checkpoint() {
    long mine = requested.incrementAndGet();
    return await(
        () -> {
          Attempt attempt = last;
          if (attempt.request() < mine) {
            return null;
          }
          RuntimeException failure = attempt.failure();
          if (failure != null) {
            throw failure;
          }
          return attempt.result();
        },
        () -> true);
  }

  /**
   * Requests a checkpoint and then a copy of the store's files, while commits run, and waits for
   * both. Further checkpoints wait until the copy ends, so the log grows.
   *
   * @param target an empty storage; the caller closes it
   * @throws StorageException if a file cannot be read or written; the store continues
   * @throws StoreClosedException if the store closes during the wait
   * @throws StoreFailedException if the store stopped
   */
  public BackupResult backup(Storage target) {
    return await(
        new Work<>(() -> checkpoint.backup(target), true, "back up to " + target.describe()));
  }

  /**
   * Requests a checkpoint, after which the log keeps its segments for an archive ({@link
   * RedoLog#follow}), and waits for it.
   *
   * @param archive who follows the log
   * @param maxHeldBytes maximum total length of segments that are kept only for the archive
   * @return the state from which the archive starts: its base is the image, and the log from the
   *     oldest batch on
   * @throws StorageException if the disk is full, or too many files are open; the store continues
   * @throws StoreClosedException if the store closes during the wait
   * @throws StoreFailedException if the store stopped
   */
  public BaseStart startArchive(Object archive, long maxHeldBytes) {
    return await(
        new Work<>(() -> checkpoint.startArchive(archive, maxHeldBytes), true, "start an archive"));
  }

  /**
   * Requests a checkpoint for another base of an archive that follows the log.
   *
   * @return as for {@link #startArchive}
   */
  public BaseStart startBase() {
    return await(new Work<>(checkpoint::startBase, true, "start a base of the archive"));
  }

  /**
   * Reads pages of the image between two checkpoints, each after verifying its checksum. Commits
   * and checkpoints continue between two calls, so pages of several calls may be of several
   * checkpoints.
   *
   * @param address of the first page
   * @param pages receives whole pages, from position to limit
   * @return whether they were read; false if a checkpoint must be completed first, after which the
   *     call may be repeated
   * @throws io.howdah.core.CorruptStoreException if a page is damaged; the store continues
   */
  public boolean readPages(long address, ByteBuffer pages) {
    return await(new Work<>(() -> checkpoint.readPages(address, pages), false, "read the image"));
  }

  /** Returns the state after the newest checkpoint. */
  public Superblock state() {
    return await(new Work<>(checkpoint::state, false, "read the superblock"));
  }

  private <T> T await(Work<T> work) {
    works.add(work);
    return await(
        () -> {
          RuntimeException failure = work.failure;
          if (failure != null) {
            throw failure;
          }
          return work.result;
        },
        () -> work.isClaimed.compareAndSet(false, true));
  }

  /**
   * Waits until the thread has a result, or has ended.
   *
   * @param poll returns the result, or null
   * @param canLeave called after the store has stopped: whether to return before the thread ends
   */
  private <T> T await(Supplier<@Nullable T> poll, BooleanSupplier canLeave) {
    boolean interrupted = false;
    try {
      while (true) {
        boolean hasEnded = thread.hasEnded();
        T result = poll.get();
        if (result != null) {
          return result;
        }
        if (hasEnded || (log.failure() != null && canLeave.getAsBoolean())) {
          throw ending();
        }
        thread.unpark();
        execution.parkNanos(this, POLL_NANOS / 100);
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns the length of the log that a recovery would read now, in bytes. */
  public long replayBytes() {
    return log.stats().writtenBytes() + logBytesBefore - coveredBytes;
  }

  /** Returns the expected time of a recovery to replay that log, in nanoseconds. */
  public long replayNanos() {
    return CheckpointOptions.replayNanos(replayBytes());
  }

  /**
   * Sets what is called, on this thread, with the time in nanoseconds that a checkpoint took. It
   * must not throw.
   */
  public void whenTaken(LongConsumer listener) {
    takenListener = listener;
  }

  /** Returns the number of successful checkpoints. */
  public long checkpoints() {
    return checkpoints.get();
  }

  /** Returns the failed attempts since the last successful one. */
  public Failures failures() {
    return failures;
  }

  /** Returns the result of the last checkpoint, or null. */
  public @Nullable CheckpointResult lastResult() {
    return lastResult;
  }

  /** Returns whether a checkpoint or a backup runs. */
  public boolean isRunning() {
    return running;
  }

  /**
   * Ends the thread. Cancels a checkpoint that does not count yet, and completes one that counts.
   * Idempotent.
   */
  @Override
  public void close() {
    thread.close();
  }
}
