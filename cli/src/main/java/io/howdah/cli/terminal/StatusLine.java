package io.howdah.cli.terminal;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;

/**
 * One line that is rewritten while work goes on, at most ten times a second, and nowhere but on a
 * terminal. For one thread.
 */
public final class StatusLine {

  /** A line longer than the terminal would wrap and could not be rewritten. */
  private static final int MAX_COLUMNS = 78;

  private static final long INTERVAL_NANOS = 100_000_000;

  private final PrintWriter out;
  private final boolean isTerminal;
  private boolean isShown;
  private long shownNanos = System.nanoTime() - INTERVAL_NANOS;

  /** Creates one that writes to {@code out}, the standard output or error of a command. */
  public StatusLine(PrintWriter out) {
    this.out = out;
    this.isTerminal = Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  }

  /** Shows a text in place of the one before. */
  public void show(String text) {
    long now = System.nanoTime();
    if (!isTerminal || now - shownNanos < INTERVAL_NANOS) {
      return;
    }
    shownNanos = now;
    clear();
    out.print(text.length() <= MAX_COLUMNS ? text : text.substring(0, MAX_COLUMNS - 1) + "…");
    out.flush();
    isShown = true;
  }

  /** Shows which work is under way and a bar of how much of it is done. */
  public void show(String work, double share) {
    show("  %s  %s".formatted(ProgressBar.of(share), work));
  }

  /** Removes the line, so that what is written next begins where it was. */
  public void clear() {
    if (isShown) {
      out.print("\r\u001b[K");
      out.flush();
      isShown = false;
    }
  }
}
