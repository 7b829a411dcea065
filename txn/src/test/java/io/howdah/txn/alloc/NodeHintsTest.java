package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Pages with free nodes, and free runs, stay known whatever becomes of the transactions that come
 * upon them. What is not known any more is found only when the region is full, so the region would
 * grow although it has room.
 */
final class NodeHintsTest {

  private static final long PAGES = 4000;
  private static final int BYTES = NodeLayout.MAX_BYTES;

  /** Pages of the longest run that an arena gets. */
  private static final int RUN = 16;

  private static final long RUN_BYTES = RUN * PageLayout.PAGE_BYTES;

  private final OptimisticWords words = new OptimisticWords(PAGES);
  private final Heap heap = new Heap(words.region, 1, (_, _) -> {});
  private final Context a = new Context();
  private final Context b = new Context();

  @AfterEach
  void close() {
    words.close();
  }

  private final class Context {
    final OptimisticWords.Transaction tx = words.new Transaction();
    final HeapSession session = new HeapSession(heap, tx, 0);

    void commit() {
      tx.commit();
      session.committed();
      tx.begin();
    }

    void abort() {
      session.aborted();
      tx.begin();
    }

    long allocate() {
      return session.allocateNode(BYTES);
    }
  }

  private long top() {
    return words.region.getLong(RegionHeaderLayout.TOP_ADDRESS);
  }

  /** Makes pages of nodes until the runs of them are long, and fills them. */
  private void fillUntilRunsAreLong() {
    for (long before = -1; top() - before != RUN_BYTES; ) {
      before = top();
      a.allocate();
      a.commit();
    }
    for (int i = 1; i < RUN; i++) {
      a.allocate();
      a.commit();
    }
  }

  /** Another transaction of the arena comes upon a run that is not committed yet. */
  @Test
  void aRunThatAnotherTransactionMakesIsNotForgotten() {
    fillUntilRunsAreLong();
    long before = top();
    long first = a.allocate(); // makes a run
    b.allocate();
    a.commit();
    assertThat(top() - before).isEqualTo(RUN_BYTES);
    assertThatThrownBy(b::commit).isInstanceOf(OptimisticWords.Conflict.class);
    b.abort();
    requireNodes(before, first, RUN - 1);
  }

  /** Requires so many nodes behind the first one before the region grows. */
  private void requireNodes(long before, long first, int count) {
    List<Long> nodes = new ArrayList<>(List.of(first));
    for (int i = 0; i < count; i++) {
      nodes.add(b.allocate());
      b.commit();
    }
    assertThat(nodes).doesNotHaveDuplicates();
    assertThat(top() - before).isLessThanOrEqualTo(RUN_BYTES);
  }

  /** Another transaction takes the pages of such a run out of the hints, and commits first. */
  @Test
  void aRunThatAnotherTransactionHasLookedAtBecomesKnownWithItsCommit() {
    fillUntilRunsAreLong();
    List<Long> others = new ArrayList<>();
    for (int i = 0; i < RUN; i++) {
      others.add(b.allocate());
    }
    b.commit();
    long before = top();
    long first = a.allocate(); // makes a run
    b.session.freeNode(others.get(3));
    b.session.freeNode(others.get(7));
    b.commit();
    assertThat(List.of(b.allocate(), b.allocate())).contains(others.get(3), others.get(7));
    b.commit();
    a.commit();
    requireNodes(before, first, RUN - 1);
  }

  @Test
  void aRunThatARollBackUndoesAndTheNextOneAreNotForgotten() {
    fillUntilRunsAreLong();
    int mark = b.tx.mark();
    b.allocate();
    b.tx.rollBack(mark);
    b.session.rolledBack();
    long before = top();
    long first = b.allocate();
    b.commit();
    requireNodes(before, first, RUN - 1);
  }

  /** Has a transaction read the top, which another one then moves, so that it cannot go on. */
  private void readTopBeforeItMoves(Runnable meanwhile) {
    assertThat(a.tx.get(RegionHeaderLayout.TOP_ADDRESS)).isPositive();
    meanwhile.run();
    assertThat(b.session.allocate(100 * PageLayout.PAGE_BYTES)).isPositive();
    b.commit();
  }

  /** A transaction that has taken out a hint has a conflict where it looks at the page. */
  @Test
  void aPageStaysKnownIfATransactionCannotReadIt() {
    List<Long> nodes = new ArrayList<>();
    for (int i = 0; i < 12; i++) { // all of a page and of the next run, of two
      nodes.add(a.session.allocateNode(NodeLayout.MIN_BYTES));
      a.commit();
    }
    b.session.freeNode(nodes.get(1));
    b.commit();
    readTopBeforeItMoves(() -> b.session.freeNode(nodes.get(2)));
    assertThatThrownBy(() -> a.session.allocateNode(NodeLayout.MIN_BYTES))
        .isInstanceOf(OptimisticWords.Conflict.class);
    a.abort();
    long before = top();
    assertThat(b.session.allocateNode(NodeLayout.MIN_BYTES)).isIn(nodes.get(1), nodes.get(2));
    assertThat(b.session.allocateNode(NodeLayout.MIN_BYTES)).isIn(nodes.get(1), nodes.get(2));
    b.commit();
    assertThat(top()).isEqualTo(before);
  }

  @Test
  void aFreeRunStaysKnownIfATransactionCannotReadIt() {
    long bytes = 50 * PageLayout.PAGE_BYTES;
    long block = b.session.allocate(bytes);
    assertThat(b.session.allocate(bytes)).isPositive();
    b.commit();
    readTopBeforeItMoves(() -> b.session.free(block));
    assertThatThrownBy(() -> a.session.allocate(bytes))
        .isInstanceOf(OptimisticWords.Conflict.class);
    a.abort();
    assertThat(b.session.allocate(bytes)).isEqualTo(block);
  }

  /** The last pages of a region become pages of nodes, and one of them is needed for a block. */
  @Test
  void aTransactionGivesBackWhatItDoesNotNeedOfItsOwnRun() {
    fillUntilRunsAreLong();
    while (PAGES * PageLayout.PAGE_BYTES - top() >= 2 * RUN_BYTES) {
      a.session.allocate(RUN_BYTES / 2);
      a.commit();
    }
    long left = PAGES * PageLayout.PAGE_BYTES - top() - RUN_BYTES;
    if (left > 0) {
      a.session.allocate(left);
      a.commit();
    }
    long node = a.allocate();
    long block = a.session.allocate(RUN_BYTES - BYTES);
    assertThat(block).isEqualTo(NodeLayout.address(node) + BYTES);
    a.commit();
    assertThatThrownBy(
            () -> {
              while (true) {
                b.allocate();
              }
            })
        .isInstanceOf(RegionFullException.class)
        .hasMessageContaining("no room for a node of 4096 bytes")
        .hasMessageContaining("no page is free");
  }

  /** Of many pages without nodes, each that is freed gives some back. */
  @Test
  void pagesThatARollBackBringsBackAreGivenBackLater() {
    fillUntilRunsAreLong();
    List<Long> nodes = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      nodes.add(a.allocate());
    }
    a.commit();
    for (int i = 0; i < 100; i++) {
      a.session.freeNode(nodes.removeLast());
    }
    a.commit();
    for (int i = 0; i < 50; i++) { // each gives pages back, and does not after all
      int mark = a.tx.mark();
      a.session.freeNode(nodes.getFirst());
      a.tx.rollBack(mark);
      a.session.rolledBack();
    }
    a.commit();
    assertThat(heap.nodePages.hasManyEmpty()).isTrue();
  }
}
