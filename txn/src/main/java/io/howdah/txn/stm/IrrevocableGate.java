package io.howdah.txn.stm;

import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Deadline;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets one transaction at a time run while no other commits, so that it cannot conflict. This ends
 * starvation, and it allows input and output in a body. Thread-safe; the same thread enters and
 * leaves.
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
   * @param fatal stops the store when the gate may have been left closed
   * @param programLog takes the warning of an abandoned gate
   */
  public IrrevocableGate(
      CommitLanes lanes, Lifecycle lifecycle, Consumer<Throwable> fatal, ProgramLog programLog) {
    this.lanes = lanes;
    this.lifecycle = lifecycle;
    this.fatal = fatal;
    this.programLog = programLog;
  }

  /**
   * Waits until the caller alone may commit. If its thread is inside already, as when a body runs
   * another transaction of the same store, it shares that entry.
   *
   * @param deadline ends the wait with an exception of its own
   * @return whether the caller has to leave
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
        lanes.leaveGate(mine); // unless it is open already: nothing of the transaction has happened
      } catch (Throwable again) {
        stop(e);
      }
      throw e;
    }
  }

  /**
   * Lets others commit again. Throws nothing, since the transaction may have committed; if the gate
   * cannot be opened, the store stops.
   */
  public void leave() {
    try {
      holder = null;
      lanes.leaveGate();
    } catch (Throwable t) {
      try {
        lanes.leaveGate(ticket);
      } catch (Throwable again) {
        stop(t);
      }
    }
  }

  /**
   * Opens the gate if its holder's thread has ended: nothing of its transaction has happened, and
   * no other thread may end it. Called by one thread at a time.
   */
  void openIfAbandoned() {
    long ticket = this.ticket; // first: if the gate still has it, nobody entered after the holder
    Thread holder = this.holder;
    if (holder != null && !holder.isAlive()) {
      openIfAbandoned(holder, ticket);
    }
  }

  /**
   * Opens the gate if it still has a ticket that was read before its holder, whose thread has
   * ended. If it has another one, the holder has left, and the gate is that of a later transaction.
   */
  void openIfAbandoned(Thread holder, long ticket) {
    if (lanes.hasGate(ticket)) {
      this.holder = null;
      lanes.leaveGate(ticket);
      // The flusher calls this, and so do threads that wait for a lane.
      programLog.say(
          System.Logger.Level.WARNING,
          () ->
              "the thread "
                  + holder
                  + " has ended without ending the irrevocable transaction that it had begun, of"
                  + " which nothing has happened; other transactions had to wait for it until now");
    }
  }

  private void stop(Throwable thrown) {
    try {
      fatal.accept(thrown);
    } catch (Throwable again) {
      // No stack or no memory, or a close has taken the log's memory. A field can always be set.
      lifecycle.failure = thrown;
    }
  }

  /** Returns what lets the calling thread commit while the gate is closed, or 0. */
  long ticketOfCaller() {
    return isHeldByCaller() ? ticket : 0;
  }

  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  private boolean isHeldByCaller() {
    return holder == Thread.currentThread();
  }

  /** Returns whether an irrevocable transaction runs. */
  public boolean isClosed() {
    return holder != null;
  }
}
