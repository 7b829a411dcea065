package io.howdah.crashtest.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is remembered of earlier runs, and what is read of a run that was stopped. */
class MutationHistoryTest {

  private static final Mutant KILLED =
      new Mutant("KILLED", "a.B", "m", 7, "replaced return with 0");
  private static final Mutant SURVIVED =
      new Mutant("SURVIVED", "a.B$C", "n", 9, "negated conditional");

  @TempDir private Path folder;

  @Test
  void aResultCountsUntilAClassFileChanges() throws IOException {
    Path file = Files.writeString(folder.resolve("B.class"), "one");
    MutationHistory history = new MutationHistory(folder.resolve("history"));
    String key = MutationHistory.key(List.of(file));
    assertThat(history.find("a.B", key)).isNull();

    history.keep("a.B", key, List.of(KILLED, SURVIVED));

    assertThat(history.find("a.B", key)).containsExactly(KILLED, SURVIVED);
    Files.writeString(file, "two");
    assertThat(history.find("a.B", MutationHistory.key(List.of(file)))).isNull();
  }

  @Test
  void aReportThatWasCutShortIsReadAsFarAsItGoes() throws IOException {
    String whole =
        "<mutations><mutation detected='false' status='SURVIVED'><mutatedClass>a.B$C</mutatedClass>"
            + "<mutatedMethod>n</mutatedMethod><lineNumber>9</lineNumber>"
            + "<description>negated conditional</description></mutation></mutations>";
    Path file = folder.resolve("mutations.xml");

    Files.writeString(file, whole);
    assertThat(PitestReport.read(file)).isEqualTo(new PitestReport(List.of(SURVIVED), true));

    Files.writeString(file, whole.substring(0, whole.length() - 5));
    assertThat(PitestReport.read(file)).isEqualTo(new PitestReport(List.of(SURVIVED), false));
    assertThat(PitestReport.read(folder.resolve("none")).isComplete()).isFalse();
  }
}
