package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Ring;
import io.howdah.log.commit.RingSet;
import io.howdah.log.report.LogStall;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * The thread that makes redo records durable: group commit for all partitions of one log set.
 *
 * <p>One round: read the clock, then every announcement, then every tail, all with acquire and in
 * this order; write what the tails cover; force; free the rings; raise the stable LSN to the
 * smallest of clock and announcements. Every LSN up to that is in a ring before the tails are read
 * (docs/protocol.md §1). An idle partition announces nothing, so it holds nothing back.
 *
 * <p>Rounds follow one another without pause while a thread waits, else at the group commit
 * interval. Threads that one force released together usually commit again together, so the flusher
 * waits for them as long as they keep arriving: a force costs as much for one commit as for a
 * thousand.
 */
public final class Flusher {

  private static final long BUSY_PARK_NANOS = 50_000;

  /** Park while the disk is full, which lasts seconds at least. */
  private static final long FULL_PARK_NANOS = 1_000_000;

  private static final long IDLE_AFTER_NANOS = 1_000_000_000;
  private static final long WATCH_NANOS = 1_000_000_000;

  /** Stop gathering after this long without a new waiter. */
  private static final long QUIET_NANOS = 30_000;

  /**
   * The same with many waiters, where each wake-up of the flusher takes a processor from a thread
   * that is about to commit.
   */
  private static final long MANY_QUIET_NANOS = 300_000;

  /** With this many waiters, a force takes less time than the waiters need to come back. */
  private static final long MANY = 256;

  private static final long MANY_LEFT_OUT = 6;
  private static final long FEW_LEFT_OUT = 16;

  private final Region words;
  private final RingSet ringSet;
  private final List<Ring> rings;
  private final BatchWriter batches;
  private final SegmentPreparer preparer;
  private final StabilityWaiters waiters;
  private final SpaceWaiters spaceWaiters;
  private final Doorbell doorbell;
  private final Execution execution;
  private final GroupCommit groupCommit;
  private final LogLimit limit;
  private final Runnable watch;
  private final Consumer<Throwable> onFailure;
  private final EngineThread thread;

  private final long[] tails;
  private final long[] forced;
  private final BooleanSupplier hasWork = this::hasWork;
  private final BooleanSupplier isUrgent = this::isUrgent;
  private final IntSupplier arrived;

  private long stable;
  private long lastWorkNanos;
  private long lastWatchNanos;
  private long batchCount;
  private long writtenBytes;
  private long recordBytes;
  private long rounds;
  private long forceNanos;

  /**
   * Number of waiters to expect: those that the last force released, and those that arrived during
   * it.
   */
  private long expected;

  /** Whether the last request came from a spinning thread, and from no other. */
  private boolean lastRequestSpun;

  private volatile LogStats stats = new LogStats(0, 0, 0, 0, 0, 1);

  /**
   * What the flusher waits for, as the stall detector reports it; {@link LogStall.Reason#FLUSHER}
   * if it waits for nothing.
   */
  private volatile LogStall.Reason waitsFor = LogStall.Reason.FLUSHER;

  public Flusher(
      Region words,
      RingSet ringSet,
      BatchWriter batches,
      SegmentPreparer preparer,
      StabilityWaiters waiters,
      SpaceWaiters spaceWaiters,
      Doorbell doorbell,
      Execution execution,
      GroupCommit groupCommit,
      LogLimit limit,
      Runnable watch,
      Consumer<Throwable> onFailure) {
    this.words = words;
    this.ringSet = ringSet;
    this.rings = ringSet.rings();
    this.batches = batches;
    this.preparer = preparer;
    this.waiters = waiters;
    this.arrived = waiters::arrived;
    this.spaceWaiters = spaceWaiters;
    this.doorbell = doorbell;
    this.execution = execution;
    this.groupCommit = groupCommit;
    this.limit = limit;
    this.watch = watch;
    this.onFailure = onFailure;
    this.thread = new EngineThread(execution, "howdah-flusher");
    this.tails = new long[rings.size()];
    this.forced = new long[rings.size()];
    this.stable = words.getLongVolatile(CommitWords.STABLE);
  }

  /** Starts the flusher's thread. */
  public void start() {
    thread.start(this::run);
  }

  private void run() {
    try {
      doorbell.flusherIs(Thread.currentThread());
      lastWorkNanos = execution.nanoTime();
      lastWatchNanos = lastWorkNanos;
      while (true) {
        boolean last = thread.isClosing();
        long started = execution.nanoTime();
        boolean progress = round();
        if (last && !isBehind()) {
          break;
        }
        if (!last) {
          watch(started);
          rest(started, progress);
          gather();
        }
      }
    } catch (Throwable t) {
      onFailure.accept(explained(t));
    } finally {
      releaseAll();
      limit.close();
      publishStats();
    }
  }

  private Throwable explained(Throwable thrown) {
    try {
      return ringSet.explained(thrown);
    } catch (Throwable again) {
      return thrown; // the waiters must learn of a failure, explained or not
    }
  }

