package io.howdah.testkit.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One life of a simulated process: its threads, of which one runs at a time, and its clock. All
 * state but {@code dead} belongs to the thread that has the baton.
 */
final class SimulatedRun {

  private static final int MAX_THREADS = 64;

  private final SimulatedExecution execution;
  private final Schedule schedule;
  private final @Nullable SimulatedThread[] slots = new SimulatedThread[MAX_THREADS];
  private final List<SimulatedThread> all = new ArrayList<>();
  private final Map<Thread, SimulatedThread> byThread = new ConcurrentHashMap<>();
  private final ScheduleRecorder recorder = new ScheduleRecorder();
  private final long killAtStep;

  private volatile boolean dead;
  private volatile long steps;
  private volatile @Nullable SimulatedThread running;
  private volatile @Nullable Throwable failure;
  private volatile boolean crashed;
  private volatile boolean bodyDone;

  private long runnable;
  private long nextWakeNanos = Long.MAX_VALUE;
  private long hash;
  private @Nullable SimulatedThread justEnded;
  private @Nullable Thread caller;

  SimulatedRun(SimulatedExecution execution, Schedule schedule, long killAtStep) {
    this.execution = execution;
    this.schedule = schedule;
    this.killAtStep = killAtStep;
  }

  boolean isDead() {
    return dead;
  }

  boolean isVirtual() {
    return execution.isVirtual();
  }

  /** Returns the calling thread as one of this run; null if it is none. */
  @Nullable SimulatedThread self() {
    Thread thread = Thread.currentThread();
    SimulatedThread holder = running;
    return holder != null && holder.thread.equals(thread) ? holder : find(thread);
  }

  /** Returns a thread as one of this run; null if it is none. */
  @Nullable SimulatedThread find(Thread thread) {
    return byThread.get(thread);
  }

  long steps() {
    return steps;
  }

  // ---- steps, by the thread that has the baton

  /** A scheduling point. */
  void step(SimulatedThread self, Step kind, long place, long value) {
    checkAlive(self);
    long number = steps + 1;
    steps = number;
    self.lastKind = kind;
    self.lastPlace = place;
    self.lastStep = number;
    hash = Mixer.mix(hash ^ self.slot, place ^ (long) kind.code() << 32, value);
    execution.advance(execution.stepNanos());
    if (number == killAtStep) {
      crashed = true;
      die();
      throw new SimulatedCrash(
          "killed at step " + number + ", " + kind + " of " + self.thread.getName());
    }
    if (number > execution.maxSteps()) {
      throw stuck("more than " + execution.maxSteps() + " steps");
    }
    wakeThoseDue();
    passOn(self, kind == Step.SPIN || kind == Step.YIELD);
  }

  /** Chooses who goes on, and waits until that is this thread again. */
  private void passOn(SimulatedThread self, boolean waiting) {
    SimulatedThread next = choose(self, waiting);
    if (next.slot != self.slot) {
      running = next;
      next.handBaton();
      self.awaitBaton();
      resumed(self);
    }
  }

  private SimulatedThread choose(SimulatedThread self, boolean waiting) {
    int chosen;
    try {
      chosen = schedule.choose(self.slot, runnable, waiting);
    } catch (RuntimeException e) {
      fail(e);
      throw SimulatedCrash.again();
    }
    recorder.chosen(chosen);
    SimulatedThread next = chosen < 0 || chosen >= MAX_THREADS ? null : slots[chosen];
    if (next == null || (runnable & 1L << chosen) == 0) {
      fail(new IllegalStateException("the schedule chose " + chosen + ", which cannot go on"));
      throw SimulatedCrash.again();
    }
    return next;
  }

  private void resumed(SimulatedThread self) {
    checkAlive(self);
    SimulatedThread ended = justEnded;
    if (ended != null) {
      justEnded = null;
      // The engine asks threads whether they are alive; the answer must not depend on real time.
      joinForGood(ended.thread);
    }
  }

