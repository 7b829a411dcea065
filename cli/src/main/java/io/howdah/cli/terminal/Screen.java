package io.howdah.cli.terminal;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * Where a command writes for a person: lines that stay, and below them one line that is rewritten
 * while work goes on. The latter, and colours, appear only on a terminal. For one thread.
 */
public final class Screen {

  private final PrintWriter out;
  private final Ansi ansi;
  private final StatusLine status;

  private Screen(PrintWriter out, Ansi ansi) {
    this.out = out;
    this.ansi = ansi;
    this.status = new StatusLine(out);
  }

  /** Returns the standard output of a command. */
  public static Screen of(CommandLine command) {
    return new Screen(command.getOut(), command.getColorScheme().ansi());
  }

  /** Writes a line, in which {@code @|style text|@} is picocli's markup. */
  public void line(String markup) {
    status.clear();
    out.println(ansi.string(markup));
    out.flush();
  }

  /** Writes a line as it stands. */
  public void plainLine(String text) {
    status.clear();
    out.println(text);
    out.flush();
  }

  /** Shows how far the work is; at most ten times a second, and nowhere but on a terminal. */
  public void status(String text) {
    status.show(text);
  }

  /** Shows which work is under way and how much of it is done, likewise. */
  public void status(String work, double share) {
    status.show(work, share);
  }
}