  /** Releases all waiters. Repeats while memory is short, because no later round would. */
  private void releaseAll() {
    waiters.stop();
    waiters.publish(stable);
    while (waiters.hasKeptAny()) {
      execution.parkNanos(this, BUSY_PARK_NANOS);
      waiters.publish(stable);
    }
  }

  /**
   * Stops the store if its rings have vanished, because ASYNC commits would not survive a kill any
   * more, or if the periodic action finds another reason.
   */
  private void watch(long now) {
    if (now - lastWatchNanos >= WATCH_NANOS) {
      lastWatchNanos = now;
      watch.run();
      if (!ringSet.isReachable()) {
        throw new IllegalStateException(
            "the rings in "
                + ringSet.describe()
                + " were removed or replaced while the store was open; commits would no longer"
                + " survive a kill of the process");
      }
    }
  }

  /** Returns whether a published record is not forced yet; called with no commit under way. */
  private boolean isBehind() {
    for (int p = 0; p < forced.length; p++) {
      if (rings.get(p).tail() != forced[p]) {
        return true;
      }
    }
    return false;
  }

  /** Runs one round; returns whether it forced something or raised the stable LSN. */
  private boolean round() {
    rounds++;
    limit.check();
    long cut = readCut(words, rings, tails);
    boolean work = !Arrays.equals(tails, forced);
    if (work) {
      write(cut);
    }
    boolean raised = cut > stable;
    if (raised) {
      stable = cut;
    }
    int released = waiters.publish(stable);
    if (released != 0) {
      expected = released + waiters.count();
    }
    // Also if nothing was forced: a thread that enqueued itself just when space came free does
    // not wait any more, and its entry would keep the flusher from sleeping.
    spaceWaiters.wake();
    return work || raised;
  }

  /**
   * Reads clock, announcements and tails, in this order, and returns the cut: every LSN up to it is
   * published before {@code tails}.
   */
  static long readCut(Region words, List<Ring> rings, long[] tails) {
    long cut = words.getLongAcquire(CommitWords.CLOCK);
    for (Ring ring : rings) {
      cut = Math.min(cut, ring.inflight());
    }
    for (int p = 0; p < tails.length; p++) {
      tails[p] = rings.get(p).tail();
    }
    return cut;
  }

  /** Writes and forces everything up to {@code tails}, in one batch or more. */
  private void write(long cut) {
    // Tails were read before: every record they cover took its LSN before this clock.
    long lsnBound = words.getLongAcquire(CommitWords.CLOCK);
    boolean all;
    do {
      long started = execution.nanoTime();
      all = fill();
      // Only the last batch of a round raises the stable LSN.
      waitsFor = LogStall.Reason.FORCE;
      writtenBytes += batches.writeAndForce(all ? Math.max(cut, stable) : stable, stable, lsnBound);
      waitsFor = LogStall.Reason.FLUSHER;
      batchCount++;
      long took = execution.nanoTime() - started;
      forceNanos += (took - forceNanos) / 8;
      publishStats(); // before any waiter is released: it may read the number of forces
      for (int p = 0; p < forced.length; p++) {
        rings.get(p).free(forced[p]);
      }
      if (!all) {
        waiters.publish(stable); // some waiters need one partition only
      }
    } while (!all);
  }

  /**
   * Fills one batch, moving {@code forced} over what it holds; returns whether that was everything.
   */
  private boolean fill() {
    long bytes = 0;
    int sections = 0;
    for (int p = 0; p < tails.length; p++) {
      bytes += tails[p] - forced[p];
      sections += tails[p] != forced[p] ? 1 : 0;
    }
    if (!batches.isFirstOfSegment()
        && !batches.fitsSegment(BatchWriter.batchBytes(bytes, sections))) {
      batches.use(awaitSegment());
    }
    batches.begin();
    boolean all = true;
    boolean took = false;
    boolean first = batches.isFirstOfSegment();
    for (int p = 0; p < tails.length; p++) {
      if (tails[p] == forced[p] && !first) {
        continue;
      }
      Ring ring = rings.get(p);
      long end = tails[p];
      int roomBytes = batches.spaceForSection(first ? tails.length - p : 1);
      if (end - forced[p] > roomBytes) {
        end = lastRecordEnd(ring, forced[p], forced[p] + roomBytes);
        all = false;
      }
      if (end > forced[p] || first) {
        batches.section(ring, forced[p], end);
        recordBytes += end - forced[p];
        took |= end > forced[p];
        forced[p] = end;
      }
    }
    if (!all && !took) {
      // The next segment would be as short, its batch as empty, and so on until the disk is full.
      throw new IllegalStateException(
          "no log segment is long enough for the next redo record of a partition");
    }
    return all;
  }

