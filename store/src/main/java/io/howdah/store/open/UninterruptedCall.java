package io.howdah.store.open;

import io.howdah.core.Execution;
import io.howdah.core.engine.EngineThread;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs file operations on a thread of the engine's own while the caller waits. A channel closes
 * itself when its thread is interrupted, and the caller's may be, at any time.
 */
public final class UninterruptedCall {

  private static final long POLL_NANOS = 1_000_000;

  private UninterruptedCall() {}

  /**
   * Does the same, in the caller if no thread can be started: for a close, which would else keep
   * lock and files until the process ends. There an interrupt may close a channel.
   */
  static <T> T callOrRun(Execution execution, String name, Supplier<T> work) {
    AtomicBoolean isTaken = new AtomicBoolean();
    try {
      return call(
          execution,
          name,
          () -> {
            if (!isTaken.compareAndSet(false, true)) {
              throw new IllegalStateException("the caller runs it");
            }
            return work.get();
          });
    } catch (OutOfMemoryError e) {
      if (!isTaken.compareAndSet(false, true)) {
        throw e; // of the work
      }
    }
    boolean interrupted = Thread.interrupted();
    try {
      return work.get();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private record Call<T>(
      Supplier<T> work,
      AtomicReference<@Nullable T> result,
      AtomicReference<@Nullable Throwable> failure,
      Execution execution,
      Thread caller)
      implements Runnable {
    @Override
    public void run() {
      try {
        result.set(work.get());
      } catch (Throwable t) {
        failure.set(t);
      }
      execution.unpark(caller);
    }
  }

  /** Runs {@code work} and returns its result, or throws what it threw. */
  public static <T> T call(Execution execution, String name, Supplier<T> work) {
    AtomicReference<@Nullable T> result = new AtomicReference<>();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread caller = Thread.currentThread();
    execution.start(name, new Call<>(work, result, failure, execution, caller));
    boolean interrupted = false;
    try {
      while (true) {
        Throwable thrown = failure.get();
        if (thrown != null) {
          EngineThread.rethrow(thrown);
        }
        T value = result.get();
        if (value != null) {
          return value;
        }
        execution.parkNanos(result, POLL_NANOS);
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        caller.interrupt();
      }
    }
  }
}
