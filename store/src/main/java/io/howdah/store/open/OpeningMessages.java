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
 * own, and so is the second line, since no thread of the engine may wait for a log.
 *
 * <p>Thread-safe, for one opening.
 */
public final class OpeningMessages implements OpeningListener {

  /** Of openings that followed no close, or need attention. */
  private static final String LOGGER = "io.howdah.store";

  /** Of the others, at DEBUG: a program whose store was closed has nothing to tell. */
  private static final String ROUTINE_LOGGER = "io.howdah.store.opening";

  private final Execution execution;
  private final long started;
  private @Nullable Line first;
  private @Nullable String second;
  private boolean isFirstWritten;

  /** A line, and whether it needs no attention; then its text is made if a logger wants it. */
  private record Line(String store, Supplier<String> text, boolean isRoutine) {}

  /** Starts to measure an opening. */
  public OpeningMessages(Execution execution) {
    this.execution = execution;
    this.started = execution.nanoTime();
  }

  @Override
  public synchronized void opened(OpeningFacts facts) {
    long nanos = nanos();
    if (OpeningMessage.isRoutine(facts)) {
      first = new Line(facts.store(), () -> OpeningMessage.of(facts, nanos), true);
    } else {
      // Now, since it says whether all memory is recovered, and a second line follows if not.
      String text = OpeningMessage.of(facts, nanos);
      first = new Line(facts.store(), () -> text, false);
    }
  }

  @Override
  public void replayed(long words, long chunksOnDemand) {
    String text;
    synchronized (this) {
      Line opened = first;
      if (opened == null) {
        return; // the first line will say that all is there
      }
      text = OpeningMessage.replayed(opened.store, words, chunksOnDemand, nanos());
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
      writeLater(ROUTINE_LOGGER, System.Logger.Level.DEBUG, line.text);
    } else {
      new LateLogger(LOGGER).get().log(System.Logger.Level.INFO, line.text);
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
