package io.howdah.nvmsim.study.loc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.OutsideSources;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The protocol of {@code examples/protocol}, compiled as a user does, and mistakes in it. */
final class OwnProtocolCutsTest {
  private static final Path EXAMPLE = Path.of("../examples/protocol/UndoLog.java");

  @TempDir Path classes;

  private StudyOutcome cut(String source) throws Exception {
    Class<?> type = OutsideSources.load("UndoLog", source, classes);
    try (URLClassLoader _ = (URLClassLoader) type.getClassLoader()) {
      ProtocolProvider undo = (ProtocolProvider) type.getConstructor().newInstance();
      LocTrial trial = new LocTrial(LocMachine.HEADLINE, "swaps", List.of(undo));
      trial.run("sps", WorkloadKind.SPS.trace(64, 1, 1, 1));
      return trial.outcome();
    }
  }

  @Test
  void theExampleRecoversFromEveryCut() throws Exception {
    StudyOutcome outcome = cut(Files.readString(EXAMPLE));
    assertThat(outcome.violations()).isEmpty();
    assertThat(outcome.lines())
        .anyMatch(line -> line.contains("undo"))
        .anyMatch(line -> line.matches("Power cuts of undo: \\d{5,} states .* 0 violations"));
    assertThat(Files.readString(Path.of("../examples/protocol/README.md")))
        .contains(outcome.lines().getLast());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          awaitDurable\\(\\);\\s+writeLog\\(entry, | writeLog(entry,
          (writeLog\\(entry, [^;]*;[^;]*)awaitDurable\\(\\); | $1
          awaitDurable\\(\\);\\s+writeLog\\(0, txId\\); | writeLog(0, txId);
          awaitDurable\\(\\);\\s+durable | durable
          memory\\.awaitDurable\\(\\);\\s+memory\\.writeLog | memory.writeLog
          old\\.forEach\\(this::setContent\\); | ;
          """)
  void mistakesInItAreFound(String mistake, String replacement) throws Exception {
    String source = Files.readString(EXAMPLE);
    String broken = source.replaceFirst(mistake, replacement);
    assertThat(broken).isNotEqualTo(source);
    assertThat(cut(broken).violations()).isNotEmpty();
  }

  @Test
  void aProtocolWithoutRecoveryIsTimedAndSaysSo() throws Exception {
    String source = Files.readString(EXAMPLE);
    StudyOutcome outcome = cut(source.replace("return true;", "return false;"));
    assertThat(outcome.lines()).contains("undo has no recovery: its power is not cut");
  }
}
