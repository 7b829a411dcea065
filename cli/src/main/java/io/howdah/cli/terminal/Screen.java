package io.howdah.cli.terminal;

import java.io.Console;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Where a command writes for a person: lines that stay, and below them one line that is rewritten
 * while work goes on. The latter, and colours, appear only on a terminal. For one thread.
 */
public final class Screen {

  /** A line longer than the terminal would wrap and could not be rewritten. */
  private static final int MAX_STATUS_COLUMNS = 78;

  private static final long STATUS_INTERVAL_NANOS = 100_000_000;

  private final PrintWriter out;
  private final Ansi ansi;
  private final boolean live;
  private boolean statusShown;
  private long statusNanos;

  private Screen(PrintWriter out, Ansi ansi, boolean live) {
    this.out = out;
    this.ansi = ansi;
    this.live = live;
    this.statusNanos = System.nanoTime() - STATUS_INTERVAL_NANOS;
  }

  /** Returns the standard output of a command. */
  @SuppressWarnings("SystemConsoleNull") // since JDK 25 it is null again where there is no terminal
  public static Screen of(CommandLine command) {
    Console console = System.console();
    return new Screen(
        command.getOut(), command.getColorScheme().ansi(), console != null && console.isTerminal());
  }

  /** Writes a line, in which {@code @|style text|@} is picocli's markup. */
  public void line(String markup) {
    clearStatus();
    out.println(ansi.string(markup));
    out.flush();
  }

  /** Writes a line as it stands. */
  public void plainLine(String text) {
    clearStatus();
    out.println(text);
    out.flush();
  }

  /** Shows how far the work is; at most ten times a second, and nowhere but on a terminal. */
  public void status(String text) {
    long now = System.nanoTime();
    if (!live || now - statusNanos < STATUS_INTERVAL_NANOS) {
      return;
    }
    statusNanos = now;
    clearStatus();
    out.print(
        text.length() <= MAX_STATUS_COLUMNS
            ? text
            : text.substring(0, MAX_STATUS_COLUMNS - 1) + "…");
    out.flush();
    statusShown = true;
  }

  private void clearStatus() {
    if (statusShown) {
      out.print("\r\u001b[K");
      statusShown = false;
    }
  }
}
