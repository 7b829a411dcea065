package io.howdah.testkit.schedule;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that runs only while it has the baton of its run: of the platform, or virtual. */
final class SimulatedThread {

  /** Where those of the platform are. */
  static final ThreadGroup GROUP = new ThreadGroup("simulated");

  enum State {
    RUNNABLE,
    PARKED,
    JOINING,
    ENDED
  }

  final SimulatedRun run;
  final int slot;
  final Thread thread;

  // Changed by whoever has the baton.
  State simulatedState = State.RUNNABLE;
  boolean permit;
  long wakeAtNanos;
  @Nullable SimulatedThread joining;

  // What it did last, for the dump.
  Step lastKind = Step.START;
  long lastPlace;
  long lastStep;

  private volatile boolean baton;
  private boolean interruptPending;
  private int crashesMet;

  SimulatedThread(SimulatedRun run, int slot, String name, Runnable body) {
    this.run = run;
    this.slot = slot;
    this.thread =
        run.isVirtual()
            ? Thread.ofVirtual().name(name).unstarted(() -> run.runBody(this, body))
            : Thread.ofPlatform()
                .group(GROUP)
                .daemon()
                .name(name)
                .unstarted(() -> run.runBody(this, body));
  }

  /** Gives the baton to this thread. */
  void handBaton() {
    baton = true;
    LockSupport.unpark(thread);
  }

  /** Waits for the baton, or for the end of the run. Called by this thread. */
  void awaitBaton() {
    // An interrupt would make every park return at once; it is put back before the engine sees.
    boolean interrupted = false;
    while (!baton && !run.isDead()) {
      LockSupport.park(run);
      interrupted |= Thread.interrupted();
    }
    baton = false;
    if (interrupted || interruptPending) {
      interruptPending = false;
      thread.interrupt();
    }
  }

  /** Interrupts this thread from another one that has the baton. */
  void interruptSimulated() {
    if (thread.equals(Thread.currentThread())) {
      thread.interrupt();
    } else {
      interruptPending = true;
    }
  }

  /** Counts the crashes that this thread has met; one that swallows them all is slowed down. */
  void slowDownIfSwallowing() {
    if (++crashesMet > 1000) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
