package io.howdah.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CrashCommandTest {
  private final SimRunner command = new SimRunner();

  @TempDir private Path folder;

  @Test
  void queueThatHoldsExitsWithZeroAndCountsItsStates() throws IOException {
    Path json = folder.resolve("crash.json");
    assertThat(
            command.run("crash", "--queue", "CWL", "--model", "epoch", "--json", json.toString()))
        .isZero();
    assertThat(command.out()).contains("holds in every schedule", "32770");
    String written = Files.readString(json);
    assertThat(SimRunner.metric(written, "simcrash.states")).isEqualTo(32770);
    assertThat(SimRunner.metric(written, "simcrash.violations")).isZero();
    assertThat(SimRunner.metric(written, "simcrash.recoveries")).isEqualTo(6);
  }

  @Test
  void witnessOfABrokenQueueReplays() throws IOException {
    Path json = folder.resolve("crash.json");
    String[] broken = {
      "crash",
      "--queue",
      "CWL",
      "--model",
      "racing",
      "--drop-barrier",
      "BEFORE_HEAD",
      "--json",
      json.toString()
    };
    assertThat(command.run(broken)).isOne();
    assertThat(SimRunner.metric(Files.readString(json), "simcrash.violations")).isPositive();
    Matcher again = Pattern.compile("again +howdah sim (.*)").matcher(command.out());
    assertThat(again.find()).isTrue();
    Matcher wrong = Pattern.compile("wrong .*").matcher(command.out());
    assertThat(wrong.find()).isTrue();
    SimRunner replay = new SimRunner();
    assertThat(replay.run(again.group(1).split(" "))).isOne();
    assertThat(replay.out()).contains(wrong.group(), again.group());

    // All durable: the same schedule recovers.
    List<String> whole = new ArrayList<>(List.of(again.group(1).split(" ")));
    whole.set(whole.size() - 1, "0-27");
    SimRunner sound = new SimRunner();
    assertThat(sound.run(whole.toArray(String[]::new))).isZero();
  }

  @Test
  void allQueuesUnderOneModelBreakOnlyWhereTheyMust() {
    assertThat(command.run("crash", "--model", "epoch", "--threads", "2", "--inserts", "2"))
        .isZero();
    assertThat(command.out().lines().filter(line -> line.contains("as they must be"))).hasSize(2);
    assertThat(command.out().lines().filter(line -> line.contains("holds"))).hasSize(3);
  }

  @Test
  void randomSchedulesAreNotCalledEvery() {
    assertThat(
            command.run(
                "crash",
                "--queue",
                "2LC-repaired",
                "--model",
                "strand",
                "--threads",
                "3",
                "--inserts",
                "6",
                "--seed",
                "4",
                "--schedules",
                "10"))
        .isZero();
    assertThat(command.out()).contains("holds in these schedules").doesNotContain("every");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --queue LIFO                                         | no queue "LIFO"
          --queue CWL --model weak                             | no model "weak"
          --drop-barrier AFTER_LOCK                            | need --queue
          --queue CWL --model racing --drop-barrier AFTER_LOCK | has no barrier AFTER_LOCK
          --queue CWL --removes 3                              | would overwrite or wait for ever
          --queue CWL --inserts 17                             | or give a --seed
          --queue CWL --threads 0                              | threads must be 1 to 16
          --queue CWL --persist-granularity 24                 | must be a power of two
          --queue CWL --cut 1                                  | --cut needs --schedule
          --queue CWL --schedule 0x9                           | --schedule needs one --model
          --queue CWL --model epoch --schedule 0y9             | schedule part "0y9"
          --queue CWL --model epoch --schedule 0x9 --cut 1-    | cut part "1-"
          """)
  void wrongUsageIsExplained(String arguments, String message) {
    assertThat(command.run(("crash " + arguments).split(" "))).isEqualTo(2);
    assertThat(command.err()).contains(message);
  }

  @Test
  void scheduleThatDoesNotFitTheProgramIsWrongUsage() {
    assertThat(
            command.run(
                "crash", "--queue", "CWL", "--model", "epoch", "--schedule", "0x9", "--cut", "0"))
        .isEqualTo(2);
    assertThat(command.err()).contains("the recorded schedule ends after 9 turns");
  }
}
