package io.howdah.nvmsim.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.dag.PersistNode;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What recovery needs of the persist order: a head is durable only after every word of the records
 * it covers, and after the heads before it.
 */
class RecoveryOrderTest {
  private static final int THREADS = 4;
  private static final int INSERTS = 24;
  private static final int SEEDS = 10;

  /** Pairs of a head and a word it covers that a failure can leave without the word. */
  private static long unorderedPairs(QueueSpec spec, PersistencyModel model) {
    long pairs = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      TraceBuffer trace = new TraceBuffer(1 << 16);
      QueueRun.trace(spec, THREADS, INSERTS, Policies.random(seed), trace);
      PersistDag dag = PersistDagBuilder.of(trace, model);
      List<PersistNode> heads = dag.nodes().stream().filter(RecoveryOrderTest::isHead).toList();
      long head = heads.getFirst().address();
      assertThat(heads).allMatch(node -> node.address() == head);
      long data =
          dag.nodes().stream()
              .filter(n -> !isHead(n))
              .mapToLong(PersistNode::address)
              .min()
              .orElseThrow();
      for (PersistNode node : heads) {
        for (PersistNode word : dag.nodes()) {
          boolean covered =
              isHead(word)
                  ? word.id() < node.id()
                  : word.address() - data < node.firstStore().value();
          pairs += covered && !dag.ordered(word.id(), node.id()) ? 1 : 0;
        }
      }
    }
    return pairs;
  }

  private static boolean isHead(PersistNode node) {
    return node.site().what().contains("head");
  }

  @Test
  void everyQueueIsOrderedUnderStrictPersistency() {
    for (QueueSpec queue :
        List.of(QueueSpec.cwlRacing(), QueueSpec.twoLockListed(), QueueSpec.twoLockPaper())) {
      assertThat(unorderedPairs(queue, Models.STRICT)).as(queue.name()).isZero();
    }
  }

  @Test
  void theseQueuesAreOrderedUnderRelaxedModelsToo() {
    for (PersistencyModel model : List.of(Models.EPOCH, Models.STRAND)) {
      for (QueueSpec queue :
          List.of(
              QueueSpec.cwl(),
              QueueSpec.cwlRacing(),
              QueueSpec.twoLockFenced(),
              QueueSpec.twoLockRepaired())) {
        assertThat(unorderedPairs(queue, model))
            .as("%s under %s", queue.name(), model.name())
            .isZero();
      }
    }
  }

  @Test
  void withoutTheBarrierBeforeTheHeadTheyAreNot() {
    for (PersistencyModel model : List.of(Models.EPOCH, Models.STRAND)) {
      assertThat(unorderedPairs(QueueSpec.cwl().without(BarrierPoint.BEFORE_HEAD), model))
          .isPositive();
      assertThat(
              unorderedPairs(QueueSpec.twoLockRepaired().without(BarrierPoint.AFTER_COPY), model))
          .isPositive();
    }
  }

  /** A head that one thread persists for another's record need not follow that record. */
  @Test
  void theTwoLockListingIsNotOrderedOnSeveralThreads() {
    for (QueueSpec queue : List.of(QueueSpec.twoLockListed(), QueueSpec.twoLockPaper())) {
      assertThat(unorderedPairs(queue, Models.EPOCH)).as(queue.name()).isPositive();
      assertThat(unorderedPairs(queue, Models.STRAND)).as(queue.name()).isPositive();
    }
  }
}