  /** Returns the end of the last record that ends at or before {@code limit}. */
  static long lastRecordEnd(Ring ring, long from, long limit) {
    long end = from;
    while (true) {
      long head = ring.word(end);
      if (!RedoRecordLayout.isSaneHead(head)) {
        // A length of 0 would never end; the ring's memory is shared with the file system.
        throw new IllegalStateException(
            "no redo record starts at position "
                + end
                + " of the ring of partition "
                + ring.partition()
                + ": something else writes to the rings' files");
      }
      long next = end + RedoRecordLayout.length(head);
      if (next > limit) {
        return end;
      }
      end = next;
    }
  }

  private Segment awaitSegment() {
    while (true) {
      Segment segment = preparer.poll();
      if (segment != null) {
        spaceWaiters.setFileSystemFull(false);
        waitsFor = LogStall.Reason.FLUSHER;
        return segment;
      }
      Throwable failure = preparer.failure();
      if (failure != null) {
        throw new IllegalStateException("no further log segment could be prepared", failure);
      }
      waitsFor = preparer.isFull() ? LogStall.Reason.FILE_SYSTEM_FULL : LogStall.Reason.SEGMENT;
      if (preparer.isFull()) {
        spaceWaiters.setFileSystemFull(true);
        waiters.publish(stable); // releases all waiters if the log has stopped meanwhile
        if (thread.isClosing()) {
          throw new IllegalStateException(
              "the file system is full: what was committed last stays in the rings only");
        }
      }
      if (!thread.isClosing()) {
        watch(execution.nanoTime()); // the file system may stay full for hours
      }
      execution.parkNanos(this, preparer.isFull() ? FULL_PARK_NANOS : BUSY_PARK_NANOS);
    }
  }

  /** Waits until there is a reason for another round; always with a timeout (R3). */
  private void rest(long roundStarted, boolean progress) {
    long now = execution.nanoTime();
    if (progress) {
      lastWorkNanos = now;
    }
    if (isWanted()) {
      if (!progress) {
        // The commit that keeps the stable LSN back is preempted: let it run.
        execution.parkNanos(this, BUSY_PARK_NANOS);
      }
      return;
    }
    long interval =
        now - lastWorkNanos > IDLE_AFTER_NANOS
            ? groupCommit.idleIntervalNanos()
            : groupCommit.intervalNanos();
    long deadline = roundStarted + interval;
    if (progress && spinForRequest(now + Math.min(groupCommit.spinNanos(), interval))) {
      return;
    }
    doorbell.sleepUntil(deadline, hasWork);
  }

  /**
   * Waits until most of the threads that the last force released are back: all but one in sixteen,
   * or with many waiters all but one in six. The missing ones use the processors during the force,
   * which would otherwise be idle.
   */
  private void gather() {
    boolean many = expected >= MANY;
    long target = expected - expected / (many ? MANY_LEFT_OUT : FEW_LEFT_OUT);
    if (target < 2 || !isWanted()) {
      return;
    }
    long standing = waiters.count() - waiters.arrived();
    long deadline = execution.nanoTime() + groupCommit.intervalNanos();
    doorbell.gather(
        target - standing, arrived, deadline, many ? MANY_QUIET_NANOS : QUIET_NANOS, isUrgent);
    expected = waiters.count();
  }

  private boolean hasWork() {
    return isWanted() || isUrgent();
  }

  private boolean isUrgent() {
    return thread.isClosing() || spaceWaiters.isAnyoneWaiting();
  }

  /**
   * Spins for the next request of a thread that has just spun for this force, if no other thread
   * waits.
   */
  private boolean spinForRequest(long deadline) {
    if (groupCommit.spinNanos() == 0 || !lastRequestSpun || waiters.isAnyoneParked()) {
      return false;
    }
    do {
      for (int i = 0; i < 32; i++) {
        if (isWanted()) {
          return true;
        }
        execution.spinWait();
      }
    } while (execution.nanoTime() - deadline < 0 && !thread.isClosing());
    return false;
  }

  private boolean isWanted() {
    boolean wanted = waiters.isAnyoneParked() || words.getLongVolatile(CommitWords.WANTED) > stable;
    if (wanted) {
      lastRequestSpun = words.getLongOpaque(CommitWords.SPINNER) == 1;
    }
    return wanted;
  }

  private void publishStats() {
    stats =
        new LogStats(
            batchCount, writtenBytes, recordBytes, rounds, forceNanos, batches.segmentsUsed());
  }

  public LogStats stats() {
    return stats;
  }

  /** Returns what the flusher waits for. Any thread. */
  LogStall.Reason waitsFor() {
    return waitsFor;
  }

  /** Returns whether nothing more is forced. Any thread. */
  boolean hasEnded() {
    return thread.hasEnded();
  }

  /**
   * Returns whether all that was published has been handed to a force; called after the flusher
   * {@linkplain #hasEnded has ended}. It says nothing about a force that failed, which the caller
   * asks for first.
   */
  public boolean hasForcedAll() {
    return !isBehind();
  }

  /** Forces what is published and ends; called with no commit under way. */
  public void close() {
    thread.close();
  }
}
