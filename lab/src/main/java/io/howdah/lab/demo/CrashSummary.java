package io.howdah.lab.demo;

import static io.howdah.cli.terminal.Figures.count;
import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;

import io.howdah.cli.json.Metric;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.terminal.Table;
import io.howdah.crashtest.kill.CrashRun;
import io.howdah.crashtest.kill.Round;
import io.howdah.crashtest.kill.TransferChild;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a crash run adds up to. */
public final class CrashSummary {

  private static final String RATE_LABEL = "transactions, ";

  /** The longest label is that of a rate; names of modes have different lengths. */
  private static final int LABEL_WIDTH =
      RATE_LABEL.length()
          + TransferChild.modeNames().stream().mapToInt(String::length).max().orElse(0);

  private final CrashRun.Report report;

  private CrashSummary(CrashRun.Report report) {
    this.report = report;
  }

  static CrashSummary of(CrashRun.Report report) {
    return new CrashSummary(report);
  }

  /** Returns how many kills under transfers were judged. */
  public int kills() {
    return report.rounds().size();
  }

  /** Returns how many children were killed while they opened the store. */
  public int killsWhileOpening() {
    return report.killsWhileOpening();
  }

  /** Returns how many transfers were acknowledged. */
  public long acknowledged() {
    return report.acknowledged();
  }

  /** Returns how many transfers were found again. */
  public long recovered() {
    return report.recovered();
  }

  /** Returns how many acknowledged transfers were not found again. */
  public long lost() {
    return report.lost();
  }

  /** Returns how many transfers were gone that were acknowledged, but not as durable. */
  public long dropped() {
    return report.dropped();
  }

  /** Returns how long the store took to open after a kill; the value is the longest. */
  public Optional<Metric> recoveryMillis(String name, Map<String, Object> params) {
    double[] millis = openNanos();
    for (int i = 0; i < millis.length; i++) {
      millis[i] /= 1e6;
    }
    return millis.length == 0
        ? Optional.empty()
        : Optional.of(
            new Metric(
                name,
                millis[millis.length - 1],
                "ms",
                millis[0],
                millis[millis.length - 1],
                millis.length,
                params));
  }

  /** Returns the rate of each commit mode, over the lives in which all threads used it. */
  public List<Metric> rates(String prefix, Map<String, Object> params) {
    List<Metric> rates = new ArrayList<>();
    for (String mode : TransferChild.modeNames()) {
      double[] samples =
          report.rounds().stream()
              .filter(round -> round.plan().equals(mode))
              .mapToDouble(Round::perSecond)
              .toArray();
      if (samples.length > 0) {
        rates.add(Metric.median(prefix + mode, "txn/s", samples, params));
      }
    }
    return rates;
  }

  private static String runs(int count) {
    return count == 1 ? "1 run" : count + " runs";
  }

  /** Sorted. */
  private double[] openNanos() {
    double[] nanos = report.rounds().stream().mapToDouble(Round::openNanos).toArray();
    Arrays.sort(nanos);
    return nanos;
  }

  /** Writes the table that ends a run. */
  void print(Screen screen) {
    Table table = new Table().text("", LABEL_WIDTH).figure("", 13).text("", 38);
    screen.line("");
    for (Metric rate : rates("", Map.of())) {
      screen.line(
          table.row(
              RATE_LABEL + rate.name(),
              rate(rate.value()) + "/s",
              "median of %s, each from a cold JVM".formatted(runs(rate.samples()))));
    }
    screen.line(
        table.row(
            "kills survived",
            count(report.rounds().stream().filter(r -> r.verdict().violations().isEmpty()).count()),
            report.killsWhileOpening() == 0
                ? ""
                : "and %d while the store was opening *".formatted(report.killsWhileOpening())));
    screen.line(table.row("acknowledged", count(acknowledged()), "commits that had returned"));
    screen.line(
        table.row(
            "recovered",
            count(recovered()),
            "%s of them not yet acknowledged"
                .formatted(count(recovered() + lost() + dropped() - acknowledged()))));
    if (dropped() > 0) {
      screen.line(
          table.row("gone", count(dropped()), "acknowledged as async: durable a moment later"));
    }
    String lost = table.row("lost", count(lost()), "");
    screen.line(lost() == 0 ? "@|bold,green " + lost + "|@" : "@|bold,red " + lost + "|@");
    double[] nanos = openNanos();
    if (nanos.length > 0) {
      screen.line(
          table.row(
              "opening after a kill",
              nanos(nanos[nanos.length - 1]),
              "at most; median " + nanos(nanos[nanos.length / 2])));
    }
    if (report.violations().isEmpty() && report.cleanOpenNanos() > 0) {
      screen.line(table.row("opening after a close", nanos(report.cleanOpenNanos()), ""));
      screen.line(
          table.row(
              "world population", count(report.people()), "as at the start; right in each city"));
    }
    screen.line("");
    for (String violation : report.violations()) {
      screen.line("  @|bold,red violation|@  " + violation.replace("@|", "@ |"));
    }
    if (!report.violations().isEmpty()) {
      screen.line("");
    }
  }
}
