package io.howdah.nvmsim.persistency.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPath;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.persistency.RandomTraces;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("scaled")
class ReferenceCheckerTest {
  /** Of options, which the seeds meet in turn. */
  private static final int COMBINATIONS = 3 * 3 * 4 * 4;

  private static final int TRACES = Integer.getInteger("howdah.traces", COMBINATIONS);
  private static final int[] GRANULARITIES = {8, 16, 64};

  static Stream<Arguments> models() {
    return Stream.of(
        Arguments.of(Models.STRICT, Axioms.STRICT),
        Arguments.of(Models.BUFFERED_STRICT, Axioms.STRICT),
        Arguments.of(Models.EPOCH, Axioms.EPOCH),
        Arguments.of(Models.STRAND, Axioms.STRAND),
        Arguments.of(Models.BPFS, Axioms.BPFS),
        Arguments.of(Models.epochVariant(false, true), Axioms.EPOCH.tracking(false, true)),
        Arguments.of(Models.epochVariant(true, false), Axioms.EPOCH.tracking(true, false)));
  }

  @ParameterizedTest
  @MethodSource("models")
  void streamingAnalysisEqualsTheAxioms(PersistencyModel model, Axioms axioms) {
    for (int seed = 0; seed < TRACES; seed++) {
      TraceBuffer trace = RandomTraces.of(seed);
      AnalysisOptions options = optionsOf(seed);
      CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(model, options);
      trace.replay(analyzer);
      ReferenceChecker.Outcome expected = new ReferenceChecker(axioms, options).check(trace);
      CriticalPath actual = analyzer.result();
      assertThat(
              new ReferenceChecker.Outcome(
                  actual.length(), actual.persistsIssued(), actual.persistsPerformed()))
          .as("model=%s seed=%d options=%s", model.name(), seed, options)
          .isEqualTo(expected);
      assertThat(analyzer.histogram().total()).isEqualTo(actual.persistsPerformed());
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  void explicitDagHasTheSameCriticalPath(PersistencyModel model, Axioms axioms) {
    for (int seed = 0; seed < Math.max(COMBINATIONS, TRACES / 10); seed++) {
      TraceBuffer trace = RandomTraces.of(seed);
      AnalysisOptions options = optionsOf(seed);
      PersistDagBuilder builder = new PersistDagBuilder(model, options, true, 1 << 14);
      trace.replay(builder);
      PersistDag dag = builder.build();
      ReferenceChecker.Outcome expected = new ReferenceChecker(axioms, options).check(trace);
      assertThat(dag.criticalPathLength()).as("seed=%d", seed).isEqualTo((int) expected.length());
      assertThat(dag.nodes()).as("seed=%d", seed).hasSize((int) expected.performed());
      assertThat(dag.criticalPath()).as("seed=%d", seed).hasSize((int) expected.length());
    }
  }

  /** Every option is met by some seed, in all combinations. */
  private static AnalysisOptions optionsOf(int seed) {
    AnalysisOptions options =
        AnalysisOptions.DEFAULT
            .withGranularity(GRANULARITIES[seed % 3], GRANULARITIES[seed / 3 % 3])
            .withMaxStoresPerPersist(seed / 9 % 4 == 0 ? 3 : 0);
    return seed / 36 % 4 == 0 ? options.withAccessGranularConflicts() : options;
  }

  @Test
  void refusesTracesBeyondItsSize() {
    TraceBuffer trace = new TraceBuffer(1000);
    for (int i = 0; i <= ReferenceChecker.MAX_EVENTS; i++) {
      trace.add(0, 8, 0);
    }
    ReferenceChecker checker = new ReferenceChecker(Axioms.STRICT, AnalysisOptions.DEFAULT);
    org.assertj.core.api.Assertions.assertThatIllegalArgumentException()
        .isThrownBy(() -> checker.check(trace))
        .withMessageContaining("300");
  }
}
