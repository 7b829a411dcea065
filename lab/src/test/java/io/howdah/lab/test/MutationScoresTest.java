package io.howdah.lab.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.howdah.cli.json.MetricsRun;
import io.howdah.crashtest.mutate.Mutant;
import io.howdah.crashtest.mutate.MutationRun;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The table of mutants, and when their score is too low. */
class MutationScoresTest {

  private final MutationScores scores = new MutationScores();

  private void add(String className, Map<String, Integer> mutantsByStatus) {
    List<Mutant> mutants = new ArrayList<>();
    mutantsByStatus.forEach(
        (status, count) -> {
          for (int i = 0; i < count; i++) {
            mutants.add(new Mutant(status, className, "method", 1, i, "changed"));
          }
        });
    scores.add(new MutationRun.Result(className, mutants));
  }

  private List<String> table() {
    StringWriter text = new StringWriter();
    scores.print(MetricsRun.start("test mutate"), new PrintWriter(text));
    return text.toString().lines().skip(2).map(line -> line.strip().replaceAll(" +", " ")).toList();
  }

  @Test
  void aPackageIsALineWithEveryKindOfMutant() {
    add("p.One", Map.of("KILLED", 10, "TIMED_OUT", 2, "SURVIVED", 4));
    add("p.Two", Map.of("MEMORY_ERROR", 1, "NON_VIABLE", 1, "NO_COVERAGE", 2));
    add("p.q.Three", Map.of("KILLED", 1));
    add("p.q.Empty", Map.of());
    assertEquals(
        List.of("p 20 14 2 1 4 2 70.0 % 55.0 %", "p.q 1 1 0 0 0 0 100.0 % 100.0 %"), table());
  }

  @Test
  void aPackageWithoutMutantsHasNoLine() {
    add("p.Empty", Map.of());
    assertEquals(List.of(), table());
    assertEquals(Optional.empty(), scores.complaint(100));
  }

  @Test
  void mutantsThatNoTestRunsDoNotLowerTheScoreThatIsAskedFor() {
    add("p.One", Map.of("KILLED", 15, "SURVIVED", 5, "NO_COVERAGE", 100));
    assertEquals(Optional.empty(), scores.complaint(75));
    Optional<String> complaint = scores.complaint(75.1);
    assertTrue(complaint.orElse("").startsWith("75.0 % of 20 mutants that a test runs"));
  }

  @Test
  void fewMutantsAreNeverTooFewDetected() {
    add("p.One", Map.of("SURVIVED", 19));
    assertEquals(Optional.empty(), scores.complaint(50));
    add("q.Two", Map.of("SURVIVED", 1));
    assertTrue(scores.complaint(50).isPresent());
    assertEquals(Optional.empty(), scores.complaint(0));
  }
}
