package io.howdah.nvmsim.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.math.BigInteger;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CrashStatesTest {
  private static final long WORDS = 1L << 40;

  /** A trace with at most 14 persists of 1 to 8 bytes, to five words. */
  private static TraceBuffer randomTrace(long seed) {
    SplitMix random = new SplitMix(seed);
    TraceBuffer trace = new TraceBuffer(64);
    int events = 8 + random.below(20);
    int persists = 0;
    for (int i = 0; i < events; i++) {
      int thread = random.below(3);
      long word = WORDS + 8L * random.below(5);
      int choice = random.below(8);
      if (choice == 0) {
        trace.add(Event.marker(Event.PERSIST_BARRIER, thread, 0), 0, 0);
      } else if (choice == 1) {
        trace.add(Event.marker(Event.NEW_STRAND, thread, 0), 0, 0);
      } else if (choice < 4) {
        trace.add(Event.access(Event.LOAD, thread, 8, true, 0), word, 0);
      } else if (persists++ < 14) {
        int size = 1 << random.below(4);
        long offset = random.below(8 / size) * (long) size;
        long value = random.next() & (size == 8 ? -1L : (1L << (8 * size)) - 1);
        trace.add(Event.access(Event.STORE, thread, size, true, 0), word + offset, value);
      }
    }
    return trace;
  }

  /** Recovers by following the values it reads, so that what it reads depends on the state. */
  private static List<String> chase(io.howdah.nvmsim.mem.PersistentImage image) {
    long first = image.getLong(WORDS);
    long at = WORDS + 8L * Math.floorMod(first, 5);
    long second = image.getLong(at);
    return second % 3 == 0 ? List.of() : List.of(first + ";" + second);
  }

  @Test
  void searchFindsWhatEveryCutShowsAndCoversEachCutOnce() {
    int pruned = 0;
    for (long seed = 0; seed < 400; seed++) {
      TraceBuffer trace = randomTrace(seed);
      for (PersistencyModel model : Models.all()) {
        for (boolean coalesce : new boolean[] {false, true}) {
          PersistDagBuilder builder =
              new PersistDagBuilder(model, AnalysisOptions.DEFAULT, coalesce, 64);
          trace.replay(builder);
          PersistDag dag = builder.build();
          CrashStates states = new CrashStates(dag);

          Set<List<String>> everything = new HashSet<>();
          Set<BitSet> cuts = new HashSet<>();
          long visited =
              states.visit(
                  CrashStatesTest::chase,
                  Long.MAX_VALUE,
                  (cut, _, violations) -> {
                    assertThat(dag.isDownClosed(cut)).isTrue();
                    everything.add(violations);
                    cuts.add(cut);
                    return true;
                  });
          assertThat(cuts).hasSize((int) visited);
          assertThat(states.count()).isEqualTo(new CutCount(BigInteger.valueOf(visited), true));

          Set<List<String>> found = new HashSet<>();
          BigInteger[] covered = {BigInteger.ZERO};
          long recoveries =
              states.search(
                  CrashStatesTest::chase,
                  (cut, open, violations) -> {
                    assertThat(dag.isDownClosed(cut)).isTrue();
                    assertThat(chase(states.image(cut))).isEqualTo(violations);
                    found.add(violations);
                    covered[0] = covered[0].add(states.count(open).value());
                    return true;
                  });
          assertThat(found).as("seed %d, %s", seed, model.name()).isEqualTo(everything);
          assertThat(covered[0]).isEqualTo(BigInteger.valueOf(visited));
          assertThat(recoveries).isLessThanOrEqualTo(visited);
          pruned += recoveries < visited ? 1 : 0;
        }
      }
    }
    assertThat(pruned).isGreaterThan(1000);
  }

  @Test
  void everyDownClosedSetIsACut() {
    for (long seed = 0; seed < 40; seed++) {
      PersistDag dag = PersistDagBuilder.of(randomTrace(seed), Models.EPOCH);
      int persists = dag.nodes().size();
      long downClosed = 0;
      for (long set = 0; set < 1L << persists; set++) {
        downClosed += dag.isDownClosed(BitSet.valueOf(new long[] {set})) ? 1 : 0;
      }
      assertThat(new CrashStates(dag).count().value()).isEqualTo(BigInteger.valueOf(downClosed));
    }
  }

  @Test
  void countsMoreCutsThanCouldBeVisited() {
    TraceBuffer trace = new TraceBuffer(200);
    for (int i = 0; i < 100; i++) {
      trace.add(Event.access(Event.STORE, 0, 8, true, 0), WORDS + 8L * i, 1);
    }
    trace.add(Event.marker(Event.PERSIST_BARRIER, 0, 0), 0, 0);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), WORDS + 800, 1);
    CutCount count = new CrashStates(PersistDagBuilder.of(trace, Models.EPOCH)).count();
    assertThat(count.exact()).isTrue();
    assertThat(count.value()).isEqualTo(BigInteger.ONE.shiftLeft(100).add(BigInteger.ONE));
  }

  @Test
  void stopsWhenToldTo() {
    CrashStates states = new CrashStates(PersistDagBuilder.of(randomTrace(3), Models.EPOCH));
    assertThat(states.visit(CrashStatesTest::chase, 2, (_, _, _) -> true)).isEqualTo(2);
    assertThat(states.visit(CrashStatesTest::chase, 9, (_, _, _) -> false)).isEqualTo(1);
    assertThat(states.search(CrashStatesTest::chase, (_, _, _) -> false)).isEqualTo(1);
  }
}
