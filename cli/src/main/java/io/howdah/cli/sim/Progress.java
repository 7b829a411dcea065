package io.howdah.cli.sim;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;

/** One line of progress on standard error, only if somebody looks at it. */
final class Progress {
  private static final int WIDTH = 30;
  private static final long MIN_INTERVAL_NS = 100_000_000;

  private final PrintWriter err;
  private final boolean visible =
      Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  private long lastNs = System.nanoTime() - MIN_INTERVAL_NS;

  Progress(PrintWriter err) {
    this.err = err;
  }

  /** Shows that this share of the named work is done. */
  void show(String what, double share) {
    long now = System.nanoTime();
    if (!visible || now - lastNs < MIN_INTERVAL_NS) {
      return;
    }
    lastNs = now;
    int done = (int) (WIDTH * Math.max(0, Math.min(1, share)));
    err.print("\r[" + "#".repeat(done) + ".".repeat(WIDTH - done) + "] " + what + "\u001b[K");
    err.flush();
  }

  /** Clears the line. */
  void end() {
    if (visible) {
      err.print("\r\u001b[K");
      err.flush();
    }
  }
}
