package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.PageLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction makes a slab behind a savepoint and goes back: the pages are no slab again, so the
 * next block of the class lies in another one, whatever the pages hold by then.
 */
final class SlabBehindASavepointTest {

  private final OptimisticWords words = new OptimisticWords(1 << 11);
  private final Heap heap = new Heap(words.region, 1, (_, _) -> {});
  private final OptimisticWords.Transaction tx = words.new Transaction();
  private final HeapSession session = new HeapSession(heap, tx, 0);

  @AfterEach
  void close() {
    words.close();
  }

  private void makeSlabAndGoBack(long bytes) {
    int savepoint = tx.mark();
    long undone = session.allocateUncleared(bytes);
    assertThat(undone).isNotZero();
    tx.rollBack(savepoint);
    session.rolledBack();
  }

  private void assertInASlab(long address) {
    long descriptor = tx.get(PageLayout.descriptorAddress(Pages.of(address)));
    assertThat(PageLayout.kind(descriptor)).isEqualTo(PageLayout.SLAB);
  }

  @ParameterizedTest
  @ValueSource(longs = {16, 64, 100, 256, 1000})
  void theNextBlockOfTheClassLiesInASlab(long bytes) {
    makeSlabAndGoBack(bytes);
    assertInASlab(session.allocateUncleared(bytes));
  }

  @ParameterizedTest
  @ValueSource(longs = {16, 64, 100, 256, 1000})
  void pagesThatALongBlockHasTakenGetNoBlocks(long bytes) {
    makeSlabAndGoBack(bytes);
    long block = session.allocateUncleared(2L * PageLayout.PAGE_BYTES);
    long next = session.allocateUncleared(bytes);
    assertInASlab(next);
    assertThat(next < block || next >= block + 2L * PageLayout.PAGE_BYTES).isTrue();
  }
}
