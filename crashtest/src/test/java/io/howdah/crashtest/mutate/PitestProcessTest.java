package io.howdah.crashtest.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is read from the lines that pitest prints. */
final class PitestProcessTest {

  @Test
  void testsThatFailWithoutAChangeAreNamedOnce() {
    String failed =
        "3:05:16 PM PIT >> SEVERE : Description [testClass=io.howdah.ObservationTest,"
            + " name=[engine:junit-jupiter]/[method:answers()]] did not pass without mutation.";
    assertThat(
            PitestProcess.failing(
                List.of(
                    "3:05:15 PM PIT >> INFO : MINION : SEVERE: store has stopped",
                    failed,
                    failed,
                    "3:05:16 PM PIT >> WARNING : Minion exited abnormally due to TIMED_OUT")))
        .containsExactly(
            "[testClass=io.howdah.ObservationTest,"
                + " name=[engine:junit-jupiter]/[method:answers()]]");
    assertThat(PitestProcess.failing(List.of())).isEmpty();
  }
}
