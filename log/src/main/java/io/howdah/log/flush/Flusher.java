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
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread that makes redo records durable: group commit for all partitions of one log. It reads
 * what {@link io.howdah.log.commit.Lane}s publish in their rings, writes it with {@link
 * BatchWriter}, and releases the threads in {@link StabilityWaiters} and {@link SpaceWaiters}.
 *
 * <p>A round has these steps: read the clock, then every announcement, then every tail, all with
 * acquire and in this order; write all records up to the tails; force; free the rings; raise the
 * stable LSN to the minimum of the clock and all announcements. The records of all LSNs up to that
 * minimum are in the rings before the tails are read (docs/protocol.md §1). An idle partition has
 * no announcement, so it does not delay the stable LSN.
 *
 * <p>While a thread waits, rounds follow without pause; otherwise one starts in each group commit
 * interval. Threads that one force has released usually commit again at the same time. The flusher
 * waits for them while they keep arriving, since a force costs as much for one commit as for a
 * thousand.
 */
public final class Flusher implements Runnable {

  private static final long BUSY_PARK_NANOS = 50_000;

  private static final long CHECK_NANOS = 1_000_000_000;

  /** Maximum time of gathering without a new waiter. */
  private static final long QUIET_NANOS = 30_000;

  /**
   * The same maximum with many waiters. Each wake-up of the flusher takes a processor from a thread
   * that will commit, so it is longer.
   */
  private static final long MANY_QUIET_NANOS = 300_000;

  /** With this number of waiters, a force takes less time than the waiters need to commit again. */
  private static final long MANY = 256;

  private static final long MANY_LEFT_OUT = 6;
  private static final long FEW_LEFT_OUT = 16;

  private final Region commitWords;
  private final RingSet ringSet;
  private final List<Ring> rings;
  private final BatchWriter batches;
  private final BatchTarget target;
  private final StabilityWaiters waiters;
  private final SpaceWaiters spaceWaiters;
  private final Doorbell doorbell;
  private final Execution execution;
  private final GroupCommit groupCommit;
  private final LogLimit limit;
  private final Runnable periodicAction;
  private final Consumer<Throwable> onFailure;
  private final EngineThread thread;

  /**
   * For each partition, the end of its published records, as the last round has read it: a position
   * in the ring, in bytes.
   */
  private final long[] tails;

  /**
   * For each partition, the end of the records that are in a batch. {@link #fill} advances it
   * before the batch is written and forced; {@link #write} passes it to {@link Ring#publishForced}
   * after the force.
   */
  private final long[] batched;

  private final BatchTarget.Waiting waiting = new WhileTargetWaits();
  private final BooleanSupplier hasWork = new HasWork();
  private final BooleanSupplier isUrgent = new IsUrgent();
  private final IntSupplier arrived = new Arrived();

  /** The stable LSN, dense: raised after the force, before it is published to the waiters. */
  private long stable;

  private long lastWorkNanos;
  private long lastCheckNanos;
  private long batchCount;
  private long writtenBytes;
  private long recordBytes;
  private long rounds;
  private long forceNanos;

  /**
   * Expected number of waiters: those that the last force released, and those that arrived during
   * that force; after the next gathering, those that wait.
   */
  private long expected;

  /** Whether the last request came only from a spinning thread. */
  private boolean lastRequestSpun;

  private volatile @Nullable LongConsumer forceListener;
  private volatile LogStats stats = new LogStats(0, 0, 0, 0, 0, 1);

  /**
   * The reason of the flusher's present wait, for the stall detector; {@link
   * LogStall.Reason#FLUSHER} if it does not wait.
   */
  private volatile LogStall.Reason waitsFor = LogStall.Reason.FLUSHER;

  public Flusher(
      Region commitWords,
      RingSet ringSet,
      BatchWriter batches,
      BatchTarget target,
      StabilityWaiters waiters,
      SpaceWaiters spaceWaiters,
      Doorbell doorbell,
      Execution execution,
      GroupCommit groupCommit,
      LogLimit limit,
      Runnable periodicAction,
      Consumer<Throwable> onFailure) {
    this.commitWords = commitWords;
    this.ringSet = ringSet;
    this.rings = ringSet.rings();
    this.batches = batches;
    this.target = target;
    this.waiters = waiters;
    this.spaceWaiters = spaceWaiters;
    this.doorbell = doorbell;
    this.execution = execution;
    this.groupCommit = groupCommit;
    this.limit = limit;
    this.periodicAction = periodicAction;
    this.onFailure = onFailure;
    this.thread = new EngineThread(execution, "howdah-flusher");
    this.tails = new long[rings.size()];
    this.batched = new long[rings.size()];
    this.stable = commitWords.getLongVolatile(CommitWords.STABLE);
  }

  /** Starts the flusher's thread. */
  public void start() {
    thread.start(this);
  }

