package io.howdah.cli.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MetricsFileTest {

  private static final Instant STARTED = Instant.parse("2026-01-02T03:04:05Z");

  @TempDir private Path folder;

  @Test
  void everyFieldIsWrittenUnderItsName() throws Exception {
    Path file = folder.resolve("new/folder/m.json");
    sample(List.of("lost \"alice\" at LSN 7")).writeTo(file);
    assertThat(file)
        .hasContent(
            """
            {
              "command" : "bench w6",
              "commit" : "abc",
              "jvm" : "25",
              "os" : "Linux",
              "cores" : 2,
              "started" : "2026-01-02T03:04:05Z",
              "seconds" : 41.25,
              "noisy" : true,
              "params" : {
                "heapMiB" : 1024,
                "virtual" : false
              },
              "metrics" : [ {
                "name" : "w6.async.overVolatile",
                "value" : 0.93,
                "unit" : "ratio",
                "min" : 0.9,
                "max" : 0.95,
                "samples" : 9,
                "params" : {
                  "intervalMillis" : 0.2,
                  "path" : "primitive",
                  "threads" : 2
                }
              } ],
              "violations" : [ "lost \\"alice\\" at LSN 7" ]
            }
            """);
  }

  @Test
  void emptyListsStayEmptyLists() throws Exception {
    Path file = folder.resolve("m.json");
    sample(List.of()).writeTo(file);
    assertThat(file).content().contains("\"violations\" : [ ]");
  }

  @Test
  void writingReplacesAnOlderFileAndLeavesNothingElse() throws Exception {
    Path file = folder.resolve("m.json");
    Files.writeString(file, "#".repeat(10_000));
    sample(List.of()).writeTo(file);
    assertThat(file).content().doesNotContain("#").endsWith("}\n");
    assertThat(folder).isDirectoryContaining(file::equals);
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void failureToReplaceLeavesNoPartialFile() throws Exception {
    Path occupied = folder.resolve("m.json");
    Files.createDirectories(occupied.resolve("inner"));
    assertThatThrownBy(() -> sample(List.of()).writeTo(occupied))
        .isInstanceOf(JsonFileException.class)
        .hasMessageContaining("m.json: it is a directory");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(occupied);
    }
  }

  @Test
  void runTakesItsTimeFromTheClockAndItsExitCodeFromTheViolations() {
    var clock = new SteppingClock();
    MetricsRun run = MetricsRun.start(clock, "bench w6").param("threads", 2);
    run.add(Metric.single("w6.x", "count", 3, Map.of()));
    assertThat(run.exitCode()).isZero();
    assertThat(run.finish().noisy()).isFalse();
    run.violation("lost");
    run.markNoisy();
    clock.now = STARTED.plus(Duration.ofMillis(1500));
    MetricsFile file = run.finish();
    assertThat(run.exitCode()).isOne();
    assertThat(file.seconds()).isEqualTo(1.5);
    assertThat(file.started()).isEqualTo(STARTED);
    assertThat(file.noisy()).isTrue();
    assertThat(file.params()).containsExactly(Map.entry("threads", 2));
    assertThat(file.metrics()).hasSize(1);
    assertThat(file.violations()).containsExactly("lost");
    assertThat(file.jvm()).contains(Runtime.version().toString());
  }

  @Test
  void theCommitIsThatOfTheStart(@TempDir Path checkout) throws Exception {
    git(checkout, "init", "-q");
    git(checkout, "commit", "-q", "--allow-empty", "-m", "first");
    String former = System.getProperty("howdah.root");
    System.setProperty("howdah.root", checkout.toString());
    try {
      MetricsRun run = MetricsRun.start("bench w6");
      String first = run.finish().commit();
      assertThat(first).matches("[0-9a-f]{40}");
      git(checkout, "commit", "-q", "--allow-empty", "-m", "second");
      assertThat(run.finish().commit()).isEqualTo(first);
      assertThat(MetricsRun.start("bench w6").finish().commit()).isNotEqualTo(first);
    } finally {
      if (former == null) {
        System.clearProperty("howdah.root");
      } else {
        System.setProperty("howdah.root", former);
      }
    }
  }

  private static void git(Path checkout, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("git", "-c", "user.name=a", "-c", "user.email=a@example.org"));
    command.addAll(List.of(arguments));
    assertThat(
            new ProcessBuilder(command).directory(checkout.toFile()).inheritIO().start().waitFor())
        .isZero();
  }

  @Test
  void theJvmIsNamedWithItsFlagsAndWithoutTheFoldersOfTheStartScript() {
    String jvm = MetricsRun.jvm(List.of("-Xmx1g", "-Dhowdah.root=/home/anna/howdah", "-Dsize=2"));
    assertThat(jvm).endsWith(Runtime.version() + " -Xmx1g -Dsize=2");
    assertThat(MetricsRun.jvm(List.of())).endsWith(Runtime.version().toString());
  }

  private static MetricsFile sample(List<String> violations) {
    Map<String, Object> params = Map.of("threads", 2, "intervalMillis", 0.2, "path", "primitive");
    return new MetricsFile(
        "bench w6",
        "abc",
        "25",
        "Linux",
        2,
        STARTED,
        41.25,
        true,
        Map.of("heapMiB", 1024, "virtual", false),
        List.of(new Metric("w6.async.overVolatile", 0.93, "ratio", 0.90, 0.95, 9, params)),
        violations);
  }

  private static final class SteppingClock extends Clock {
    private Instant now = STARTED;

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneOffset getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(java.time.ZoneId zone) {
      return this;
    }
  }
}
