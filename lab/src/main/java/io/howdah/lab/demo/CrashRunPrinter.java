package io.howdah.lab.demo;

import static io.howdah.cli.terminal.Figures.count;
import static io.howdah.cli.terminal.Figures.nanos;

import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.crashtest.kill.CrashRun;
import io.howdah.crashtest.kill.Round;

/** Shows a crash run while it goes on: a line for each kill. */
final class CrashRunPrinter implements CrashRun.Progress {

  private static final Table ROUNDS =
      new Table()
          .figure("kill", 4)
          .text("commits", 9)
          .figure("ran for", 8)
          .figure("acknowledged", 12)
          .figure("recovered", 12)
          .figure("lost", 4)
          .figure("reopened in", 11);

  private final Screen screen;
  private final int kills;

  /**
   * Creates one.
   *
   * @param kills how many there will be
   */
  CrashRunPrinter(Screen screen, int kills) {
    this.screen = screen;
    this.kills = kills;
  }

  @Override
  public void loading(int loaded, int of) {
    screen.status("  loading " + count(loaded) + " of " + count(of) + " cities");
  }

  @Override
  public void loaded(int cities, long people, long nanos) {
    screen.line(
        "  loaded @|bold %s|@ cities with @|bold %s|@ people in %s"
            .formatted(count(cities), count(people), nanos(nanos)));
    screen.line("");
    screen.line("@|faint " + ROUNDS.head() + "|@");
    screen.line("@|faint " + ROUNDS.rule() + "|@");
  }

  @Override
  public void running(int round, String plan, long acknowledged) {
    screen.status(
        "kill %d of %d is near: %s %s transfers acknowledged"
            .formatted(round, kills, count(acknowledged), plan),
        share(round - 1));
  }

  @Override
  public void judged(Round round) {
    String row =
        ROUNDS.row(
            Integer.toString(round.number()),
            round.plan(),
            nanos(round.runNanos()),
            count(round.verdict().acknowledged()),
            count(round.verdict().recovered()),
            count(round.verdict().lost()),
            nanos(round.openNanos()) + (round.killsWhileOpening() > 0 ? " *" : "  "));
    screen.line(round.verdict().violations().isEmpty() ? row : "@|bold,red " + row + "|@");
    screen.status("", share(round.number()));
  }

  private double share(int done) {
    return (double) done / kills;
  }
}
