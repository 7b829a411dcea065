package io.howdah.crashtest.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is remembered of earlier runs, and what is read of a run that was stopped. */
class MutationHistoryTest {

  private static final Mutant KILLED =
      new Mutant("KILLED", "a.B", "m", 7, 3, "replaced return with 0");
  private static final Mutant SURVIVED =
      new Mutant("SURVIVED", "a.B$C", "n", 9, 4, "negated conditional");

  @TempDir private Path folder;

  @Test
  void aJudgeIsAnotherOneWhenATableBesideItHasChanged() throws IOException {
    Path judge = Files.writeString(folder.resolve("BTest.class"), "one");
    String alone = MutationHistory.judgeKey(judge);
    Files.writeString(folder.resolve("Other.class"), "one");
    assertThat(MutationHistory.judgeKey(judge)).isEqualTo(alone);
    Path table = Files.writeString(folder.resolve("b.table"), "one");
    String withTable = MutationHistory.judgeKey(judge);
    assertThat(withTable).isNotEqualTo(alone);
    Files.writeString(table, "two");
    assertThat(MutationHistory.judgeKey(judge)).isNotIn(alone, withTable);
    Files.writeString(table, "one");
    assertThat(MutationHistory.judgeKey(judge)).isEqualTo(withTable);
    Files.writeString(judge, "two");
    assertThat(MutationHistory.judgeKey(judge)).isNotIn(alone, withTable);
  }

  @Test
  void aKeyChangesWithAClassFile() throws IOException {
    Path file = Files.writeString(folder.resolve("B.class"), "one");
    String key = MutationHistory.key(List.of(file));
    assertThat(MutationHistory.key(List.of(file))).isEqualTo(key);

    Files.writeString(file, "two");

    assertThat(MutationHistory.key(List.of(file))).isNotEqualTo(key);
  }

  @Test
  void resultsCountUntilTheClassChanges() throws IOException {
    MutationHistory history = new MutationHistory(folder);
    assertThat(history.find("a.B", "class")).isNull();
    MutationHistory.Known known =
        new MutationHistory.Known(List.of(KILLED, SURVIVED), Map.of("a.BTest", "7f"));

    history.keep("a.B", "class", known);

    assertThat(history.find("a.B", "class")).isEqualTo(known);
    assertThat(history.find("a.B", "other class")).isNull();
  }

  @Test
  void aSurvivorIsJudgedAgainByNewAndChangedJudges() {
    Map<String, String> judges = Map.of("a.BTest", "7f", "a.CTest", "80");
    MutationHistory.Known known = new MutationHistory.Known(List.of(KILLED, SURVIVED), judges);

    assertThat(known.newJudges(judges)).isEmpty();
    assertThat(known.newJudges(Map.of("a.BTest", "7f"))).isEmpty();
    assertThat(known.newJudges(Map.of("a.BTest", "8f", "a.CTest", "80", "a.DTest", "1")))
        .containsExactly("a.BTest", "a.DTest");
  }

  @Test
  void aClassWithoutSurvivorsNeedsNoOtherJudges() {
    MutationHistory.Known known = new MutationHistory.Known(List.of(KILLED), Map.of());

    assertThat(known.newJudges(Map.of("a.BTest", "7f"))).isEmpty();
  }

  @Test
  void oneJudgeThatNoticesAMutantIsEnough() {
    Mutant otherOfTheLine = new Mutant("SURVIVED", "a.B$C", "n", 9, 5, "negated conditional");
    Mutant killedLater = new Mutant("KILLED", "a.B$C", "n", 9, 5, "negated conditional");
    Mutant notRunLater = new Mutant("NO_COVERAGE", "a.B$C", "n", 9, 4, "negated conditional");
    MutationHistory.Known known =
        new MutationHistory.Known(List.of(KILLED, SURVIVED, otherOfTheLine), Map.of());

    assertThat(known.with(List.of(notRunLater, killedLater)))
        .containsExactly(KILLED, SURVIVED, killedLater);
    assertThat(known.with(List.of())).containsExactly(KILLED, SURVIVED, otherOfTheLine);
  }

  @ParameterizedTest
  @CsvSource({
    "KILLED, true",
    "TIMED_OUT, true",
    "MEMORY_ERROR, true",
    "NON_VIABLE, true",
    "SURVIVED, false",
    "NO_COVERAGE, false",
    "RUN_ERROR, false",
    "NOT_STARTED, false",
    "STARTED, false"
  })
  void aMutantThatWasNotRunToItsEndIsNotDetected(String status, boolean isDetected) {
    assertThat(new Mutant(status, "a.B", "m", 7, 3, "negated conditional").isDetected())
        .isEqualTo(isDetected);
  }

