package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class FeedCommandTest {

  @TempDir Path folder;

  private int run(StringWriter err, String... args) {
    return new CommandLine(new FeedCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  @Test
  void anAuditHasAnEntryForEachChange() throws Exception {
    StringWriter err = new StringWriter();
    Path figures = folder.resolve("feed.json");
    int code =
        run(
            err,
            "--rate=200",
            "--seconds=1",
            "--writers=4",
            "--batch=1,50",
            "--dir=" + folder.resolve("stores"),
            "--json=" + figures);
    assertThat(code).as("%s", err).isZero(); // the command itself compares entries and changes
    Map<String, Double> smallest = FiguresOf.smallest(figures);
    assertThat(smallest.get("feed.transfersPerSec")).isPositive();
    assertThat(smallest.get("feed.maxLagNanos"))
        .isGreaterThanOrEqualTo(smallest.get("feed.medianLagNanos"));
  }

  @Test
  void moreTransfersThanTheJournalKeepsAreRefused() {
    StringWriter err = new StringWriter();
    assertThat(run(err, "--rate=100000", "--seconds=3600", "--dir=" + folder.resolve("none")))
        .isEqualTo(2);
    assertThat(err).asString().contains("make more than 4,000,000 transfers");
  }
}
