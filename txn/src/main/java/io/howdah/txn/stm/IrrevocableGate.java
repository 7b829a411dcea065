package io.howdah.txn.stm;

import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Deadline;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The gate of irrevocable transactions. While one transaction is inside, no other transaction
 * commits, so the one inside has no conflicts. This prevents starvation and permits input and
 * output in a body. Thread-safe; the thread that enters must also leave.
 *
 * <p>The gate itself is a word of {@link CommitLanes}: 0, or the ticket of the transaction inside,
 * or -1 while commits are blocked. Each entry has a new ticket. A commit that passes this ticket is
 * let through the closed gate.
 */
public final class IrrevocableGate {

  private final CommitLanes lanes;
  private final Lifecycle lifecycle;
  private final Consumer<Throwable> fatal;
  private final ProgramLog programLog;
  private final AtomicLong tickets = new AtomicLong();

  private volatile @Nullable Thread holder;
  private volatile long ticket;

  /**
   * Creates the gate of a store.
   *
   * @param fatal stops the store if the gate may stay closed after an error
   * @param programLog receives the warning about an abandoned gate
   */
  public IrrevocableGate(
      CommitLanes lanes, Lifecycle lifecycle, Consumer<Throwable> fatal, ProgramLog programLog) {
    this.lanes = lanes;
    this.lifecycle = lifecycle;
    this.fatal = fatal;
    this.programLog = programLog;
  }

  /**
   * Waits until the caller is inside the gate. If the calling thread is inside already, because a
   * body runs another transaction of the same store, both transactions share that entry.
   *
   * @param deadline the deadline of the wait, which throws its own exception
   * @return whether the caller must call {@link #leave}; false if it shares the entry of an
   *     enclosing transaction, which is no failure: the caller is inside in both cases
   */
  public boolean enter(Deadline deadline) {
    if (isHeldByCaller()) {
      return false;
    }
    long mine = tickets.incrementAndGet();
    try {
      lanes.enterGate(mine, deadline);
      ticket = mine;
      holder = Thread.currentThread();
      return true;
    } catch (Error e) {
      try {
        lanes.leaveGateIfHeld(mine); // no effect if the gate is open; the transaction had no effect
      } catch (Throwable again) {
        stop(e);
      }
      throw e;
    }
  }

  /**
   * Opens the gate for other transactions. Throws nothing, since the transaction may have
   * committed. If the gate cannot be opened, the store stops.
   */
  public void leave() {
    try {
      holder = null;
      lanes.leaveGate();
    } catch (Throwable t) {
      try {
        lanes.leaveGateIfHeld(ticket);
      } catch (Throwable again) {
        stop(t);
      }
    }
  }

  /**
   * Opens the gate if the thread inside has terminated. Its transaction had no effect, and no other
   * thread may end that transaction. Called by one thread at a time.
   */
  void openIfAbandoned() {
    long ticket = this.ticket; // first: if the gate still has it, no other thread has entered
    Thread holder = this.holder;
    if (holder != null && !holder.isAlive()) {
      openIfAbandoned(holder, ticket);
    }
  }

  /**
   * Opens the gate of a terminated thread if the gate still has that thread's ticket. The ticket
   * was read before {@link #holder}. Another ticket means that the thread had left the gate, and a
   * later transaction has entered.
   */
  void openIfAbandoned(Thread holder, long ticket) {
    if (lanes.hasGate(ticket)) {
      this.holder = null;
      lanes.leaveGateIfHeld(ticket);
      // The callers are the flusher and threads that wait for a lane.
      programLog.say(
          System.Logger.Level.WARNING,
          () ->
              "the thread "
                  + holder
                  + " has terminated without ending its irrevocable transaction; the transaction"
                  + " had no effect, and other transactions waited for it until now");
    }
  }

  private void stop(Throwable thrown) {
    try {
      fatal.accept(thrown);
    } catch (Throwable again) {
      // Stack or memory is exhausted, or a close has released the log's memory. Setting a field
      // cannot fail; LaneWatch reports the failure.
      lifecycle.failure = thrown;
    }
  }

  /** Returns the ticket with which the calling thread commits inside the gate, or 0. */
  long ticketOfCaller() {
    return isHeldByCaller() ? ticket : 0;
  }

  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  private boolean isHeldByCaller() {
    return holder == Thread.currentThread();
  }

  /** Returns whether an irrevocable transaction is inside the gate. */
  public boolean isClosed() {
    return holder != null;
  }
}
