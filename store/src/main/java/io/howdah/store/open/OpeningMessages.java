package io.howdah.store.open;

import io.howdah.core.Execution;
import io.howdah.core.report.LateLogger;
import io.howdah.core.report.ProgramLog;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the log of the program what an opening found: one line when the store serves and, if a
 * recovery is not complete by then, another one when it is. Measures from its creation.
 *
 * <p>The line of a recovery is written before the opening returns. The first message of a new JVM
 * takes 10 ms and more, so that of an opening that recovered nothing is written by a thread of its
 * own, half a second later: the first transactions of the program need the processors, and a
 * program that has ended by then has no use for the line. The second line is written by a thread of
 * its own, too, since no thread of the engine may wait for a log.
 *
 * <p>Thread-safe, for one opening.
 */
public final class OpeningMessages implements OpeningListener {

  /** Of openings that followed no close, or need attention. */
  private static final String LOGGER = "io.howdah.store";

  /** Of the others, at DEBUG: a program whose store was closed has nothing to tell. */
  private static final String ROUTINE_LOGGER = "io.howdah.store.opening";

  private static final long ROUTINE_DELAY_NANOS = 500_000_000;

  private final Execution execution;
  private final long started;
  private @Nullable Line first;
  private @Nullable String second;
  private boolean isFirstWritten;

  /**
   * A line.
   *
   * @param made its text; null if it is made when a logger wants it
   * @param isRoutine whether it needs no attention
   */
  private record Line(OpeningFacts facts, long nanos, @Nullable String made, boolean isRoutine)
      implements Supplier<String> {
    @Override
    public String get() {
      return made == null ? OpeningMessage.of(facts, nanos) : made;
    }
  }

  /** Starts to measure an opening. */
  public OpeningMessages(Execution execution) {
    this.execution = execution;
    this.started = execution.nanoTime();
  }

  @Override
  public synchronized void opened(OpeningFacts facts) {
    long nanos = nanos();
    boolean isRoutine = OpeningMessage.isRoutine(facts);
    // Now, since it says whether all memory is recovered, and a second line follows if not.
    String made = isRoutine ? null : OpeningMessage.of(facts, nanos);
    first = new Line(facts, nanos, made, isRoutine);
  }

  @Override
  public void replayed(long words, long chunksOnDemand) {
    String text;
    synchronized (this) {
      Line opened = first;
      if (opened == null) {
        return; // the first line will say that all is there
      }
      text = OpeningMessage.replayed(opened.facts.store(), words, chunksOnDemand, nanos());
      if (!isFirstWritten) {
        second = text;
        return;
      }
    }
    writeLater(LOGGER, System.Logger.Level.INFO, () -> text);
  }

  private long nanos() {
    return execution.nanoTime() - started;
  }

  /** Writes what was told so far. Called on the program's thread, when the store is open. */
  public void write() {
    Line line;
    synchronized (this) {
      line = first;
    }
    if (line == null) {
      return;
    }
    if (line.isRoutine) {
      new ProgramLog(ROUTINE_LOGGER, execution)
          .sayAfter(ROUTINE_DELAY_NANOS, System.Logger.Level.DEBUG, line);
    } else {
      new LateLogger(LOGGER).get().log(System.Logger.Level.INFO, line);
    }
    String rest;
    synchronized (this) {
      isFirstWritten = true;
      rest = second;
    }
    if (rest != null) {
      writeLater(LOGGER, System.Logger.Level.INFO, () -> rest);
    }
  }

  private void writeLater(String logger, System.Logger.Level level, Supplier<String> text) {
    new ProgramLog(logger, execution).say(level, text);
  }
}
