package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.RegionHeaderLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The last free run of a region that ends shortly behind a table of descriptors. */
final class RunsAtTheEndTest {

  private static final long TABLE = 1024;
  private static final long TOP = TABLE - 24;
  private static final long LAST_RUN = TOP - 10;
  private static final long BEHIND_TABLE = TABLE + 2;
  private static final long PAGES = BEHIND_TABLE + 2;

  private final OptimisticWords words = new OptimisticWords(PAGES);
  private final Heap heap = new Heap(words.region, 1, (_, _) -> {});
  private final OptimisticWords.Transaction tx = words.new Transaction();
  private final HeapSession session = new HeapSession(heap, tx, 0);

  RunsAtTheEndTest() {
    takeTo(512);
    takeTo(LAST_RUN);
    long last = takeTo(TOP);
    session.free(last);
    commit();
    assertThat(Pages.of(last)).isEqualTo(LAST_RUN);
    assertThat(top()).isEqualTo(TOP);
  }

  @AfterEach
  void close() {
    words.close();
  }

  private long top() {
    return Pages.of(tx.peek(RegionHeaderLayout.TOP_ADDRESS));
  }

  private void commit() {
    tx.commit();
    session.committed();
    tx.begin();
  }

  /** Takes all pages from the top to a page, and returns the last block. */
  private long takeTo(long end) {
    long address = 0;
    for (long from = Pages.skipTable(top()); from < end; from = top()) {
      long pages = Math.min(end - from, Pages.of(heap.maxBytes()));
      address = session.allocate(Pages.address(pages));
      commit();
    }
    return address;
  }

  /** The run and the pages above it are enough to the table; behind it there are two. */
  @Test
  void aRunAcrossTheTopEndsAtTheTable() {
    assertThat(session.allocate(Pages.address(TABLE - LAST_RUN)))
        .isEqualTo(Pages.address(LAST_RUN));
    commit();
    assertThat(top()).isEqualTo(TABLE);
    assertThat(session.allocate(16)).isBetween(Pages.address(BEHIND_TABLE), Pages.address(PAGES));
  }

  /** There are as many pages up to the end of the region, but a table is among them. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void noRunAcrossTheTopReachesOverATable(long more) {
    long bytes = Pages.address(TABLE - LAST_RUN + more);
    assertThatThrownBy(() -> session.allocate(bytes)).isInstanceOf(RegionFullException.class);
    assertThat(session.allocateUnclearedIfRoom(bytes)).isZero();
    assertThat(top()).isEqualTo(TOP);
    session.aborted();
    tx.begin();
    assertThat(session.allocate(Pages.address(TOP - LAST_RUN))).isEqualTo(Pages.address(LAST_RUN));
  }
}
