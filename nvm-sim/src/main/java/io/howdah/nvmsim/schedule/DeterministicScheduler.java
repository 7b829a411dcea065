package io.howdah.nvmsim.schedule;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Runs simulated threads one event at a time. The order of events is the trace, so the trace is
 * sequentially consistent and each access is atomic with its record. For one run; belongs to the
 * thread that calls {@link #run}. If a program is a {@link BlockingProgram}, policy and sink are
 * called on another thread while that one waits.
 */
public final class DeterministicScheduler {
  /** Threads fit the bits of a long. */
  public static final int MAX_THREADS = 64;

  private static final int NOT_CHOSEN = -1;

  private final SimMemory memory;
  private final SchedulePolicy policy;
  private final TraceSink sink;
  private final EventBatch batch = new EventBatch();
  private final List<SimProgram> programs = new ArrayList<>();
  private final long[] blockedOn = new long[MAX_THREADS];
  private final SimThread setUp;
  private long blocked;
  private long alive;

  /** The thread that {@link #goesOn} chose, or {@link #NOT_CHOSEN}. */
  private int next = NOT_CHOSEN;

  private long sequence;
  private long maxEvents = Long.MAX_VALUE;

  /** Threads run on the memory, the trace goes to the sink. */
  public DeterministicScheduler(SimMemory memory, SchedulePolicy policy, TraceSink sink) {
    this.memory = memory;
    this.policy = policy;
    this.sink = sink;
    this.setUp = new SimThread(this, memory, 0);
    batch.begin(0);
  }

  /** A run that is longer than this stops with an error. */
  public DeterministicScheduler limitEvents(long events) {
    maxEvents = events;
    return this;
  }

  /** Adds a thread; threads are numbered in the order they are added. */
  public DeterministicScheduler add(SimProgram program) {
    if (programs.size() == MAX_THREADS) {
      throw new IllegalArgumentException("at most " + MAX_THREADS + " threads");
    }
    programs.add(program);
    return this;
  }

  /** Thread 0 before the run, to allocate and to lay out memory; its events come first. */
  public SimThread setUp() {
    return setUp;
  }

  /**
   * Runs every program to its end and hands the last events to the sink.
   *
   * @return the number of events
   * @throws DeadlockException if no thread can go on
   * @throws IllegalStateException if the run is longer than its limit
   */
  public long run() {
    if (programs.stream().anyMatch(SimProgram::handsOver)) {
      onVirtualThread();
    } else {
      runAndRelease();
    }
    if (batch.count() > 0) {
      flush();
    }
    return sequence();
  }

  /** Hand-overs between two virtual threads are ten times as fast as with a platform thread. */
  private void onVirtualThread() {
    FutureTask<@Nullable Void> task = new FutureTask<>(this::runAndRelease, null);
    Thread.ofVirtual().name("sim-scheduler").start(task);
    boolean interrupted = false;
    while (true) {
      try {
        task.get();
        return;
      } catch (InterruptedException _) {
        interrupted = true;
      } catch (ExecutionException e) {
        throw rethrown(e.getCause());
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /** Programs, policies and sinks throw no checked exceptions. */
  private static RuntimeException rethrown(@Nullable Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      return exception;
    }
    return new IllegalStateException("a run failed: " + failure, failure);
  }

  private void runAndRelease() {
    try {
      runAll();
    } finally {
      programs.forEach(SimProgram::abandon);
    }
  }

  private void runAll() {
    int threads = programs.size();
    SimProgram[] program = programs.toArray(SimProgram[]::new);
    SimThread[] thread = new SimThread[threads];
    for (int i = 0; i < threads; i++) {
      thread[i] = i == 0 ? setUp : new SimThread(this, memory, i);
      emit(Event.marker(Event.THREAD_START, i, 0), 0, 0);
    }
    alive = threads == MAX_THREADS ? -1L : (1L << threads) - 1;
    int current = -1;
    while (alive != 0) {
      long runnable = alive & ~blocked;
      if (runnable == 0) {
        throw deadlock();
      }
      current = next == NOT_CHOSEN ? policy.choose(runnable, current) : next;
      next = NOT_CHOSEN;
      if (!program[current].step(thread[current])) {
        alive &= ~(1L << current);
        emit(Event.marker(Event.THREAD_END, current, 0), 0, 0);
      }
    }
  }

  /**
   * Chooses the next turn, for a program whose turn ended: true if it is its own, so that nothing
   * needs to be handed over. A program that is wrapped, to watch its turns, takes one at a time.
   */
  boolean goesOn(int thread) {
    long runnable = alive & ~blocked;
    if (runnable == 0 || !(programs.get(thread) instanceof BlockingProgram)) {
      return false;
    }
    next = policy.choose(runnable, thread);
    if (next != thread) {
      return false;
    }
    next = NOT_CHOSEN;
    return true;
  }

  long sequence() {
    return batch.firstSequence() + batch.count();
  }

  /**
   * Index in {@link #pending} of the next event. A search over schedules reads there what a turn
   * did, between the turns.
   */
  public int pendingCount() {
    return batch.count();
  }

  /** The events since the sink was last given any; only up to {@link #pendingCount}. */
  public EventBatch pending() {
    return batch;
  }

  void emit(long event, long address, long value) {
    batch.append(event, address, value);
    if (batch.isFull()) {
      flush();
    }
  }

  private void flush() {
    sink.accept(batch);
    sequence += batch.count();
    batch.begin(sequence);
    if (sequence >= maxEvents) {
      throw new IllegalStateException(
          "run is longer than its limit of "
              + maxEvents
              + " events; policy="
              + policy.name()
              + " seed="
              + policy.seed());
    }
  }

  void block(int thread, long address) {
    blocked |= 1L << thread;
    blockedOn[thread] = address >>> 3;
  }

  void written(long address) {
    long word = address >>> 3;
    for (long left = blocked; left != 0; left &= left - 1) {
      int thread = Long.numberOfTrailingZeros(left);
      if (blockedOn[thread] == word) {
        blocked &= ~(1L << thread);
      }
    }
  }

  private DeadlockException deadlock() {
    StringBuilder message = new StringBuilder("deadlock at event ").append(sequence()).append(':');
    for (long left = blocked; left != 0; left &= left - 1) {
      int thread = Long.numberOfTrailingZeros(left);
      message
          .append(" thread ")
          .append(thread)
          .append(" waits for 0x")
          .append(Long.toHexString(blockedOn[thread] << 3))
          .append(';');
    }
    return new DeadlockException(
        message
            .append(" policy=")
            .append(policy.name())
            .append(" seed=")
            .append(policy.seed())
            .toString());
  }
}
