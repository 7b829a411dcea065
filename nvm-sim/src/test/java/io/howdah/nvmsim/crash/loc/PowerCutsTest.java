package io.howdah.nvmsim.crash.loc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class PowerCutsTest {
  private static final int SEEDS = 5;
  private static final int MOST_SEEDS = 200;

  static Stream<PowerCuts> sound() {
    Stream<PowerCuts> overlapping =
        Stream.of(2, 3, 4, 8)
            .flatMap(
                degree ->
                    Stream.of(true, false)
                        .map(
                            atomic -> new PowerCuts(Protocol.LOC_WAL, degree, atomic, true, null)));
    return Stream.concat(waiting(), overlapping);
  }

  private static Stream<PowerCuts> waiting() {
    return Stream.of(Protocol.values())
        .filter(protocol -> protocol != Protocol.BASE)
        .flatMap(
            protocol ->
                (protocol.speculative() ? List.of(1, 2, 3, 4, 8) : List.of(1))
                    .stream()
                        .flatMap(
                            degree ->
                                Stream.of(true, false)
                                    .map(atomic -> new PowerCuts(protocol, degree, atomic, null))));
  }

  @ParameterizedTest
  @MethodSource("sound")
  void everyCutOfASmallRunRecoversAPrefix(PowerCuts cuts) {
    long states = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      PowerCutResult result = cuts.small(seed);
      assertThat(result.violation()).isEmpty();
      assertThat(result.secondCuts()).isPositive();
      states += result.states();
    }
    assertThat(states).isGreaterThan(1000L * SEEDS);
  }

  @ParameterizedTest
  @EnumSource
  void sampledCutsOfWorkloadsRecoverAPrefix(WorkloadKind workload) {
    for (boolean atomic : new boolean[] {true, false}) {
      for (Protocol protocol : List.of(Protocol.H_WAL, Protocol.LOC_WAL, Protocol.LOC_KILN)) {
        int degree = protocol.speculative() ? 16 : 1;
        PowerCutResult result =
            new PowerCuts(protocol, degree, atomic, null).large(workload, 64, 20, 1);
        assertThat(result.violation()).isEmpty();
        assertThat(result.states()).isGreaterThan(5);
      }
    }
  }

  static List<PowerCuts> planted() {
    return PlantedMistakes.all();
  }

  @ParameterizedTest
  @MethodSource("planted")
  void plantedMistakesAreFound(PowerCuts cuts) {
    PlantedMistakes.Hunt hunt = PlantedMistakes.hunt(cuts, MOST_SEEDS);
    assertThat(hunt.found()).as("%s after %d states", cuts, hunt.states()).isPresent();
  }
}
