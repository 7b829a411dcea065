package io.howdah.testkit.schedule;

import io.howdah.core.Execution;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads and time under the control of a {@link Schedule}: real threads, of which exactly one runs
 * at a time, so that a run is a function of its schedule.
 *
 * <p><b>Scheduling points</b> are every access to a region of a disk that has this execution
 * ({@code SimulatedDisk.Builder.execution}), every operation on its storages, and every call here.
 * At each the schedule says who goes on. Between two of them a thread is not interrupted, so what
 * is shared outside regions is seen to change atomically. Accesses are sequentially consistent.
 *
 * <p><b>Time</b> is virtual: it moves by {@link Builder#stepNanos} with every step, and, when all
 * threads are parked, to where the first one wakes up. Parks end early, for no reason, once in
 * {@link Builder#spuriousOneIn} times.
 *
 * <p><b>Ends.</b> {@link #run} returns when its body does; threads that are left are killed like
 * the process they are in. {@link #killAtStep}, or a crash asked of the disk, kills all threads
 * where they are: the one at that step, and every other one at its next scheduling point, gets a
 * {@link SimulatedCrash}, and gets it again at every one after, so nothing they share changes any
 * more. An exception that leaves a thread ends the run and is thrown by {@link #run}. A run of more
 * than {@link Builder#maxSteps}, a deadlock, and a thread that makes no step for {@link
 * Builder#stallSeconds} of real time because it waits for something outside (a monitor that a
 * preempted thread holds, {@link Thread#join()}) end with a {@link SimulationStuckError} that says
 * what each thread did last. Threads never outlive their run; one that swallows all its crashes
 * fails it.
 *
 * <p>At most 64 threads live at a time. Outside {@link #run} nothing is scheduled and only time can
 * be asked; one execution has one run at a time, and may have several, one after the other. The
 * schedule of each is taken from {@link #use}.
 */
public final class SimulatedExecution implements Execution {

  /** How many switches between threads are recorded for {@link SimulationOutcome#schedule}. */
  public static final int RECORDED_SWITCHES = 1 << 20;

  private final long stepNanos;
  private final long maxSteps;
  private final int spuriousOneIn;
  private final int processors;
  private final boolean virtual;
  private final long stallNanos;
  private final List<Runnable> whenKilled = new ArrayList<>();
  private final Scheduling scheduling = new RunScheduling();

  private final AtomicLong drawn = new AtomicLong();

  /** Condenses what happened before to the disks of this execution. */
  private volatile long past;

  private Schedule schedule;
  private long killAtStep = -1;
  private long now;
  private volatile @Nullable SimulatedRun run;

  private SimulatedExecution(Builder builder) {
    schedule = builder.schedule;
    stepNanos = builder.stepNanos;
    maxSteps = builder.maxSteps;
    spuriousOneIn = builder.spuriousOneIn;
    processors = builder.processors;
    virtual = builder.virtual;
    stallNanos = TimeUnit.SECONDS.toNanos(builder.stallSeconds);
    // Not 0, so that nobody relies on it.
    now = 1_000_000_000L;
  }

  /** Returns an execution with every setting at its default. */
  public static SimulatedExecution with(Schedule schedule) {
    return builder(schedule).build();
  }

  /** Begins an execution. */
  public static Builder builder(Schedule schedule) {
    return new Builder(schedule);
  }

  /** Settings of an execution. Not thread-safe. */
  public static final class Builder {

    private final Schedule schedule;
    private long stepNanos = 20;
    private long maxSteps = 20_000_000;
    private int spuriousOneIn = 16;
    private int processors = 2;
    private boolean virtual;
    private long stallSeconds = 30;

    private Builder(Schedule schedule) {
      this.schedule = schedule;
    }

    /** Sets how much virtual time a step takes; 20 ns by default. */
    public Builder stepNanos(long value) {
      stepNanos = value;
      return this;
    }

    /** Sets how many steps a run may take; 20 million by default. */
    public Builder maxSteps(long value) {
      maxSteps = value;
      return this;
    }

    /** Sets how often a park ends early: once in so many times, 16 by default, 0 for never. */
    public Builder spuriousOneIn(int value) {
      spuriousOneIn = value;
      return this;
    }

    /** Sets how many processors the program is told of; 2 by default. */
    public Builder processors(int value) {
      processors = value;
      return this;
    }

    /**
     * Uses virtual threads in place of those of the platform. A change of threads then needs no
     * change of the processor, so runs take a fraction of the time. A program that asks its threads
     * whether they are virtual gets another answer.
     */
    public Builder virtualThreads() {
      return virtualThreads(true);
    }

    /**
     * Sets whether threads are virtual, as {@link #virtualThreads()} says; they are not by default.
     */
    public Builder virtualThreads(boolean value) {
      virtual = value;
      return this;
    }

    /** Sets after how many real seconds without a step a run has failed; 30 by default. */
    public Builder stallSeconds(long value) {
      stallSeconds = value;
      return this;
    }

    /** Returns the execution. */
    public SimulatedExecution build() {
      return new SimulatedExecution(this);
    }
  }

  /** What a simulated thread runs. */
  @FunctionalInterface
  public interface Body {
    /** Runs; whatever it throws fails the run. */
    void run() throws Exception;
  }

  /** Sets the schedule of the next run. */
  public void use(Schedule next) {
    schedule = next;
  }

  /** Kills the process at a step of the next run, counted from 1; -1 for not at all. */
  public void killAtStep(long step) {
    killAtStep = step;
  }

  /** Lets virtual time jump. */
  public void jump(long nanos) {
    advance(nanos);
  }

  /**
   * Runs a body, and every thread it starts here, as one process.
   *
   * @throws SimulationStuckError if the run does not end
   * @throws AssertionError whatever a thread threw is its cause, or this itself
   */
  public SimulationOutcome run(Body body) {
    if (run != null) {
      throw new IllegalStateException("this execution is running already");
    }
    SimulatedRun next = new SimulatedRun(this, schedule, killAtStep);
    killAtStep = -1;
    run = next;
    try {
      return next.await(() -> call(body));
    } finally {
      run = null;
    }
  }

  /** Starts a thread of the workload, which may throw anything. */
  public Thread spawn(String name, Body body) {
    return start(name, () -> call(body));
  }

  private static void call(Body body) {
    try {
      body.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("a simulated thread failed: " + e, e);
    }
  }

  /** Waits, in simulated time, until a thread has ended. */
  public void join(Thread thread) {
    SimulatedThread self = self();
    SimulatedThread target = self == null ? null : self.run.find(thread);
    if (self == null || target == null) {
      throw new IllegalStateException("simulated threads wait for simulated threads");
    }
    self.run.join(self, target);
  }

  /** Interrupts a simulated thread, and ends its park. */
  public void interrupt(Thread thread) {
    SimulatedThread self = required();
    SimulatedThread target = self.run.find(thread);
    if (target == null) {
      throw new IllegalArgumentException(thread.getName() + " is not a simulated thread");
    }
    self.run.interrupt(self, target);
  }

  // ---- Execution

  @Override
  public long nanoTime() {
    scheduling.step(Step.TIME, 0, 0);
    return now;
  }

  @Override
  public long wallClockMillis() {
    return now / 1_000_000;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    if (nanos < 1) {
      throw new IllegalArgumentException("a park of " + nanos + " ns; the least is 1");
    }
    required().run.park(required(), nanos);
  }

  @Override
  public void unpark(Thread thread) {
    SimulatedThread self = self();
    SimulatedThread target = self == null ? null : self.run.find(thread);
    if (self != null && target != null) {
      self.run.unpark(self, target);
    } else {
      LockSupport.unpark(thread);
    }
  }

  @Override
  public void spinWait() {
    scheduling.step(Step.SPIN, 0, 0);
  }

  @Override
  public void yieldNow() {
    scheduling.step(Step.YIELD, 0, 0);
  }

  @Override
  public Thread start(String name, Runnable body) {
    SimulatedThread self = required();
    return self.run.start(self, name, body);
  }

  @Override
  public long threadNumber() {
    SimulatedThread self = self();
    return self == null ? -1 : self.slot;
  }

  /**
   * Returns the next of a sequence that follows from what the disks have been through: runs have no
   * secrets and are repeated, and two lives of one store draw different numbers.
   */
  @Override
  public long randomLong() {
    return Mixer.mix(past, drawn.getAndIncrement());
  }

  @Override
  public int availableProcessors() {
    return processors;
  }

  // ---- for runs and disks

  public Scheduling scheduling() {
    return scheduling;
  }

  /** Runs an action when this execution kills the process: the disk drops what it had open. */
  public void whenKilled(Runnable action) {
    whenKilled.add(action);
  }

  /**
   * Tells this execution what has happened before to something that it schedules, so that {@link
   * #randomLong} follows from it.
   */
  public void startAfter(long traceHash) {
    past = Mixer.mix(past, traceHash);
  }

  void stopProcess() {
    whenKilled.forEach(Runnable::run);
  }

  long now() {
    return now;
  }

  void advance(long nanos) {
    now += nanos;
  }

  boolean isVirtual() {
    return virtual;
  }

  long stepNanos() {
    return stepNanos;
  }

  long maxSteps() {
    return maxSteps;
  }

  long stallNanos() {
    return stallNanos;
  }

  boolean spurious(long step) {
    return spuriousOneIn > 0 && Long.remainderUnsigned(Mixer.mix(step), spuriousOneIn) == 0;
  }

  Error failed(Throwable cause, String recorded) {
    if (cause instanceof SimulationStuckError stuck) {
      return stuck;
    }
    String text = recorded.length() > 2000 ? recorded.length() + " characters" : recorded;
    return new AssertionError("a simulated thread failed: " + cause + "; schedule: " + text, cause);
  }

  private @Nullable SimulatedThread self() {
    SimulatedRun now = run;
    return now == null ? null : now.self();
  }

  private SimulatedThread required() {
    SimulatedThread self = self();
    if (self == null) {
      noteForeignThread();
      throw new IllegalStateException(
          Thread.currentThread().getName()
              + " is not a simulated thread; use SimulatedExecution.run");
    }
    return self;
  }

  /**
   * Has the run fail if a thread comes in that is not of it. The exception that this thread gets
   * may be swallowed, and then the program has not done what the run is to show.
   */
  private void noteForeignThread() {
    SimulatedRun run = this.run;
    if (run != null) {
      IllegalStateException foreign =
          new IllegalStateException(
              "the thread \""
                  + Thread.currentThread().getName()
                  + "\" uses the simulated machine while a simulation runs, and was not started by"
                  + " it; start the threads of a program under test by its Execution, or do their"
                  + " work in the thread of the test");
      run.failAtEnd(foreign);
      throw foreign;
    }
  }

  /** Steps of regions and storages. */
  private final class RunScheduling implements Scheduling {

    @Override
    public boolean isActive() {
      return self() != null;
    }

    @Override
    public void step(Step kind, long place, long value) {
      SimulatedThread self = self();
      if (self != null) {
        self.run.step(self, kind, place, value);
      } else {
        noteForeignThread();
      }
    }

    @Override
    public void delay(long nanos) {
      SimulatedThread self = self();
      if (self != null) {
        self.run.delay(self, nanos);
      }
    }

    @Override
    public void processDied() {
      SimulatedThread self = self();
      if (self != null) {
        self.run.diskDied();
      }
    }
  }
}
