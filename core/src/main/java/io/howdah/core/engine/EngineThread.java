package io.howdah.core.engine;

import io.howdah.core.Execution;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A thread of the engine with an orderly end: it is asked to end, and {@link #close} waits until it
 * has. What its body throws is kept for the threads that depend on it. Thread-safe.
 */
public final class EngineThread implements AutoCloseable {

  private static final long CLOSE_PARK_NANOS = 100_000;
  private static final long RETRY_NANOS = 10_000_000;

  private final Execution execution;
  private final String name;
  private volatile @Nullable Thread thread;
  private volatile @Nullable Throwable failure;
  private volatile boolean closing;
  private volatile boolean ended;

  /**
   * Prepares a thread; {@link #start} starts it.
   *
   * @param name of the thread, for thread dumps
   */
  public EngineThread(Execution execution, String name) {
    this.execution = execution;
    this.name = name;
  }

  /**
   * Starts the thread. What the body throws is kept, not rethrown. Called once.
   *
   * @param body returns soon after {@link #isClosing} has become true; {@link #close} ends its
   *     parks
   */
  public void start(Runnable body) {
    start(body, null);
  }

  /**
   * Starts the thread. Called once.
   *
   * @param body returns soon after {@link #isClosing} has become true; {@link #close} ends its
   *     parks
   * @param onFailure called by the thread with what the body has thrown, after it was kept; again
   *     while memory or stack run out in it and the thread is not asked to end, for without it the
   *     other threads would not learn of the failure; null if nobody is to be told
   */
  public void start(Runnable body, @Nullable Consumer<Throwable> onFailure) {
    thread = execution.start(name, new Guarded(body, onFailure));
  }

  /** The body, and what follows it. */
  private final class Guarded implements Runnable {
    private final Runnable body;
    private final @Nullable Consumer<Throwable> onFailure;

    Guarded(Runnable body, @Nullable Consumer<Throwable> onFailure) {
      this.body = body;
      this.onFailure = onFailure;
    }

    @Override
    public void run() {
      try {
        body.run();
      } catch (Throwable t) {
        failure = t;
        if (onFailure != null) {
          tell(onFailure, t);
        }
      } finally {
        ended = true;
      }
    }
  }

  @SuppressWarnings("EmptyCatch") // said below
  private void tell(Consumer<Throwable> onFailure, Throwable thrown) {
    while (true) {
      try {
        onFailure.accept(thrown);
        return;
      } catch (VirtualMachineError e) {
        // The heap is full, perhaps. That is why the body has failed, or has become so since.
      }
      if (closing) {
        return;
      }
      execution.parkNanos(this, RETRY_NANOS);
    }
  }

  /** Returns whether the thread has been asked to end. */
  public boolean isClosing() {
    return closing;
  }

  /** Returns whether the thread has ended; all that it did is then visible to the caller. */
  public boolean hasEnded() {
    return ended;
  }

  /** Returns what the body has thrown, or null. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Throws what the body has thrown, if it has thrown something. */
  public void failIfFailed() {
    Throwable cause = failure;
    if (cause != null) {
      rethrow(cause);
    }
  }

  /** Throws an unchecked exception or error as it is. */
  public static void rethrow(Throwable thrown) {
    switch (thrown) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(thrown);
    }
  }

  /** Ends the thread's current or next park. No effect before it is started. */
  public void unpark() {
    Thread started = thread;
    if (started != null) {
      execution.unpark(started);
    }
  }

  /** Asks the thread to end, and does not wait. */
  public void askToEnd() {
    closing = true;
    unpark();
  }

  /**
   * Asks the thread to end and waits until it has. Returns at once if it was never started. An
   * interrupt does not end the wait, and is still set afterwards. Idempotent.
   */
  @Override
  public void close() {
    askToEnd();
    while (thread != null && !ended) {
      unpark();
      execution.parkThroughInterrupt(this, CLOSE_PARK_NANOS);
    }
  }
}