  @Test
  void methodsOfOneNameAreToldApart() {
    Mutant overload = new Mutant("SURVIVED", "a.B$C", "n", 19, 4, "negated conditional");
    Mutant killedLater = new Mutant("KILLED", "a.B$C", "n", 19, 4, "negated conditional");
    MutationHistory.Known known = new MutationHistory.Known(List.of(SURVIVED, overload), Map.of());

    assertThat(known.with(List.of(SURVIVED, killedLater))).containsExactly(SURVIVED, killedLater);
  }

  @Test
  void ofAReportThatWasCutShortTheLastClassIsNotFinished() {
    List<Mutant> mutants = List.of(KILLED, KILLED, SURVIVED);

    assertThat(new PitestReport(mutants, false).finished())
        .containsExactly(new MutationRun.Result("a.B", List.of(KILLED, KILLED)));
    assertThat(new PitestReport(mutants, true).finished())
        .containsExactly(
            new MutationRun.Result("a.B", List.of(KILLED, KILLED)),
            new MutationRun.Result("a.B$C", List.of(SURVIVED)));
    assertThat(new PitestReport(List.of(), false).finished()).isEmpty();
  }

  @Test
  void aTestClassThatPassesIsMeasuredAndOneThatFailsDoesNotJudge() throws Exception {
    Map<String, Path> tests =
        Map.of(
            Passes.class.getName(), Files.writeString(folder.resolve("P"), "p"),
            Fails.class.getName(), Files.writeString(folder.resolve("F"), "f"));
    List<String> measured = new ArrayList<>();
    Path times = folder.resolve("times/judges.tsv");
    String classPath = System.getProperty("java.class.path");

    List<String> quick =
        new Judges(times, folder, classPath, List.of()).quick(tests, folder, 60_000, measured::add);

    assertThat(quick).containsExactly(Passes.class.getName());
    assertThat(measured).isNotEmpty();
    measured.clear();
    assertThat(
            new Judges(times, folder, classPath, List.of())
                .quick(tests, folder, 60_000, measured::add))
        .isEqualTo(quick);
    assertThat(measured).isEmpty();
  }

  @Test
  void aTimeThatWasGivenUpCountsForLowerBoundsAlone() throws Exception {
    String name = Passes.class.getName();
    Path file = Files.writeString(folder.resolve("P"), "p");
    String key = name + "\t" + MutationHistory.key(List.of(file)).substring(0, 16);
    Path times = Files.writeString(folder.resolve("judges.tsv"), key + "\t-20000\n");
    List<String> measured = new ArrayList<>();
    String classPath = System.getProperty("java.class.path");
    Judges judges = new Judges(times, folder, classPath, List.of());

    assertThat(judges.quick(Map.of(name, file), folder, 2_000, measured::add)).isEmpty();
    assertThat(measured).isEmpty();
    assertThat(judges.quick(Map.of(name, file), folder, 60_000, measured::add)).contains(name);
  }

  /** Run by name, in the process that measures. */
  static final class Passes {
    @Test
    void passes() {}
  }

  /** Run by name, in the process that measures; the build runs no nested class by itself. */
  static final class Fails {
    @Test
    void fails() {
      throw new AssertionError("on purpose");
    }
  }

  @Test
  void aReportThatWasCutShortIsReadAsFarAsItGoes() throws IOException {
    String whole =
        "<mutations><mutation detected='false' status='SURVIVED'><mutatedClass>a.B$C</mutatedClass>"
            + "<mutatedMethod>n</mutatedMethod><lineNumber>9</lineNumber>"
            + "<indexes><index>4</index></indexes>"
            + "<description>negated conditional</description></mutation></mutations>";
    Path file = folder.resolve("mutations.xml");

    Files.writeString(file, whole);
    assertThat(PitestReport.read(file)).isEqualTo(new PitestReport(List.of(SURVIVED), true));

    Files.writeString(file, whole.substring(0, whole.length() - 5));
    assertThat(PitestReport.read(file)).isEqualTo(new PitestReport(List.of(SURVIVED), false));
    assertThat(PitestReport.read(folder.resolve("none")).isComplete()).isFalse();
  }
}