  private static void joinForGood(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void checkAlive(SimulatedThread self) {
    if (dead) {
      self.slowDownIfSwallowing();
      throw SimulatedCrash.again();
    }
  }

  private void wakeThoseDue() {
    long now = execution.now();
    if (now < nextWakeNanos) {
      return;
    }
    long next = Long.MAX_VALUE;
    for (SimulatedThread thread : slots) {
      if (thread != null && thread.simulatedState == SimulatedThread.State.PARKED) {
        if (thread.wakeAtNanos <= now) {
          makeRunnable(thread);
        } else {
          next = Math.min(next, thread.wakeAtNanos);
        }
      }
    }
    nextWakeNanos = next;
  }

  private void makeRunnable(SimulatedThread thread) {
    thread.simulatedState = SimulatedThread.State.RUNNABLE;
    runnable |= 1L << thread.slot;
  }

  /** Takes the thread out and lets another go on, or time pass until one can. */
  private void block(SimulatedThread self, SimulatedThread.State state) {
    self.simulatedState = state;
    runnable &= ~(1L << self.slot);
    letTimePass();
    passOn(self, false);
  }

  private void letTimePass() {
    while (runnable == 0) {
      if (nextWakeNanos == Long.MAX_VALUE) {
        throw stuck("deadlock: every thread waits for another one to end");
      }
      execution.advance(Math.max(0, nextWakeNanos - execution.now()));
      wakeThoseDue();
    }
  }

  void park(SimulatedThread self, long nanos) {
    step(self, Step.PARK, nanos, 0);
    if (self.permit) {
      self.permit = false;
      return;
    }
    if (self.thread.isInterrupted()) {
      return;
    }
    sleep(self, nanos);
    self.permit = false;
  }

  void delay(SimulatedThread self, long nanos) {
    step(self, Step.TIME, nanos, 0);
    long until = execution.now() + nanos;
    while (execution.now() < until) {
      sleep(self, until - execution.now());
    }
  }

  private void sleep(SimulatedThread self, long nanos) {
    long wait = execution.spurious(steps) ? Math.max(1, nanos / 8) : nanos;
    long now = execution.now();
    self.wakeAtNanos = now + wait < now ? Long.MAX_VALUE - 1 : now + wait;
    nextWakeNanos = Math.min(nextWakeNanos, self.wakeAtNanos);
    block(self, SimulatedThread.State.PARKED);
  }

  void unpark(SimulatedThread self, SimulatedThread target) {
    step(self, Step.UNPARK, target.slot, 0);
    target.permit = true;
    if (target.simulatedState == SimulatedThread.State.PARKED) {
      makeRunnable(target);
    }
  }

  void interrupt(SimulatedThread self, SimulatedThread target) {
    step(self, Step.UNPARK, target.slot, 1);
    target.interruptSimulated();
    if (target.simulatedState == SimulatedThread.State.PARKED) {
      makeRunnable(target);
    }
  }

  void join(SimulatedThread self, SimulatedThread target) {
    step(self, Step.PARK, target.slot, 1);
    while (target.simulatedState != SimulatedThread.State.ENDED) {
      self.joining = target;
      block(self, SimulatedThread.State.JOINING);
    }
    self.joining = null;
  }

  // ---- threads

  Thread start(@Nullable SimulatedThread self, String name, Runnable body) {
    int slot = 0;
    while (slot < MAX_THREADS && slots[slot] != null) {
      slot++;
    }
    if (slot == MAX_THREADS) {
      throw new IllegalStateException("more than " + MAX_THREADS + " simulated threads at a time");
    }
    SimulatedThread thread;
    synchronized (all) {
      if (dead) {
        // It would die after the end of the run, and stop the process that follows.
        if (self != null) {
          self.slowDownIfSwallowing();
        }
        throw SimulatedCrash.again();
      }
      thread = new SimulatedThread(this, slot, name, body);
      slots[slot] = thread;
      runnable |= 1L << slot;
      all.add(thread);
      byThread.put(thread.thread, thread);
      thread.thread.start();
    }
    if (self == null) {
      running = thread;
      thread.handBaton();
    } else {
      step(self, Step.START, slot, 0);
    }
    return thread.thread;
  }

  /** What each simulated thread runs. */
  void runBody(SimulatedThread self, Runnable body) {
    self.awaitBaton();
    try {
      resumed(self);
      body.run();
      end(self);
    } catch (SimulatedCrash e) {
      crashed |= !bodyDone;
      die();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void end(SimulatedThread self) {
    step(self, Step.END, 0, 0);
    self.simulatedState = SimulatedThread.State.ENDED;
    runnable &= ~(1L << self.slot);
    slots[self.slot] = null;
    for (SimulatedThread thread : slots) {
      if (thread != null
          && thread.simulatedState == SimulatedThread.State.JOINING
          && self.equals(thread.joining)) {
        makeRunnable(thread);
      }
    }
    if (self.slot == 0 && self.equals(first())) {
      // The body has returned: what is left ends with it, as at the end of a process.
      bodyDone = true;
      if (Arrays.stream(slots).anyMatch(Objects::nonNull)) {
        execution.stopProcess();
      }
      wakeAll();
      return;
    }
    letTimePass();
    SimulatedThread next = choose(self, false);
    justEnded = self;
    running = next;
    next.handBaton();
  }

  private SimulatedThread first() {
    synchronized (all) {
      return all.getFirst();
    }
  }

  // ---- ends

  void fail(Throwable e) {
    if (failure == null) {
      failure = e;
    }
    die();
  }

  /** Lets the run go on, and fail at its end. Any thread. */
  void failAtEnd(Throwable e) {
    if (failure == null) {
      failure = e;
    }
  }

  /** The disk died under the process. */
  void diskDied() {
    crashed = true;
    die();
  }

  private void die() {
    execution.stopProcess();
    wakeAll();
  }

  private void wakeAll() {
    List<SimulatedThread> threads;
    synchronized (all) {
      dead = true;
      threads = List.copyOf(all);
    }
    threads.forEach(thread -> LockSupport.unpark(thread.thread));
    LockSupport.unpark(caller);
  }

  /** Ends the run with a dump; the exception is thrown through the calling thread. */
  private SimulatedCrash stuck(String why) {
    fail(new SimulationStuckError(why + "\n" + dump()));
    return SimulatedCrash.again();
  }

  private String dump() {
    List<SimulatedThread> threads;
    synchronized (all) {
      threads = List.copyOf(all);
    }
    StringBuilder text =
        new StringBuilder("after " + steps + " steps, at " + execution.now() + " ns");
    for (SimulatedThread thread : threads) {
      if (thread.simulatedState == SimulatedThread.State.ENDED) {
        continue;
      }
      text.append("\n  ")
          .append(thread.slot)
          .append(" ")
          .append(thread.thread.getName())
          .append(": ");
      text.append(thread.simulatedState).append(", last ").append(thread.lastKind).append(" of ");
      text.append(thread.lastPlace).append(" at step ").append(thread.lastStep);
      int frames = 0;
      for (StackTraceElement frame : thread.thread.getStackTrace()) {
        if (frame.getClassName().startsWith("java.") || frames == 12) {
          continue;
        }
        frames++;
        text.append("\n      ").append(frame);
      }
    }
    return text.toString();
  }

  /** Runs the body as the first thread, and waits until every thread has ended. */
  SimulationOutcome await(Runnable body) {
    caller = Thread.currentThread();
    start(null, "main", body);
    List<String> leftover = new ArrayList<>();
    awaitDeath();
    List<SimulatedThread> threads;
    synchronized (all) {
      threads = List.copyOf(all);
    }
    if (bodyDone && !crashed) {
      for (SimulatedThread thread : threads) {
        if (thread.simulatedState != SimulatedThread.State.ENDED) {
          leftover.add(thread.thread.getName());
        }
      }
    }
    awaitEnds(threads);
    Throwable cause = failure;
    if (cause != null) {
      throw execution.failed(cause, recorder.text());
    }
    return new SimulationOutcome(steps, crashed, leftover, hash, recorder.text());
  }

  private void awaitDeath() {
    long seen = -1;
    long since = System.nanoTime();
    while (!dead) {
      LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(100));
      long now = System.nanoTime();
      if (steps != seen) {
        seen = steps;
        since = now;
      } else if (now - since > execution.stallNanos()) {
        SimulatedThread holder = running;
        fail(
            new SimulationStuckError(
                (holder == null
                        ? "no thread"
                        : holder.thread.getName() + " (" + holder.thread.getState() + ")")
                    + " has made no step for "
                    + TimeUnit.NANOSECONDS.toSeconds(now - since)
                    + " s: it computes, or waits for a lock or thread without the execution\n"
                    + dump()));
      }
    }
  }

  private void awaitEnds(List<SimulatedThread> threads) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    boolean interrupted = false;
    for (SimulatedThread simulated : threads) {
      Thread thread = simulated.thread;
      while (thread.isAlive()) {
        if (System.nanoTime() > deadline) {
          fail(
              new SimulationStuckError(
                  thread.getName() + " does not end although its process is dead\n" + dump()));
          break;
        }
        try {
          thread.join(100);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
