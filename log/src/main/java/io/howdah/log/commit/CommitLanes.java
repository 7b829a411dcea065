package io.howdah.log.commit;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.engine.NoAction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a store, its clock, and the gate of irrevocable transactions. A commit leases a lane
 * here ({@link #lease}) and waits here for whatever it has to wait for: a free lane, ring space,
 * the append lock, an open gate. The number of lanes is fixed, at most {@link Lsn#MAX_PARTITIONS};
 * any number of threads, virtual threads included, share them. Thread-safe.
 */
public final class CommitLanes {

  /** LSNs below the maximum that are not used, so that each lane may exceed the limit by one. */
  private static final long RESERVED_LSNS = 1 << 16;

  /** The gate's value while commits are blocked; no transaction has this ticket. */
  private static final long BLOCKED_TICKET = -1;

  private static final int SPINS = 50;

  /**
   * Number of spins in which a commit with orecs locked tries to acquire an append lock. A thread
   * that is not preempted has it for about 0.1 microseconds.
   */
  private static final int APPEND_SPINS = 100;

  private static final int YIELDS = 10;
  private static final long FIRST_PARK_NANOS = 20_000;
  private static final long LONGEST_PARK_NANOS = 1_000_000;

  /** Number of tries between two runs of the watch: about half a second, since most park. */
  private static final int TRIES_PER_CHECK = 512;

  private final Region commitWords;
  private final List<Lane> lanes;
  private final Execution execution;
  private final LogSpace space;

  /** Checks whether a wait can succeed; see {@link #whenWaitIsLong}. */
  private volatile Runnable longWaitAction = NoAction.NONE;

  public CommitLanes(Region commitWords, List<Lane> lanes, Execution execution, LogSpace space) {
    this.commitWords = commitWords;
    this.lanes = List.copyOf(lanes);
    this.execution = execution;
    this.space = space;
  }

  /**
   * Returns lanes without logs, for a volatile store and for measurements of the cost of
   * durability.
   *
   * @param commitWords zeroed, at least {@link #wordsLengthBytes} long
   * @param failIfStopped throws if the log accepts no more commits; called in every wait
   */
  public static CommitLanes unlogged(
      Region commitWords, int count, Execution execution, Runnable failIfStopped) {
    return unlogged(commitWords, count, 0, execution, failIfStopped);
  }

  /**
   * Returns lanes without logs, for a store that continues after an LSN.
   *
   * @param lsn the largest dense LSN taken before
   */
  public static CommitLanes unlogged(
      Region commitWords, int count, long lsn, Execution execution, Runnable failIfStopped) {
    CommitWords.start(commitWords, lsn);
    List<Lane> lanes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      lanes.add(new Lane(commitWords, i, null, 0));
    }
    return new CommitLanes(commitWords, lanes, execution, LogSpace.unlimited(failIfStopped));
  }

  /**
   * Returns the lanes of a log. A partition has several lanes (R33) if the number of partitions is
   * at most half of the requested number of lanes, of which at most {@code
   * CommitWords.MAX_SHARING_LANES} count. Otherwise each partition has one lane. The first lanes
   * have the numbers of their partitions.
   *
   * @param requested number of lanes to create if the partitions are fewer
   */
  public static List<Lane> lanesOf(
      Region commitWords, RingSet rings, LogStart start, int requested) {
    return lanesOf(commitWords, rings, start, requested, null);
  }

  /**
   * Returns the lanes of a log, of a store whose memory may outlive the process.
   *
   * @param applying the words of the lanes, or null if the memory ends with the process
   */
  public static List<Lane> lanesOf(
      Region commitWords,
      RingSet rings,
      LogStart start,
      int requested,
      @Nullable ApplyingWords applying) {
    int partitions = rings.partitions();
    int each = Math.min(requested, CommitWords.MAX_SHARING_LANES) / partitions;
    List<Lane> lanes = new ArrayList<>(Collections.nCopies(partitions * Math.max(each, 1), null));
    for (Ring ring : rings.rings()) {
      int partition = ring.partition();
      long logSeed = start.logSeed(partition);
      if (each <= 1) {
        lanes.set(partition, new Lane(commitWords, partition, ring, logSeed, applying));
        continue;
      }
      int[] numbers = new int[each];
      for (int i = 0; i < each; i++) {
        numbers[i] = partition + i * partitions;
      }
      for (Lane lane : Lane.sharing(commitWords, ring, logSeed, applying, numbers)) {
        lanes.set(lane.index(), lane);
      }
    }
    return lanes;
  }

  /** Returns the number of bytes of the shared words of {@code partitions} partitions. */
  public static long wordsLengthBytes(int partitions) {
    return CommitWords.lengthBytes(partitions);
  }

  /** Returns the number of lanes. */
  public int count() {
    return lanes.size();
  }

  /** Returns the number of partitions. Each has the same number of lanes. */
  public int partitions() {
    return lanes.getLast().partition() + 1;
  }

  /**
   * Returns the largest dense LSN taken. {@link Lane#takeLsn} advances it. An acquire load, which
   * pairs with the fetch-and-add there: later reads of this thread see the orec locks of the commit
   * with this LSN.
   */
  public long clock() {
    return commitWords.getLongAcquire(CommitWords.CLOCK);
  }

  /**
   * Returns the largest dense LSN known to survive a power cut. In a volatile store it stays 0,
   * although there everything counts as durable ({@code DurabilityWaits.stableLsn}).
   */
  public long stable() {
    return commitWords.getLongAcquire(CommitWords.STABLE);
  }

  /** Returns whether commits leave redo records; false in a volatile store. */
  public boolean isLogged() {
    return lanes.getFirst().isLogged();
  }

  /**
   * Returns a lane by its number, leased or not. The lanes with the numbers below {@link
   * #partitions} have the numbers of their partitions.
   */
  public Lane lane(int index) {
    return lanes.get(index);
  }

  // ---- Leases.

  /**
   * Leases a lane with ring space for a record: the home lane if it is free, otherwise another one.
   * Waits while all lanes are leased, while an irrevocable transaction runs, while all rings are
   * full, or while commits are blocked. During the wait the caller has no lane.
   *
   * @param owner identifies the caller: no two threads lease with the same number at the same time.
   *     It selects the home lane, so a caller should always pass the same number, for locality
   * @param recordBytes length of the record
   * @param ticket the caller's ticket if it is inside the gate, otherwise 0
   * @param deadline the deadline of the wait, which throws its own exception
   * @throws StoreFailedException if the log stopped
   * @throws io.howdah.core.LogFullException if the log cannot grow: the file system is full, or the
   *     log is at its limit
   */
  public Lane lease(int owner, long recordBytes, long ticket, Deadline deadline) {
    return lease(owner, recordBytes, ticket, false, deadline);
  }

  /** Leases a lane without a deadline. */
  public Lane lease(int owner, long recordBytes, long ticket) {
    return lease(owner, recordBytes, ticket, Deadline.NONE);
  }

  /**
   * Leases a lane like {@link #lease(int, long, long, Deadline)}, but only one whose append lock is
   * free. For a commit whose {@link #spinForAppendLock} has failed, and for a multipart commit.
   */
  public Lane leaseWithFreeAppendLock(int owner, long recordBytes, long ticket, Deadline deadline) {
    return lease(owner, recordBytes, ticket, true, deadline);
  }

  /**
   * Leases a lane like {@link #lease}, without waiting.
   *
   * @return null if it would have to wait
   */
  public @Nullable Lane leaseAtOnce(int owner, long recordBytes) {
    space.failIfStopped();
    Lane lane = isBlocked() ? null : tryLease(owner, recordBytes, 0, false);
    return lane == null ? null : requireLsnsLeft(lane);
  }

  private Lane lease(
      int owner, long recordBytes, long ticket, boolean needsAppendLock, Deadline deadline) {
    for (int tries = 0; ; tries++) {
      space.failIfStopped();
      // The gate does not stop the irrevocable transaction inside it, so that one checks here
      // whether commits are blocked.
      Lane lane =
          ticket != 0 && isBlocked() ? null : tryLease(owner, recordBytes, ticket, needsAppendLock);
      if (lane != null) {
        return requireLsnsLeft(lane);
      }
      if (isBlocked()) {
        space.awaitTrim(() -> !isBlocked(), deadline);
      } else if (isHomeRingFull(owner, recordBytes) && !anyHasSpace(owner, recordBytes)) {
        // The second condition implies the first, which is there because it reads one ring.
        space.await(() -> anyHasSpace(owner, recordBytes), deadline);
      } else {
        // All lanes with space are leased, or their append locks are locked, or the gate is closed.
        pause(tries, deadline);
      }
    }
  }

  /**
   * Leases a lane with space, starting with the home lane.
   *
   * @param needsAppendLock whether to skip lanes whose append lock is locked
   * @return null if there is no such lane, or if the gate is closed
   */
  private @Nullable Lane tryLease(
      int owner, long recordBytes, long ticket, boolean needsAppendLock) {
    if (isClosedTo(ticket)) {
      // Checked before a lease. Threads that leased lanes only to check the gate could keep the
      // irrevocable transaction from getting a lane for ever.
      return null;
    }
    int n = lanes.size();
    // The mask avoids a division, which takes as long as all other instructions of a lease.
    int first = (n & (n - 1)) == 0 ? owner & (n - 1) : Math.floorMod(owner, n);
    for (int i = 0; i < n; i++) {
      int index = first + i;
      Lane lane = lanes.get(index < n ? index : index - n);
      if (!lane.tryLease(leaseWord(owner))) {
        continue;
      }
      boolean isKept = false;
      try {
        // Dekker: a commit leases its lane by a volatile CAS, then loads the gate, volatile, here.
        // enterGate sets the gate by a volatile CAS, then loads all leases, volatile. So either
        // this commit sees the gate closed, or the irrevocable transaction sees the lease and
        // waits.
        if (isClosedTo(ticket)) {
          return null;
        }
        // Reading the append lock would move its cache line, so a commit's first lease does not.
        if (lane.hasSpace(recordBytes) && !(needsAppendLock && lane.isAppendLocked())) {
          isKept = true;
          return lane;
        }
      } finally {
        if (!isKept) {
          lane.endLease();
        }
      }
    }
    return null;
  }

  /** Returns the lane, or ends its lease and throws if no LSNs are left. */
  private static Lane requireLsnsLeft(Lane lane) {
    // Compares the lane's own last LSN. Reading the clock would move its cache line between
    // processors. Each lane exceeds the limit by at most one LSN.
    if (lane.lastLsn() >= Lsn.MAX - RESERVED_LSNS) {
      lane.endLease();
      throw new StoreFailedException(
          "the store has used all "
              + Lsn.MAX
              + " LSNs of its format; copy its data to a new store");
    }
    return lane;
  }

  private boolean isHomeRingFull(int owner, long recordBytes) {
    return !hasSpace(lanes.get(Math.floorMod(owner, lanes.size())), recordBytes);
  }

  private boolean anyHasSpace(int owner, long recordBytes) {
    for (int i = 0; i < lanes.size(); i++) {
      if (hasSpace(lanes.get(Math.floorMod(owner + i, lanes.size())), recordBytes)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a ring has space. Reads only published words, which any thread may do: {@link
   * #lease} calls it without a lease, {@link #awaitSpace} with one.
   */
  private static boolean hasSpace(Lane lane, long recordBytes) {
    Ring ring = lane.ring();
    return ring == null
        || ring.tail() + recordBytes - ring.capacityBytes() <= ring.forcedPosition();
  }

  /** Returns the lane that an owner has leased, or null. */
  public @Nullable Lane leasedBy(int owner) {
    for (Lane lane : lanes) {
      if (lane.leaseWord() == leaseWord(owner)) {
        return lane;
      }
    }
    return null;
  }

  /** Returns the owner of a lane's lease, as an unsigned int, or -1 if the lane is free. */
  public long ownerOf(int lane) {
    return lanes.get(lane).leaseWord() - 1;
  }

  private static long leaseWord(int owner) {
    return Integer.toUnsignedLong(owner) + 1;
  }

  // ---- The append lock, and space for parts.

  /**
   * Acquires the append lock for a leased lane that shares its partition (R33), unless the ring has
   * no space. It spins for a short time only, since the caller has locked orecs, or other threads
   * wait for the lane.
   *
   * @param recordBytes the required space; 0 if the caller waits for space afterwards
   * @return false if the lock stays locked, or if the ring has no space for the record; then the
   *     caller unlocks its orecs, ends the lease, and calls {@link #leaseWithFreeAppendLock}
   */
  public boolean spinForAppendLock(Lane lane, long recordBytes) {
    for (int i = 0; i < APPEND_SPINS; ) {
      if (lane.tryAppendLock()) {
        if (lane.hasSpace(recordBytes)) {
          return true;
        }
        lane.releaseAppendLockIfHeld();
        return false;
      }
      do {
        execution.spinWait();
        i++;
      } while (i < APPEND_SPINS && lane.isAppendLocked());
    }
    return false;
  }

  /**
   * Waits until the ring of a leased lane has space for a part of a large transaction. The caller
   * must have no orec locked and nothing announced (R5).
   *
   * @param deadline the deadline of the wait, which throws its own exception
   */
  public void awaitSpace(Lane lane, long recordBytes, Deadline deadline) {
    while (!lane.hasSpace(recordBytes)) {
      space.await(() -> hasSpace(lane, recordBytes), deadline);
    }
  }

  // ---- The gate, and blocked commits.

  /**
   * Closes the gate to all commits without this ticket, and waits until running commits have ended.
   * After that, no commit can invalidate the caller's reads.
   *
   * @param ticket not 0, and different from all other tickets in use
   * @param deadline the deadline of the wait, which throws its own exception; the gate is unchanged
   *     then
   */
  public void enterGate(long ticket, Deadline deadline) {
    // Also while commits are blocked: a read-only transaction does not wait for a checkpoint.
    for (int tries = 0;
        !commitWords.compareAndSetLong(CommitWords.GATE, 0, ticket)
            && !commitWords.compareAndSetLong(CommitWords.GATE, BLOCKED_TICKET, ticket);
        tries++) {
      space.failIfStopped();
      pause(tries, deadline);
    }
    boolean entered = false;
    try {
      for (Lane lane : lanes) {
        for (int tries = 0; lane.isLeased(); tries++) {
          space.failIfStopped();
          pause(tries, deadline);
        }
      }
      entered = true;
    } finally {
      if (!entered) {
        leaveGate();
      }
    }
  }

  /** Closes the gate without a deadline. */
  public void enterGate(long ticket) {
    enterGate(ticket, Deadline.NONE);
  }

  /** Returns whether the gate has a ticket. A volatile load. */
  public boolean hasGate(long ticket) {
    return commitWords.getLongVolatile(CommitWords.GATE) == ticket;
  }

  /** Opens the gate, or closes it to all transactions if commits are blocked. */
  public void leaveGate() {
    commitWords.setLongRelease(CommitWords.GATE, isBlocked() ? BLOCKED_TICKET : 0);
  }

  /** Opens the gate if it still has this ticket. For use after an error in {@link #leaveGate}. */
  public void leaveGateIfHeld(long ticket) {
    commitWords.compareAndSetLong(CommitWords.GATE, ticket, isBlocked() ? BLOCKED_TICKET : 0);
  }

  private boolean isClosedTo(long ticket) {
    long gate = commitWords.getLongVolatile(CommitWords.GATE);
    return gate != 0 && gate != ticket;
  }

  /** Returns whether commits are blocked, because the log is at its maximum length. */
  public boolean isBlocked() {
    return commitWords.getLongVolatile(CommitWords.BLOCKED) != 0;
  }

  /**
   * Blocks commits, or unblocks them, by means of the gate. Commits that have a lane continue. The
   * flusher calls this method in every round. A single call would not suffice: an irrevocable
   * transaction inside the gate stays there, and when it leaves it may set the gate according to
   * the former state.
   */
  public void block(boolean blocked) {
    if (blocked != isBlocked()) {
      commitWords.setLongVolatile(CommitWords.BLOCKED, blocked ? 1 : 0);
    }
    long gate = commitWords.getLongVolatile(CommitWords.GATE);
    if (gate == (blocked ? 0 : BLOCKED_TICKET)) {
      commitWords.compareAndSetLong(CommitWords.GATE, gate, blocked ? BLOCKED_TICKET : 0);
    }
  }

  // ---- Waits for running commits.

  /**
   * Returns whether every commit with an LSN up to {@code lsn} has ended. If so, the stores of all
   * these commits are visible to the caller.
   *
   * @param lsn a value that a read-modify-write of the clock has returned
   */
  public boolean haveCommitsEnded(long lsn) {
    for (Lane lane : lanes) {
      if (!lane.haveCommitsEnded(lsn)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Waits until no lane is leased. The caller has ensured that a commit that leases a lane from now
   * on returns it without committing.
   *
   * @return whether all lanes were free before the timeout
   */
  public boolean awaitIdle(long timeoutNanos) {
    long deadline = execution.nanoTime() + timeoutNanos;
    for (Lane lane : lanes) {
      for (int tries = 0; lane.isLeased(); tries++) {
        if (execution.nanoTime() - deadline >= 0) {
          return false;
        }
        pause(tries, Deadline.NONE);
      }
    }
    return true;
  }

  /** Returns whether no lane is leased at present. */
  public boolean isIdle() {
    for (Lane lane : lanes) {
      if (lane.isLeased()) {
        return false;
      }
    }
    return true;
  }

  // ---- Long waits, and errors.

  /**
   * Sets an action that a thread in a long wait runs about twice a second: it checks whether the
   * wait can still succeed.
   */
  public void whenWaitIsLong(Runnable action) {
    this.longWaitAction = action;
  }

  /** Runs the action set by {@link #whenWaitIsLong}. */
  public void runLongWaitAction() {
    longWaitAction.run();
  }

  /**
   * Waits briefly: spins, then yields, then parks for up to a millisecond.
   *
   * @param tries number of tries of the caller before this one
   */
  private void pause(int tries, Deadline deadline) {
    if (tries < SPINS) {
      execution.spinWait();
      return;
    }
    deadline.failIfOver();
    if (tries % TRIES_PER_CHECK == TRIES_PER_CHECK - 1) {
      runLongWaitAction();
    }
    if (tries < SPINS + YIELDS) {
      execution.yieldNow();
    } else {
      int doublings = Math.min(tries - SPINS - YIELDS, 6);
      long nanos = Math.min(FIRST_PARK_NANOS << doublings, LONGEST_PARK_NANOS);
      execution.parkThroughInterrupt(this, deadline.park(nanos));
    }
  }

  /** Returns a more specific exception if a ring was truncated; otherwise {@code thrown}. */
  public Throwable explained(Throwable thrown) {
    for (Lane lane : lanes) {
      Throwable explained = lane.explained(thrown);
      if (explained instanceof CorruptStoreException) {
        return explained;
      }
    }
    return thrown;
  }
}