  /** The body of the thread. */
  @Override
  public void run() {
    try {
      doorbell.flusherIs(Thread.currentThread());
      lastWorkNanos = execution.nanoTime();
      lastCheckNanos = lastWorkNanos;
      while (true) {
        boolean last = thread.isClosing();
        long started = execution.nanoTime();
        boolean progress = round();
        if (last && !isBehind()) {
          break;
        }
        if (!last) {
          checkPeriodically(started);
          rest(started, progress);
          gather();
        }
      }
    } catch (Throwable t) {
      onFailure.accept(t);
    } finally {
      releaseAll();
      limit.close();
      publishStats();
    }
  }

  /** Releases all waiters. Repeats while memory is short, because no further round follows. */
  private void releaseAll() {
    waiters.stop();
    waiters.publishStable(stable);
    while (waiters.hasUnreleased()) {
      execution.parkNanos(this, BUSY_PARK_NANOS);
      waiters.publishStable(stable);
    }
  }

  /**
   * Stops the store if the files of its rings no longer exist, because ASYNC commits would not
   * survive a kill, or if the periodic action throws.
   */
  private void checkPeriodically(long now) {
    if (now - lastCheckNanos >= CHECK_NANOS) {
      lastCheckNanos = now;
      periodicAction.run();
      if (!ringSet.isReachable()) {
        throw new IllegalStateException(
            "the rings in "
                + ringSet.describe()
                + " were removed or replaced while the store was open; commits would not survive"
                + " a kill of the process");
      }
    }
  }

  /** Returns whether a published record is in no batch yet; called while no commit runs. */
  private boolean isBehind() {
    for (int p = 0; p < batched.length; p++) {
      if (rings.get(p).tail() != batched[p]) {
        return true;
      }
    }
    return false;
  }

  /** Runs one round; returns whether it forced a batch or raised the stable LSN. */
  private boolean round() {
    rounds++;
    limit.check();
    long cut = readCut(commitWords, rings, tails);
    target.limit(rings, batched, tails, cut);
    boolean work = !Arrays.equals(tails, batched);
    if (work) {
      write(cut);
    }
    boolean raised = cut > stable;
    if (raised) {
      stable = cut;
    }
    int released = waiters.publishStable(stable);
    if (released != 0) {
      expected = released + waiters.count();
    }
    // Also if nothing was forced: a thread may have enqueued itself when space became free and
    // no longer wait. Its entry would keep the flusher from sleeping.
    spaceWaiters.wake();
    return work || raised;
  }

  /**
   * Reads the clock, the announcements and the tails, in this order, with acquire. Returns the cut:
   * all records with LSNs up to the cut are published before {@code tails}. The cut may be below
   * the stable LSN, since a lane announces an earlier value of the clock. The loads pair with
   * {@link Ring#announce}, the fetch-and-add in Lane.takeLsn, {@link Ring#publish} and {@link
   * Ring#withdraw}, in the order in which a commit executes them.
   */
  static long readCut(Region commitWords, List<Ring> rings, long[] tails) {
    long cut = commitWords.getLongAcquire(CommitWords.CLOCK);
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
    // The tails were read before this load, so no record up to them has a larger LSN.
    long maxLsn = commitWords.getLongAcquire(CommitWords.CLOCK);
    boolean all;
    do {
      long started = execution.nanoTime();
      all = fill();
      // Only the last batch of a round has all records up to the cut. The stable LSN holds anyway,
      // also if the cut is below it.
      long batchCut = all ? Math.max(cut, stable) : stable;
      waitsFor = target.waitsFor();
      writtenBytes += batches.write(batchCut, stable, maxLsn, waiting);
      waitsFor = LogStall.Reason.FLUSHER;
      batchCount++;
      long took = execution.nanoTime() - started;
      forceNanos += (took - forceNanos) / 8;
      LongConsumer told = forceListener;
      if (told != null) {
        told.accept(took);
      }
      publishStats(); // before a waiter is released, which may read the number of forces
      for (int p = 0; p < batched.length; p++) {
        // Frees the space. Waits for PARTITION test this position, too.
        rings.get(p).publishForced(batched[p]);
      }
      if (!all) {
        waiters.publishStable(stable); // some waiters need only one partition
      }
    } while (!all);
  }

