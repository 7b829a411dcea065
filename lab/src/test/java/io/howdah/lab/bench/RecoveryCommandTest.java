package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class RecoveryCommandTest {

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new RecoveryCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private Path figures(String... options) throws Exception {
    Path figures = folder.resolve("recovery.json");
    String[] all = new String[options.length + 5];
    System.arraycopy(options, 0, all, 0, options.length);
    all[options.length] = "--region-gib=0.01";
    all[options.length + 1] = "--tail-million-words=1";
    all[options.length + 2] = "--rounds=1";
    all[options.length + 3] = "--dir=" + folder.resolve("stores");
    all[options.length + 4] = "--json=" + figures;
    assertThat(run(all)).as("%s", err).isZero();
    return figures;
  }

  @Test
  void everyFigureIsThere() throws Exception {
    Path figures = figures("--sparse-gib=0.1");
    String json = Files.readString(figures);
    for (String metric :
        List.of(
            "baseline.sequentialRead.bytesPerSec",
            "recovery.createMillis",
            "recovery.emptyStoreMiB",
            "recovery.openCleanMillis",
            "recovery.bytesPerSec",
            "recovery.overRawRead",
            "baseline.firstTouch.bytesPerSec",
            "baseline.randomStores.perSec",
            "recovery.imageOverReadAndTouch",
            "recovery.replay.overRandomStores",
            "recovery.openAfterKillMillis",
            "recovery.firstTxnAfterKillMillis",
            "recovery.shared.firstTxnAfterKillMillis",
            "recovery.shared.firstRandomTxnAfterKillMillis",
            "recovery.shared.attached",
            "recovery.firstRandomTxnAfterKillMillis",
            "recovery.replayedAfterKillMillis",
            "recovery.mapped.replayWordsPerSec",
            "recovery.resident.replayWordsPerSec",
            "recovery.replayWordsPerSec",
            "recovery.goal.firstTxnAfterKillMillis",
            "recovery.goal.firstTxnOverBar",
            "recovery.logReadOverRaw")) {
      assertThat(FiguresOf.smallest(figures)).containsKey(metric);
    }
    // Each is a time, a size, a rate or a ratio of two.
    assertThat(FiguresOf.smallest(figures))
        .allSatisfy((metric, value) -> assertThat(value).as(metric).isPositive());
    assertThat(json).contains("\"regionGiB\" : 0.01", "\"regionGiB\" : 0.1");
  }

  @Test
  void aFullRecoveryIsMeasuredAlone() throws Exception {
    Map<String, Double> figures = FiguresOf.smallest(figures("--full"));
    for (String metric :
        List.of("recovery.full.seconds", "recovery.full.barSeconds", "recovery.full.overBar")) {
      assertThat(figures).containsKey(metric);
    }
    assertThat(figures).doesNotContainKey("recovery.createMillis");
    assertThat(figures).allSatisfy((metric, value) -> assertThat(value).as(metric).isPositive());
  }

  @Test
  void openingsAfterAKillAreMeasuredAloneInBothKindsOfMemory() throws Exception {
    Map<String, Double> figures = FiguresOf.smallest(figures("--after-kill"));
    for (String metric :
        List.of(
            "recovery.shared.firstTxnAfterKillMillis",
            "recovery.shared.firstRandomTxnAfterKillMillis",
            "recovery.firstTxnAfterKillMillis",
            "recovery.firstRandomTxnAfterKillMillis",
            "recovery.replayedAfterKillMillis",
            "recovery.setUpSeconds")) {
      assertThat(figures).containsKey(metric);
    }
    assertThat(figures).containsEntry("recovery.shared.attached", 1.0);
    assertThat(figures).doesNotContainKey("recovery.createMillis");
    assertThat(run("--full", "--after-kill")).isEqualTo(2);
  }

  @Test
  void aRegionHasASize() {
    assertThat(run("--region-gib=0")).isEqualTo(2);
    assertThat(run("--sparse-gib=NaN")).isEqualTo(2);
    assertThat(err.toString()).contains("--region-gib", "--sparse-gib");
  }
}
