package io.howdah.nvmsim.persistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.persistency.reference.ReferenceChecker;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("scaled")
class ModelIdentitiesTest {
  private static final int TRACES = 2 * Integer.getInteger("howdah.traces", 1500);

  @Test
  void relaxingTheModelNeverLengthensTheCriticalPath() {
    for (int seed = 0; seed < TRACES; seed++) {
      TraceBuffer trace = RandomTraces.ofWords(seed);
      long strict = length(trace, Models.STRICT);
      long epoch = length(trace, Models.EPOCH);
      long strand = length(trace, Models.STRAND);
      assertThat(strand).as("seed %d", seed).isLessThanOrEqualTo(epoch);
      assertThat(epoch).as("seed %d", seed).isLessThanOrEqualTo(strict);
    }
  }

  @Test
  void aWaitForDurabilityOutlastsItsStrand() {
    TraceBuffer trace = new TraceBuffer(8);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 0, 1);
    trace.add(Event.marker(Event.NEW_STRAND, 0, 0), 0, 0);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 64, 1);
    trace.add(Event.marker(Event.PERSIST_SYNC, 0, 0), 0, 0);
    trace.add(Event.marker(Event.NEW_STRAND, 0, 0), 0, 0);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 128, 1);
    assertThat(length(trace, Models.STRAND)).isEqualTo(2);
    PersistDag dag = PersistDagBuilder.of(trace, Models.STRAND);
    assertThat(dag.nodes().getLast().predecessors()).containsExactly(0, 1);
  }

  @Test
  void strandWithoutStrandsIsEpoch() {
    for (int seed = 0; seed < TRACES; seed++) {
      TraceBuffer trace = keep(RandomTraces.of(seed), kind -> kind != Event.NEW_STRAND, 0);
      assertThat(result(trace, Models.STRAND)).isEqualTo(result(trace, Models.EPOCH));
    }
  }

  @Test
  void epochWithABarrierAfterEveryAccessIsStrict() {
    for (int seed = 0; seed < TRACES; seed++) {
      TraceBuffer trace = RandomTraces.of(seed);
      TraceBuffer barriers = keep(trace, kind -> true, 1);
      assertThat(result(barriers, Models.EPOCH)).isEqualTo(result(trace, Models.STRICT));
    }
  }

  @Test
  void bufferedStrictOrdersPersistsAsStrict() {
    for (int seed = 0; seed < 1000; seed++) {
      TraceBuffer trace = RandomTraces.of(seed);
      assertThat(result(trace, Models.BUFFERED_STRICT)).isEqualTo(result(trace, Models.STRICT));
    }
  }

  private static TraceBuffer keep(TraceBuffer trace, IntPredicate kinds, int barriersAfterAccess) {
    TraceBuffer kept = new TraceBuffer(trace.count() * 2);
    for (int i = 0; i < trace.count(); i++) {
      long event = trace.packed(i);
      if (!kinds.test(Event.kind(event))) {
        continue;
      }
      kept.add(event, trace.address(i), trace.value(i));
      if (barriersAfterAccess > 0 && Event.isAccess(event)) {
        kept.add(Event.marker(Event.PERSIST_BARRIER, Event.thread(event), 0), 0, 0);
      }
    }
    return kept;
  }

  private static long length(TraceBuffer trace, PersistencyModel model) {
    CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT);
    trace.replay(analyzer);
    return analyzer.result().length();
  }

  private static ReferenceChecker.Outcome result(TraceBuffer trace, PersistencyModel model) {
    CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT);
    trace.replay(analyzer);
    CriticalPath path = analyzer.result();
    return new ReferenceChecker.Outcome(
        path.length(), path.persistsIssued(), path.persistsPerformed());
  }
}
