package io.howdah.nvmsim.dag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.mem.MemoryPort;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.BlockingProgram;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.study.persistency.ClassedOrder;
import io.howdah.nvmsim.study.persistency.ClassedOrder.EdgeClass;
import io.howdah.nvmsim.study.persistency.DagExport;
import io.howdah.nvmsim.study.persistency.QueueOrder;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.Site;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class PersistDagTest {
  private static final int DATA_SITE = Site.here("write data");
  private static final int FLAG_SITE = Site.here("publish");
  private static final long RECORD = 0x1000;
  private static final long STORE = Event.access(Event.STORE, 0, 8, true, 0);

  /** What one thread does with a persistent word of data and a flag. */
  private interface Program {
    void run(MemoryPort port, long data, long flag);
  }

  private record Traced(TraceBuffer trace, long data, long flag) {
    PersistAssertions underEpoch() {
      return new PersistAssertions(PersistDagBuilder.of(trace, Models.EPOCH));
    }
  }

  private static Traced trace(Program program) {
    TraceBuffer trace = new TraceBuffer(1000);
    try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
      long data = memory.allocatePersistent(64, 64);
      long flag = memory.allocatePersistent(64, 64);
      new DeterministicScheduler(memory, Policies.roundRobin(1), trace)
          .add(new BlockingProgram(port -> program.run(port, data, flag)))
          .run();
      return new Traced(trace, data, flag);
    }
  }

  @Test
  void persistedBeforeHoldsWithABarrierAndFailsWithout() {
    Traced ordered =
        trace(
            (port, data, flag) -> {
              port.store(data, 1, DATA_SITE);
              port.persistBarrier(0);
              port.store(flag, 1, FLAG_SITE);
            });
    assertThatCode(
            () -> ordered.underEpoch().assertPersistedBefore(ordered.data, 8, ordered.flag, 8))
        .doesNotThrowAnyException();
    Traced unordered =
        trace(
            (port, data, flag) -> {
              port.store(data, 1, DATA_SITE);
              port.store(flag, 1, FLAG_SITE);
            });
    assertThatThrownBy(
            () ->
                unordered.underEpoch().assertPersistedBefore(unordered.data, 8, unordered.flag, 8))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("publish (PersistDagTest.java:")
        .hasMessageContaining("may become durable before")
        .hasMessageContaining("write data (PersistDagTest.java:");
    assertThatThrownBy(
            () ->
                unordered.underEpoch().assertPersistedBefore(unordered.flag, 8, unordered.data, 8))
        .hasMessageContaining("has no persist to");
  }

  /** Only the second word of the record is ordered before the flag. */
  @Test
  void everyWordOfTheFirstRangeMustComeBefore() {
    TraceBuffer strands = new TraceBuffer(10);
    strands.add(STORE, RECORD, 1);
    strands.add(Event.marker(Event.NEW_STRAND, 0, 0), 0, 0);
    strands.add(STORE, RECORD + 8, 1);
    strands.add(Event.marker(Event.PERSIST_BARRIER, 0, 0), 0, 0);
    strands.add(STORE, RECORD + 64, 1);
    TraceBuffer threads = new TraceBuffer(10);
    threads.add(Event.access(Event.STORE, 1, 8, true, 0), RECORD, 1);
    threads.add(STORE, RECORD + 8, 1);
    threads.add(Event.marker(Event.PERSIST_BARRIER, 0, 0), 0, 0);
    threads.add(STORE, RECORD + 64, 1);
    for (PersistDag dag :
        List.of(
            PersistDagBuilder.of(strands, Models.STRAND),
            PersistDagBuilder.of(threads, Models.EPOCH))) {
      PersistAssertions persists = new PersistAssertions(dag);
      persists.assertPersistedBefore(RECORD + 8, 8, RECORD + 64, 8);
      assertThatThrownBy(() -> persists.assertPersistedBefore(RECORD, 16, RECORD + 64, 8))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("may become durable before persist #0");
    }
  }

  @Test
  void durableOnlyAfterAPersistSync() {
    Traced traced =
        trace(
            (port, data, flag) -> {
              port.store(data, 1, DATA_SITE);
              port.persistBarrier(0);
              port.persistSync(0);
              port.store(flag, 1, FLAG_SITE);
            });
    int end = traced.trace.count();
    traced.underEpoch().assertDurable(traced.data, 8, end);
    assertThatThrownBy(() -> traced.underEpoch().assertDurable(traced.flag, 8, end))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("may still be on its way");
    assertThatThrownBy(() -> traced.underEpoch().assertDurable(traced.data, 8, 2))
        .hasMessageContaining("no persist sync waited for it");
  }

  @Test
  void copyWhileLockedHasTheOrderOfFigure2() {
    TraceBuffer trace = QueueOrder.trace(QueueSpec.cwl().withEntryLength(28), 1, 3);
    ClassedOrder order = QueueOrder.classify(trace);
    long words = 4;
    // Each word before its head, and each head before the next.
    assertThat(order.count(EdgeClass.NECESSARY)).isEqualTo(3 * words + 2);
    // Word after word within a record.
    assertThat(order.count(EdgeClass.A)).isEqualTo(3L * (words - 1));
    // Each head before every word of the next record.
    assertThat(order.count(EdgeClass.B)).isEqualTo(2L * words);
    assertThat(DagExport.toDot(order)).contains("style=dashed, label=\"A\"", "label=\"B\"");
  }

  @Test
  void onTwoThreadsRacingEpochsLeaveNoBBetweenThem() {
    TraceBuffer trace = QueueOrder.trace(QueueSpec.cwlRacing().withEntryLength(28), 2, 2);
    assertThat(QueueOrder.classify(trace).count(EdgeClass.B)).isZero();
  }

  @Test
  void downClosedSetsAreThoseThatMissNothing() {
    Traced traced =
        trace(
            (port, data, flag) -> {
              port.store(data, 1, DATA_SITE);
              port.store(data + 8, 1, DATA_SITE);
              port.persistBarrier(0);
              port.store(flag, 1, FLAG_SITE);
            });
    PersistDag dag = PersistDagBuilder.of(traced.trace, Models.EPOCH);
    int states = 0;
    for (int bits = 0; bits < 8; bits++) {
      states += dag.isDownClosed(BitSet.valueOf(new long[] {bits})) ? 1 : 0;
    }
    assertThat(states).isEqualTo(5);
    assertThat(dag.nodes().get(2).predecessors()).containsExactly(0, 1);
    assertThat(dag.criticalPath()).extracting(PersistNode::id).containsExactly(0, 2);
  }

  @Test
  void wideStoresKeepTheirBytes() {
    TraceBuffer trace = new TraceBuffer(1);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), 0x1003, 0x8877665544332211L);
    PersistDag dag = PersistDagBuilder.of(trace, Models.STRICT);
    assertThat(dag.nodes()).hasSize(2);
    assertThat(dag.nodes().get(0).firstStore().value()).isEqualTo(0x5544332211L);
    assertThat(dag.nodes().get(1).firstStore().value()).isEqualTo(0x887766L);
    assertThat(dag.nodes().get(1).firstStore().size()).isEqualTo(3);
    assertThat(dag.ordered(0, 1)).isFalse();
  }

  @Test
  void exportsMarkTheCriticalPathAndNameTheSource() throws Exception {
    PersistDag dag = PersistDagBuilder.of(QueueOrder.trace(QueueSpec.cwl(), 2, 4), Models.EPOCH);
    String dot = DagExport.toDot(dag);
    assertThat(dot).startsWith("digraph").contains("fillcolor", "advance head (Algorithm 1:9)");
    Document xml =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(
                new ByteArrayInputStream(
                    DagExport.toGraphMl(dag).getBytes(StandardCharsets.UTF_8)));
    assertThat(xml.getElementsByTagName("node").getLength()).isEqualTo(4 * 14);
    long critical =
        DagExport.toGraphMl(dag)
            .lines()
            .filter(l -> l.contains("<node") && l.contains("\"critical\">true"))
            .count();
    assertThat(critical).isEqualTo(dag.criticalPathLength());
  }

  @Test
  void redundantBarriersAreTheOnesThatChangeNothing() {
    RedundantBarriers found =
        RedundantBarriers.find(QueueOrder.trace(QueueSpec.cwl(), 4, 8), Models.EPOCH);
    assertThat(found.barriers()).hasSize(5);
    assertThat(found.removable()).extracting(Site::line).containsExactlyInAnyOrder(3, 13);
    assertThat(
            RedundantBarriers.find(QueueOrder.trace(QueueSpec.cwl(), 4, 8), Models.STRICT)
                .removable())
        .hasSize(5);
  }

  @Test
  void tooManyPersistsAreRefused() {
    TraceBuffer trace = QueueOrder.trace(QueueSpec.cwl(), 1, 10);
    PersistDagBuilder builder =
        new PersistDagBuilder(
            Models.EPOCH, io.howdah.nvmsim.persistency.AnalysisOptions.DEFAULT, false, 100);
    assertThatThrownBy(() -> trace.replay(builder)).hasMessageContaining("more than 100 persists");
  }
}
