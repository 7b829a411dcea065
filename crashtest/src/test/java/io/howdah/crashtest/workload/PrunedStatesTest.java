package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.storage.Storage;
import io.howdah.crashtest.kill.ForcelessStorage;
import io.howdah.testkit.crash.CrashUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the explorer says of states whose recovery it does not run is what it says of them when it
 * runs all: of the engine itself, and of one whose forces do nothing, so that recoveries find
 * losses and damage.
 */
@Tag("scaled")
class PrunedStatesTest {

  private static final int STATES = 24 / Integer.getInteger("howdah.stride", 3);
  private static final int POINTS = Math.min(3, Integer.getInteger("howdah.points", 2));

  private record Verdicts(Map<String, String> byState, Explored explored) {}

  private static Verdicts explore(String step, boolean isForceless, boolean isPruned) {
    Map<String, String> verdicts = new TreeMap<>();
    UnaryOperator<Storage> medium = isForceless ? ForcelessStorage::over : UnaryOperator.identity();
    ExploreBounds bounds = new ExploreBounds(POINTS, STATES, STATES, 0, 0, 0, isPruned);
    Explored explored =
        new WorkloadExplorer(1, CrashUnit.SECTOR, bounds, medium, verdicts::put)
            .explore(List.of(Step.named(step)), true);
    return new Verdicts(verdicts, explored);
  }

  @ParameterizedTest
  @CsvSource({"put-sync, false", "put-sync, true", "backup, false", "backup, true"})
  void statesThatAreNotRunAreJudgedAsIfTheyWere(String step, boolean isForceless) {
    Verdicts all = explore(step, isForceless, false);
    Verdicts pruned = explore(step, isForceless, true);
    assertThat(pruned.byState()).isEqualTo(all.byState());
    assertThat(all.explored().runs()).isEqualTo(all.explored().states());
    assertThat(pruned.explored().leftOut()).isZero();
    assertThat(pruned.explored().states()).isEqualTo(all.explored().states());
    assertThat(pruned.explored().runs()).isLessThan(all.explored().runs());
    assertThat(all.byState().values().stream().anyMatch(verdict -> !verdict.startsWith("Found[")))
        .isEqualTo(isForceless);
  }
}
