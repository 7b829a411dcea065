package io.howdah.core.report;

import io.howdah.core.Execution;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Writes messages of an engine thread to the log of the program, on a thread of their own. That log
 * may lie on a disk that does not answer, or a handler may write to this very store and wait until
 * that is durable. An engine thread that waited for the handler would hold up forces or
 * checkpoints. Thread-safe.
 */
public final class ProgramLog {

  private final LateLogger logger;
  private final Execution execution;

  /** Whether a thread is at the program's log. */
  private final AtomicBoolean isSaying = new AtomicBoolean();

  /**
   * Creates one.
   *
   * @param name of the logger
   */
  public ProgramLog(String name, Execution execution) {
    this.logger = new LateLogger(name);
    this.execution = execution;
  }

  /**
   * Has another thread write a message. It writes one at a time: a message that comes before the
   * one before is written is left out, and so is one for which no thread can be started.
   *
   * @return whether a thread was started for it
   */
  public boolean say(System.Logger.Level level, Supplier<String> message) {
    return sayAfter(0, level, message);
  }

  /**
   * Has another thread write a message after a time, like {@link #say}. The message is not written
   * if the process ends before.
   */
  public boolean sayAfter(long nanos, System.Logger.Level level, Supplier<String> message) {
    if (!isSaying.compareAndSet(false, true)) {
      return false;
    }
    boolean isStarted = false;
    try {
      execution.start("howdah-message", new Message(nanos, level, message));
      isStarted = true;
    } catch (VirtualMachineError e) {
      // No memory or no stack for a thread: the caller's work matters more than the message.
      return false;
    } finally {
      if (!isStarted) {
        isSaying.set(false);
      }
    }
    return true;
  }

  /** Writes. Formatters show the name of this method as the origin of the message. */
  private void log(System.Logger.Level level, Supplier<String> message) {
    logger.get().log(level, message);
  }

  private final class Message implements Runnable {
    private final long nanos;
    private final System.Logger.Level level;
    private final Supplier<String> text;

    Message(long nanos, System.Logger.Level level, Supplier<String> text) {
      this.nanos = nanos;
      this.level = level;
      this.text = text;
    }

    @Override
    public void run() {
      try {
        if (nanos > 0) {
          rest();
        }
        log(level, text);
      } finally {
        isSaying.set(false);
      }
    }

    private void rest() {
      long end = execution.nanoTime() + nanos;
      for (long left = nanos; left > 0; left = end - execution.nanoTime()) {
        execution.parkNanos(this, left);
      }
    }
  }
}