  /**
   * Fills one batch and advances {@code batched} to its end, before the batch is forced; returns
   * whether no records remain.
   */
  private boolean fill() {
    long bytes = 0;
    int sections = 0;
    for (int p = 0; p < tails.length; p++) {
      bytes += tails[p] - batched[p];
      sections += tails[p] != batched[p] ? 1 : 0;
    }
    batches.prepare(bytes, sections, waiting);
    batches.begin();
    boolean all = true;
    boolean took = false;
    boolean first = target.needsAllSections();
    for (int p = 0; p < tails.length; p++) {
      if (tails[p] == batched[p] && !first) {
        continue;
      }
      Ring ring = rings.get(p);
      long end = tails[p];
      int roomBytes = batches.spaceForSection(first ? tails.length - p : 1);
      if (end - batched[p] > roomBytes) {
        end = lastRecordEnd(ring, batched[p], batched[p] + roomBytes);
        all = false;
      }
      if (end > batched[p] || first) {
        batches.section(ring, batched[p], end);
        recordBytes += end - batched[p];
        took |= end > batched[p];
        batched[p] = end;
      }
    }
    if (!all && !took) {
      // The next segments would have the same length and empty batches, until the disk is full.
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
        // A length of 0 would cause an endless loop. Other processes can change a ring's file.
        throw new IllegalStateException(
            "no redo record starts at position "
                + end
                + " of the ring of partition "
                + ring.partition()
                + ": another program writes to the rings' files");
      }
      long next = end + RedoRecordLayout.length(head);
      if (next > limit) {
        return end;
      }
      end = next;
    }
  }

  /** What the flusher does for others while its target waits. */
  private final class WhileTargetWaits implements BatchTarget.Waiting {

    @Override
    public void waitsFor(LogStall.Reason reason) {
      waitsFor = reason;
      if (reason == LogStall.Reason.FILE_SYSTEM_FULL) {
        spaceWaiters.setFileSystemFull(true);
        waiters.publishStable(
            stable); // releases all waiters if the log has stopped in the meantime
      } else if (reason == LogStall.Reason.FLUSHER) {
        spaceWaiters.setFileSystemFull(false);
      }
    }

    @Override
    public void watch() {
      if (!thread.isClosing()) {
        checkPeriodically(execution.nanoTime());
      }
    }

    @Override
    public boolean isClosing() {
      return thread.isClosing();
    }
  }

  /** Waits until there is a reason for another round, always with a timeout (R3). */
  private void rest(long roundStarted, boolean progress) {
    long now = execution.nanoTime();
    if (progress) {
      lastWorkNanos = now;
    }
    if (noteRequest()) {
      if (!progress) {
        // The commit that delays the stable LSN is preempted. The park lets it run.
        execution.parkNanos(this, BUSY_PARK_NANOS);
      }
      return;
    }
    long interval = groupCommit.intervalNanos(now - lastWorkNanos);
    long deadline = roundStarted + interval;
    if (progress && spinForRequest(now + Math.min(groupCommit.spinNanos(), interval))) {
      return;
    }
    doorbell.sleepUntil(deadline, hasWork);
  }

  /**
   * Waits until most of the threads that the last force released wait again: all but one in
   * sixteen, or, with many waiters, all but one in six. The remaining threads use the processors
   * during the force, which would otherwise be idle.
   */
  private void gather() {
    boolean many = expected >= MANY;
    long target = expected - expected / (many ? MANY_LEFT_OUT : FEW_LEFT_OUT);
    if (target < 2 || !noteRequest()) {
      return;
    }
    long alreadyWaiting = waiters.count() - waiters.arrived();
    long deadline = execution.nanoTime() + groupCommit.intervalNanos();
    doorbell.gather(
        target - alreadyWaiting,
        arrived,
        deadline,
        many ? MANY_QUIET_NANOS : QUIET_NANOS,
        isUrgent);
    // The force may release none of them, for instance if it covers older records. They still wait
    // then, and the next round need not gather them again.
    expected = waiters.count();
  }

  private final class HasWork implements BooleanSupplier {
    @Override
    public boolean getAsBoolean() {
      return noteRequest() || isUrgent();
    }
  }

  private final class IsUrgent implements BooleanSupplier {
    @Override
    public boolean getAsBoolean() {
      return isUrgent();
    }
  }

  private final class Arrived implements IntSupplier {
    @Override
    public int getAsInt() {
      return waiters.arrived();
    }
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
        if (noteRequest()) {
          return true;
        }
        execution.spinWait();
      }
    } while (execution.nanoTime() - deadline < 0 && !thread.isClosing());
    return false;
  }

  /**
   * Returns whether a thread has requested a force. If so, notes whether a spinning thread
   * requested it.
   */
  private boolean noteRequest() {
    boolean requested =
        waiters.isAnyoneParked() || commitWords.getLongVolatile(CommitWords.REQUESTED) > stable;
    if (requested) {
      lastRequestSpun = commitWords.getLongOpaque(CommitWords.SPINNER) == 1;
    }
    return requested;
  }

  private void publishStats() {
    stats =
        new LogStats(
            batchCount, writtenBytes, recordBytes, rounds, forceNanos, target.segmentsUsed());
  }

  public LogStats stats() {
    return stats;
  }

  /**
   * Sets what is called, on the flusher's thread, with the time in nanoseconds that the write and
   * force of a batch took. It must not throw.
   */
  public void whenForced(LongConsumer listener) {
    forceListener = listener;
  }

  /** Returns the reason of the flusher's present wait. Any thread. */
  LogStall.Reason waitsFor() {
    return waitsFor;
  }

  /** Returns whether the flusher has ended and forces no more batches. Any thread. */
  boolean hasEnded() {
    return thread.hasEnded();
  }

  /**
   * Returns whether all published records are in batches. Called after the flusher {@linkplain
   * #hasEnded has ended}: then each batch is forced, unless a write or a force has failed. The
   * result does not report that failure, which the caller must test before.
   */
  public boolean hasForcedAll() {
    return !isBehind();
  }

  /** Forces all published records and ends; called while no commit runs. */
  public void close() {
    thread.close();
  }
}
