package io.howdah.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.cli.terminal.Screen;
import io.howdah.crashtest.kill.CrashRun;
import io.howdah.crashtest.kill.Round;
import io.howdah.crashtest.kill.TransferChild;
import io.howdah.crashtest.kill.Verdict;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class CrashSummaryTest {

  private static final int FIGURES_END = 2 + 23 + 2 + 13;

  @Test
  void allFiguresStandInOneColumn() {
    List<Round> rounds = new ArrayList<>();
    for (String mode : TransferChild.modeNames()) {
      Verdict verdict = new Verdict(1000, 1001, 0, 0, List.of());
      rounds.add(new Round(rounds.size() + 1, mode, 1_000_000, 5_000_000, 7, 1, verdict));
    }
    StringWriter out = new StringWriter();
    CommandLine line = new CommandLine(new DemoCommand()).setOut(new PrintWriter(out));
    CrashSummary.of(new CrashRun.Report(rounds, 1, 3, 90, 1_000_000, List.of(), false))
        .print(Screen.of(line));
    List<String> rows = out.toString().lines().filter(row -> !row.isBlank()).toList();
    assertThat(rows).hasSizeGreaterThan(8);
    Set<Boolean> isFilled =
        rows.stream()
            .map(row -> row.charAt(FIGURES_END - 1) != ' ' && row.charAt(2 + 23) == ' ')
            .collect(Collectors.toSet());
    assertThat(isFilled).as("%s", out).containsExactly(true);
    assertThat(out.toString()).contains("transactions, partition  ");
  }
}
