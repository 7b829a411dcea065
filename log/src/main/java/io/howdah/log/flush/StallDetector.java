package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.report.FlightRecording;
import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Ring;
import io.howdah.log.report.LogStall;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Detects that the log makes no progress although a thread waits for it. The detector has a
 * separate thread, because the flusher may be in a system call that does not return. It makes
 * waiting threads check their timeouts, since a wait normally does not read the clock. It reports a
 * stall in the program's log at growing intervals, by a JFR event, and by {@link #stall}.
 */
public final class StallDetector implements Runnable {

  static final long CHECK_NANOS = 250_000_000;

  /** Minimum time of a stall before a warning; longer than a force of a working disk. */
  static final long WARNING_NANOS = 5_000_000_000L;

  private static final long LONGEST_INTERVAL_NANOS = 600_000_000_000L;

  private final Region commitWords;
  private final List<Ring> rings;
  private final Flusher flusher;
  private final StabilityWaiters waiters;
  private final SpaceWaiters spaceWaiters;
  private final Execution execution;
  private final BatchTarget target;
  private final long restNanos;
  private final ProgramLog programLog;
  private final EngineThread thread;
  private final UnstableAge age = new UnstableAge();

  private long lastStable;
  private long lastBatches;
  private long sinceNanos;
  private long warnAfterNanos = WARNING_NANOS;

  private volatile @Nullable LogStall stall;

  /**
   * Starts the thread.
   *
   * @param target whose place the warning names
   */
  public StallDetector(
      Region commitWords,
      List<Ring> rings,
      Flusher flusher,
      StabilityWaiters waiters,
      SpaceWaiters spaceWaiters,
      Execution execution,
      GroupCommit groupCommit,
      BatchTarget target) {
    this.commitWords = commitWords;
    this.rings = rings;
    this.flusher = flusher;
    this.waiters = waiters;
    this.spaceWaiters = spaceWaiters;
    this.execution = execution;
    this.target = target;
    this.restNanos = groupCommit.longestIntervalNanos();
    this.programLog = new ProgramLog("io.howdah.log", execution);
    this.thread = new EngineThread(execution, "howdah-watch");
    thread.start(this, new Rethrow());
  }

  /** Shows a failure of this thread by its uncaught exception: no other thread asks for it. */
  private static final class Rethrow implements Consumer<Throwable> {
    @Override
    public void accept(Throwable thrown) {
      EngineThread.rethrow(thrown);
    }
  }

  /** The body of the thread. */
  @Override
  public void run() {
    sinceNanos = execution.nanoTime();
    while (!thread.isClosing()) {
      execution.parkNanos(this, CHECK_NANOS);
      tryCheck();
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void tryCheck() {
    try {
      check();
    } catch (OutOfMemoryError e) {
      // This thread continues, because waiting threads need it for their timeouts.
    }
  }

  private void check() {
    long now = execution.nanoTime();
    long stable = commitWords.getLongVolatile(CommitWords.STABLE);
    long newest = commitWords.getLongAcquire(CommitWords.CLOCK);
    age.note(stable, newest, now);
    long batches = flusher.stats().batches();
    boolean isBehind = newest > stable;
    // Parts of a transaction, which have no LSN, may also wait. Any batch is progress for them.
    boolean isNeeded = isBehind || spaceWaiters.isAnyoneWaiting();
    boolean moved = stable != lastStable || (!isBehind && batches != lastBatches);
    lastStable = stable;
    lastBatches = batches;
    if (flusher.hasEnded()) {
      stall = null; // the failure of the store has the reason
      return;
    }
    if (!isNeeded || moved) {
      over(now);
      sinceNanos = now;
      return;
    }
    waiters.alert();
    long lasting = now - sinceNanos;
    LogStall found = diagnose(lasting);
    // If no thread waits for a record, its force may start this much later.
    boolean mayRest = found.reason() == LogStall.Reason.FLUSHER;
    if (lasting >= warnAfterNanos + (mayRest ? restNanos : 0)) {
      stall = found;
      warn(found, lasting);
      warnAfterNanos = Math.min(2 * lasting, lasting + LONGEST_INTERVAL_NANOS);
    }
  }

  /**
   * Returns the present reason for the stall, which may differ from that of the last warning. Any
   * thread.
   */
  public LogStall diagnose() {
    LogStall known = stall;
    LogStall now = diagnose(0);
    return known == null
        ? now
        : new LogStall(
            known.since(), now.reason(), now.partition(), now.stableLsn(), now.newestLsn());
  }

  private LogStall diagnose(long lastingNanos) {
    long stable = commitWords.getLongVolatile(CommitWords.STABLE);
    long newest = commitWords.getLongAcquire(CommitWords.CLOCK);
    LogStall.Reason reason = flusher.waitsFor();
    OptionalInt partition = OptionalInt.empty();
    if (reason == LogStall.Reason.FLUSHER) {
      partition = holder(newest);
      reason = partition.isPresent() ? LogStall.Reason.COMMIT : reason;
    }
    Instant since =
        Instant.ofEpochMilli(execution.wallClockMillis()).minusNanos(Math.max(0, lastingNanos));
    return new LogStall(since, reason, partition, stable, newest);
  }

  /** Returns the partition whose commit delays the stable LSN, if there is one. */
  private OptionalInt holder(long newest) {
    long smallest = newest;
    OptionalInt partition = OptionalInt.empty();
    for (Ring ring : rings) {
      long inflight = ring.inflight();
      if (inflight < smallest) {
        smallest = inflight;
        partition = OptionalInt.of(ring.partition());
      }
    }
    return partition;
  }

  private void warn(LogStall stall, long lastingNanos) {
    record(stall, lastingNanos, false);
    programLog.say(
        System.Logger.Level.WARNING,
        () ->
            "for "
                + lastingNanos / 1_000_000_000
                + " s nothing has become durable in the store at "
                + target.describe()
                + ": "
                + stall.describe()
                + "; stable up to LSN "
                + stall.stableLsn()
                + " of "
                + stall.newestLsn()
                + "; commits that wait for durability keep waiting");
  }

  private void over(long now) {
    LogStall stall = this.stall;
    warnAfterNanos = WARNING_NANOS;
    if (stall == null) {
      return;
    }
    this.stall = null;
    long lasting = now - sinceNanos;
    record(stall, lasting, true);
    programLog.say(
        System.Logger.Level.INFO,
        () ->
            "after "
                + lasting / 1_000_000_000
                + " s, commits become durable again in the store at "
                + target.describe());
  }

  private static void record(LogStall stall, long lastingNanos, boolean over) {
    LogStallEvent event = FlightRecording.isOn() ? new LogStallEvent() : null;
    if (event != null && event.shouldCommit()) {
      event.reason = stall.reason().name();
      event.partition = stall.partition().orElse(-1);
      event.stableLsn = stall.stableLsn();
      event.newestLsn = stall.newestLsn();
      event.lastingNanos = lastingNanos;
      event.over = over;
      event.commit();
    }
  }

  /** Returns the present stall if a warning was given, or null. Any thread. */
  public @Nullable LogStall stall() {
    return stall;
  }

  /**
   * Returns for how long at least the oldest commit that is not stable has not been, in
   * nanoseconds; a commit younger than the interval of the checks counts as 0. Forces nothing. Any
   * thread.
   */
  public long oldestUnstableNanos() {
    return age.nanos(commitWords.getLongVolatile(CommitWords.STABLE), execution.nanoTime());
  }

  /** Ends the thread. */
  public void close() {
    thread.close();
  }
}
