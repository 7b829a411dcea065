package io.howdah.crashtest.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.crashtest.scenario.Scenarios;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlantedBugTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  static Iterable<String> names() {
    return PlantedBugs.names(ROOT);
  }

  /** A bug whose text is gone from the source would silently plant nothing. */
  @ParameterizedTest
  @MethodSource("names")
  void everyBugStillFindsItsPlace(String name) throws Exception {
    PlantedBug bug =
        PlantedBug.parse(
            name, Files.readString(ROOT.resolve("crashtest/src/main/planted/" + name + ".bug")));
    String source = Files.readString(ROOT.resolve(bug.file()));
    assertThat(bug.plantIn(source)).isNotEqualTo(source);
    switch (bug.judge()) {
      case PlantedBug.OfScenario scenario ->
          assertThat(Scenarios.named(scenario.name())).isNotNull();
      case PlantedBug.OfTest test -> {
        assertThat(
                ROOT.resolve(test.module())
                    .resolve("src/test/java")
                    .resolve(test.className().replace('.', '/') + ".java"))
            .exists();
        assertReachable(test.module());
      }
    }
    assertReachable(bug.file().substring(0, bug.file().indexOf("/src/")));
  }

  /**
   * The command compiles bugs and tests on its own class path: a module that is not there cannot be
   * planted in, and its tests do not compile.
   */
  private static void assertReachable(String module) throws Exception {
    if (module.equals("lab") || PlantedBugs.OTHERS.contains(module)) {
      return; // the command itself, or a module whose own class path is used
    }
    String artifact = module.equals("store") ? "howdah" : "howdah-" + module;
    assertThat(Files.readString(ROOT.resolve("lab/pom.xml")))
        .as("the class path of the command has the module %s", module)
        .contains("<artifactId>" + artifact + "</artifactId>");
  }

  /** One of them from end to end: planted, compiled, run and noticed. */
  @Test
  void aBatchThatIsNotForcedIsNoticed() throws Exception {
    assertCaught("batch-not-forced");
  }

  /** And one whose judge is a test class, most of whose time the compiler takes. */
  @Tag("campaign")
  @Test
  void aBugWithATestAsItsJudgeIsNoticed() throws Exception {
    assertCaught("many-reads-told-before-their-range");
  }

  private static void assertCaught(String bug) throws Exception {
    try (PlantedBugs bugs = new PlantedBugs(ROOT, 60, 1)) {
      PlantedBugs.Outcome outcome = bugs.hunt(bug);
      assertThat(outcome.caught()).as(outcome.report()).isTrue();
    }
  }

  @Test
  void textThatOccursTwiceIsRefused() {
    PlantedBug bug =
        PlantedBug.parse(
            "twice", "rule: r\nfile: f\nscenario: s\n<<<< find\na\n==== replace\nb\n>>>>\n");
    assertThat(bug.plantIn("a\nc\n")).isEqualTo("b\nc\n");
    assertThatThrownBy(() -> bug.plantIn("a\na\n")).hasMessageContaining("exactly once");
    assertThatThrownBy(() -> bug.plantIn("c\n")).hasMessageContaining("exactly once");
  }

  @Test
  void anIncompleteFileIsRefused() {
    assertThatThrownBy(() -> PlantedBug.parse("b", "rule: r\nfile: f\n"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PlantedBug.parse("b", "nonsense\n"))
        .hasMessageContaining("unexpected line");
  }
}
