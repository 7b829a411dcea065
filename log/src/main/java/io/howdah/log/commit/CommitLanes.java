package io.howdah.log.commit;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a store, its version clock, and the gate that lets one irrevocable transaction
 * commit alone. The number of lanes is fixed, at most {@link Lsn#MAX_PARTITIONS}. Any number of
 * threads, virtual ones too, share them by leases. Thread-safe.
 */
public final class CommitLanes {

  /** LSNs in reserve, so that each lane can take one more after the limit was reached. */
  private static final long RESERVED_LSNS = 1 << 16;

  /** The gate's value while the log is at its limit; no transaction has this ticket. */
  private static final long BLOCKED_TICKET = -1;

  private static final int SPINS = 50;

  /**
   * Attempts to take an append lock with orecs locked. A holder that is not preempted has it for a
   * tenth of a microsecond.
   */
  private static final int APPEND_SPINS = 100;

  private static final int YIELDS = 10;
  private static final long FIRST_PARK_NANOS = 20_000;
  private static final long LONGEST_PARK_NANOS = 1_000_000;

  /** This many attempts take about half a second, because most of them park. */
  private static final int ATTEMPTS_PER_LOOK = 512;

  private final Region words;
  private final List<Lane> lanes;
  private final Execution execution;
  private final LogSpace space;

  /** Checks whether a wait can still succeed; see {@link #watch}. */
  private volatile Runnable watch = () -> {};

  public CommitLanes(Region words, List<Lane> lanes, Execution execution, LogSpace space) {
    this.words = words;
    this.lanes = List.copyOf(lanes);
    this.execution = execution;
    this.space = space;
  }

  /**
   * Returns lanes without logs: for a volatile store, and for measuring what durability costs.
   *
   * @param words zeroed, at least {@link #wordsLengthBytes} long
   * @param failIfStopped throws if no commit is accepted any more; called in every wait
   */
  public static CommitLanes unlogged(
      Region words, int count, Execution execution, Runnable failIfStopped) {
    return unlogged(words, count, 0, execution, failIfStopped);
  }

  /**
   * Returns lanes without logs, for a store that continues after an LSN.
   *
   * @param lsn dense; the largest one taken before
   */
  public static CommitLanes unlogged(
      Region words, int count, long lsn, Execution execution, Runnable failIfStopped) {
    CommitWords.start(words, lsn);
    List<Lane> lanes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      lanes.add(new Lane(words, i, null, 0));
    }
    return new CommitLanes(words, lanes, execution, LogSpace.unlimited(failIfStopped));
  }

  /**
   * Returns the lanes of a log. A partition has several (R33) if there are at most half as many
   * partitions as lanes are wanted. The first lanes have the numbers of their partitions.
   */
  public static List<Lane> lanesOf(Region words, RingSet rings, LogStart start, int wanted) {
    int partitions = rings.partitions();
    int each = Math.min(wanted, CommitWords.MIN_LANES) / partitions;
    List<Lane> lanes = new ArrayList<>(Collections.nCopies(partitions * Math.max(each, 1), null));
    for (Ring ring : rings.rings()) {
      int partition = ring.partition();
      long logSeed = start.logSeed(partition);
      if (each <= 1) {
        lanes.set(partition, new Lane(words, partition, ring, logSeed));
        continue;
      }
      int[] numbers = IntStream.range(0, each).map(i -> partition + i * partitions).toArray();
      for (Lane lane : Lane.sharing(words, ring, logSeed, numbers)) {
        lanes.set(lane.index(), lane);
      }
    }
    return lanes;
  }

  /** Returns the bytes of shared words that the lanes of so many partitions need. */
  public static long wordsLengthBytes(int partitions) {
    return CommitWords.lengthBytes(partitions);
  }

  /** Returns the number of lanes. */
  public int count() {
    return lanes.size();
  }

  /** Returns the number of partitions, of which each has the same number of lanes. */
  public int partitions() {
    return lanes.getLast().partition() + 1;
  }

  /**
   * Returns the largest dense LSN taken; later reads of this thread see at least its commit's
   * orecs.
   */
  public long clock() {
    return words.getLongAcquire(CommitWords.CLOCK);
  }

  /** Returns the largest dense LSN known to survive a power cut; 0 in a volatile store. */
  public long stable() {
    return words.getLongAcquire(CommitWords.STABLE);
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

  /**
   * Leases a lane with ring space for a record: the home lane if it is free, else a neighbour.
   * Waits while all lanes are leased, while an irrevocable transaction runs, while all rings are
   * full, or while the log is at its limit. No lane is leased during the wait.
   *
   * @param home any number; a caller uses the same one each time, for locality
   * @param recordBytes length of the record
   * @param ticket the caller's ticket if it holds the gate, else 0
   * @param deadline ends the wait with an exception of its own
   * @throws StoreFailedException if the log stopped
   * @throws io.howdah.core.LogFullException if the log cannot grow: the file system is full, or the
   *     log is at its limit
   */
  public Lane lease(int home, long recordBytes, long ticket, Deadline deadline) {
    return lease(home, recordBytes, ticket, false, deadline);
  }

  /**
   * Leases a lane as the other method does, but none whose append lock is taken: for a commit that
   * has not got the append lock of a lane in time, or found no room behind it, and for one in
   * parts.
   */
  public Lane leaseAgain(int home, long recordBytes, long ticket, Deadline deadline) {
    return lease(home, recordBytes, ticket, true, deadline);
  }

  private Lane lease(int home, long recordBytes, long ticket, boolean isAgain, Deadline deadline) {
    for (int attempt = 0; ; attempt++) {
      space.failIfStopped();
      // An irrevocable transaction has the gate for itself, so it looks whether the log is held.
      Lane lane = ticket != 0 && isBlocked() ? null : tryLease(home, recordBytes, ticket, isAgain);
      if (lane != null) {
        return withLsnsLeft(lane);
      }
      if (isBlocked()) {
        space.awaitTrim(() -> !isBlocked(), deadline);
      } else if (isRingFull(home, recordBytes) && !anyHasSpace(home, recordBytes)) {
        space.await(() -> anyHasSpace(home, recordBytes), deadline);
      } else {
        // Lanes with space are leased by other threads, or other lanes append to their rings, or
        // the gate is closed.
        pause(attempt, deadline);
      }
    }
  }

  /** Leases a lane without a deadline. */
  public Lane lease(int home, long recordBytes, long ticket) {
    return lease(home, recordBytes, ticket, Deadline.NONE);
  }

  /**
   * Leases a lane as {@link #lease} does, but does not wait.
   *
   * @return null if it would have to wait
   */
  public @Nullable Lane leaseAtOnce(int home, long recordBytes) {
    space.failIfStopped();
    Lane lane = isBlocked() ? null : tryLease(home, recordBytes, 0, false);
    return lane == null ? null : withLsnsLeft(lane);
  }

  private static Lane withLsnsLeft(Lane lane) {
    // Judged by the lane's own last LSN, not by the clock, whose cache line is wanted elsewhere:
    // each lane passes the limit by one LSN at most.
    if (lane.lastLsn() >= Lsn.MAX - RESERVED_LSNS) {
      lane.giveBack();
      throw new StoreFailedException(
          "the store has used all "
              + Lsn.MAX
              + " LSNs of its format; copy its data to a new store");
    }
    return lane;
  }

  private @Nullable Lane tryLease(int home, long recordBytes, long ticket, boolean isAgain) {
    if (isClosedTo(ticket)) {
      // Without touching a lane: threads that took turns in leasing them for this look could keep
      // the irrevocable transaction from them for ever.
      return null;
    }
    int n = lanes.size();
    // A division takes as long as all other instructions of a lease.
    int first = (n & (n - 1)) == 0 ? home & (n - 1) : Math.floorMod(home, n);
    for (int i = 0; i < n; i++) {
      int index = first + i;
      Lane lane = lanes.get(index < n ? index : index - n);
      if (!lane.tryLease(holder(home))) {
        continue;
      }
      boolean kept = false;
      try {
        // The lease is a volatile CAS and this is a volatile load; enterGate does the converse. So
        // either this commit sees the gate closed, or the irrevocable transaction sees the lease
        // and waits.
        if (isClosedTo(ticket)) {
          return null;
        }
        // The append lock's line is wanted by those who append, so only a second attempt looks.
        if (lane.hasSpace(recordBytes) && !(isAgain && lane.isAppendLocked())) {
          kept = true;
          return lane;
        }
      } finally {
        if (!kept) {
          lane.giveBack();
        }
      }
    }
    return null;
  }

  /**
   * Returns the lane that was leased with a home and not returned, or null. Homes tell the holders
   * apart if no two threads lease with the same one at once.
   */
  public @Nullable Lane leasedBy(int home) {
    for (Lane lane : lanes) {
      if (lane.holder() == holder(home)) {
        return lane;
      }
    }
    return null;
  }

  /** Returns with which home a lane was leased, as an unsigned int, or -1. */
  public long holderOf(int lane) {
    return lanes.get(lane).holder() - 1;
  }

  /**
   * Sets an action that a thread in a long wait runs about twice a second: it checks whether the
   * wait can still succeed.
   */
  public void watch(Runnable watch) {
    this.watch = watch;
  }

  /** Runs the action that {@link #watch} was given. */
  public void runWatch() {
    watch.run();
  }

  private static long holder(int home) {
    return Integer.toUnsignedLong(home) + 1;
  }

  /** Returns whether no commit may begin because the log is at its limit. */
  public boolean isBlocked() {
    return words.getLongVolatile(CommitWords.HELD) != 0;
  }

  /**
   * Closes the gate to all commits, or opens it again. Commits that have a lane continue. The
   * flusher calls this in each round, not once: an irrevocable transaction that has the gate keeps
   * it, and when it leaves the gate it may have read the state before it changed.
   */
  public void block(boolean held) {
    if (held != isBlocked()) {
      words.setLongVolatile(CommitWords.HELD, held ? 1 : 0);
    }
    long gate = words.getLongVolatile(CommitWords.GATE);
    if (gate == (held ? 0 : BLOCKED_TICKET)) {
      words.compareAndSetLong(CommitWords.GATE, gate, held ? BLOCKED_TICKET : 0);
    }
  }

  private boolean isClosedTo(long ticket) {
    long gate = words.getLongVolatile(CommitWords.GATE);
    return gate != 0 && gate != ticket;
  }

  private boolean isRingFull(int home, long recordBytes) {
    return !hasSpace(lanes.get(Math.floorMod(home, lanes.size())), recordBytes);
  }

  private boolean anyHasSpace(int home, long recordBytes) {
    for (int i = 0; i < lanes.size(); i++) {
      if (hasSpace(lanes.get(Math.floorMod(home + i, lanes.size())), recordBytes)) {
        return true;
      }
    }
    return false;
  }

  /** Reads published words only: the caller has no lease. */
  private static boolean hasSpace(Lane lane, long recordBytes) {
    Ring ring = lane.ring();
    return ring == null
        || ring.tail() + recordBytes - ring.capacityBytes() <= ring.forcedPosition();
  }

  /**
   * Waits, with a lane leased, until its ring has space for a part of a large transaction. No orec
   * may be locked and nothing announced (R5).
   *
   * @param deadline ends the wait with an exception of its own
   */
  public void awaitSpace(Lane lane, long recordBytes, Deadline deadline) {
    while (!lane.hasSpace(recordBytes)) {
      space.await(() -> hasSpace(lane, recordBytes), deadline);
    }
  }

  /**
   * Makes a leased lane that shares its partition the only one that appends to the ring (R33),
   * unless that takes long: the caller has locked orecs, or others want the lane.
   *
   * @param recordBytes for which there must be room; 0 if the caller waits for it afterwards
   * @return false if another lane appends, or the record has no room; then the caller unlocks its
   *     orecs, returns the lane, and calls {@link #leaseAgain}
   */
  public boolean tryAppend(Lane lane, long recordBytes) {
    for (int i = 0; i < APPEND_SPINS; ) {
      if (lane.tryAppend()) {
        if (lane.hasSpace(recordBytes)) {
          return true;
        }
        lane.giveUpAppend();
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
   * Returns whether every commit that took an LSN up to {@code lsn} has ended; the effects of those
   * that have are visible to the caller.
   *
   * @param lsn as an RMW on the clock has returned it
   */
  public boolean hasLeft(long lsn) {
    for (Lane lane : lanes) {
      if (!lane.hasLeft(lsn)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Closes the gate to all commits but those with this ticket, and waits until those under way have
   * ended: from then on the caller's reads cannot be invalidated.
   *
   * @param ticket not 0, unlike any other in use
   * @param deadline ends the wait with an exception of its own; then the gate is as it was
   */
  public void enterGate(long ticket, Deadline deadline) {
    // Also at the log's limit: a transaction that only reads need not wait for a checkpoint.
    for (int attempt = 0;
        !words.compareAndSetLong(CommitWords.GATE, 0, ticket)
            && !words.compareAndSetLong(CommitWords.GATE, BLOCKED_TICKET, ticket);
        attempt++) {
      space.failIfStopped();
      pause(attempt, deadline);
    }
    boolean entered = false;
    try {
      for (Lane lane : lanes) {
        for (int attempt = 0; lane.isLeased(); attempt++) {
          space.failIfStopped();
          pause(attempt, deadline);
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

  /**
   * Waits until no lane is leased; the caller has made sure that no further commit goes on once it
   * has its lane.
   *
   * @return whether all lanes were free before the timeout
   */
  public boolean awaitIdle(long timeoutNanos) {
    long deadline = execution.nanoTime() + timeoutNanos;
    for (Lane lane : lanes) {
      for (int attempt = 0; lane.isLeased(); attempt++) {
        if (execution.nanoTime() - deadline >= 0) {
          return false;
        }
        pause(attempt, Deadline.NONE);
      }
    }
    return true;
  }

  /** Returns whether no lane is leased just now. */
  public boolean isIdle() {
    for (Lane lane : lanes) {
      if (lane.isLeased()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the gate is closed with a ticket. A volatile load. */
  public boolean hasGate(long ticket) {
    return words.getLongVolatile(CommitWords.GATE) == ticket;
  }

  /** Opens the gate again. */
  public void leaveGate() {
    words.setLongRelease(CommitWords.GATE, isBlocked() ? BLOCKED_TICKET : 0);
  }

  /**
   * Opens the gate again, unless it has been left already: after an error in {@link #leaveGate()}.
   */
  public void leaveGate(long ticket) {
    words.compareAndSetLong(CommitWords.GATE, ticket, isBlocked() ? BLOCKED_TICKET : 0);
  }

  /** Waits a little: spins, then yields, then parks for up to a millisecond. */
  private void pause(int attempt, Deadline deadline) {
    if (attempt < SPINS) {
      execution.spinWait();
      return;
    }
    deadline.failIfOver();
    if (attempt % ATTEMPTS_PER_LOOK == ATTEMPTS_PER_LOOK - 1) {
      runWatch();
    }
    if (attempt < SPINS + YIELDS) {
      execution.yieldNow();
    } else {
      int doublings = Math.min(attempt - SPINS - YIELDS, 6);
      long nanos = Math.min(FIRST_PARK_NANOS << doublings, LONGEST_PARK_NANOS);
      execution.parkThroughInterrupt(this, deadline.park(nanos));
    }
  }

  /** Returns a clearer exception if a ring was truncated; any other throwable as it is. */
  public Throwable explained(Throwable thrown) {
    for (Lane lane : lanes) {
      Throwable told = lane.explained(thrown);
      if (told instanceof CorruptStoreException) {
        return told;
      }
    }
    return thrown;
  }
}
