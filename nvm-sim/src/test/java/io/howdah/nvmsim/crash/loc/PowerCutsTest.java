package io.howdah.nvmsim.crash.loc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("scaled")
final class PowerCutsTest {
  private static final int SEEDS = Integer.getInteger("howdah.seeds", 1);

  /** Of the ways to run a workload one in so many is taken, others for the next workload. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 3);

  static Stream<PowerCuts> sound() {
    Stream<PowerCuts> overlapping =
        Stream.of(2, 3, 4, 8)
            .flatMap(
                degree ->
                    Stream.of(true, false)
                        .map(atomic -> new PowerCuts(Protocol.LOC_WAL, degree, atomic, true)));
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
                                    .map(atomic -> new PowerCuts(protocol, degree, atomic))));
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
    int way = List.of(WorkloadKind.values()).indexOf(workload);
    for (boolean atomic : new boolean[] {true, false}) {
      for (Protocol protocol : List.of(Protocol.H_WAL, Protocol.LOC_WAL, Protocol.LOC_KILN)) {
        if (way++ % STRIDE != 0) {
          continue;
        }
        int degree = protocol.speculative() ? 16 : 1;
        PowerCutResult result = new PowerCuts(protocol, degree, atomic).large(workload, 64, 20, 1);
        assertThat(result.violation()).isEmpty();
        assertThat(result.states()).isGreaterThan(5);
      }
    }
  }

  /** This run leaves a tag of the lap before where only the lap bit tells it from a new one. */
  @Test
  void tagsOfTheLapBeforeAreNotBelieved() {
    assertThat(new PowerCuts(Protocol.LOC_WAL, 4, false).small(21).violation()).isEmpty();
  }
}
