package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.PageLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction in a full region frees runs, sets a savepoint, uses the runs, and goes back: they
 * are free again for it, and after its commit for others. With few notes, and with many.
 */
final class FreedBeforeASavepointTest {

  private static final long PAGES = 1 << 11;
  private static final long BYTES = 6L * PageLayout.PAGE_BYTES;

  private final OptimisticWords words = new OptimisticWords(PAGES);
  private final Heap heap = new Heap(words.region, 1, (_, _) -> {});
  private final OptimisticWords.Transaction tx = words.new Transaction();
  private final HeapSession session = new HeapSession(heap, tx, 0);
  private final List<Long> blocks = new ArrayList<>();

  FreedBeforeASavepointTest() {
    for (long bytes = BYTES; bytes >= PageLayout.PAGE_BYTES; bytes -= PageLayout.PAGE_BYTES) {
      for (long found = session.allocateUnclearedIfRoom(bytes);
          found != 0;
          found = session.allocateUnclearedIfRoom(bytes)) {
        if (bytes == BYTES) {
          blocks.add(found);
        }
        commit();
      }
      commit();
    }
    assertThat(blocks).hasSizeGreaterThan(302);
  }

  @AfterEach
  void close() {
    words.close();
  }

  private void commit() {
    tx.commit();
    session.committed();
    tx.begin();
  }

  private void rollBack(int savepoint) {
    tx.rollBack(savepoint);
    session.rolledBack();
  }

  /** Frees blocks that are not neighbours. */
  private Set<Long> freeSome(int count) {
    Set<Long> freed = new HashSet<>();
    for (int i = 0; i < count; i++) {
      long address = blocks.get(2 * i);
      session.free(address);
      freed.add(address);
    }
    return freed;
  }

  private void assertFree(Set<Long> freed, long bytes) {
    Set<Long> found = new HashSet<>();
    for (int i = 0; i < freed.size(); i++) {
      found.add(session.allocateUncleared(bytes));
    }
    assertThat(found).isEqualTo(freed);
    assertThatThrownBy(() -> session.allocateUncleared(BYTES))
        .isInstanceOf(RegionFullException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 70, 150})
  void runsThatWereTakenAreFreeAgain(int count) {
    Set<Long> freed = freeSome(count);
    int savepoint = tx.mark();
    for (int i = 0; i < count; i++) {
      assertThat(freed).contains(session.allocateUncleared(BYTES));
    }
    rollBack(savepoint);
    assertFree(freed, BYTES);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 70, 150})
  void runsOfWhichAPartWasTakenAreWholeAgain(int count) {
    Set<Long> freed = freeSome(count);
    int savepoint = tx.mark();
    for (int i = 0; i < count; i++) {
      assertThat(session.allocateUncleared(BYTES - PageLayout.PAGE_BYTES)).isNotZero();
    }
    rollBack(savepoint);
    assertFree(freed, BYTES);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 70, 150})
  void runsThatHaveBecomePartsOfLongerOnesAreFreeAgain(int count) {
    Set<Long> freed = freeSome(count);
    int savepoint = tx.mark();
    for (int i = 0; i < count; i++) {
      session.free(blocks.get(2 * i + 1));
    }
    rollBack(savepoint);
    assertFree(freed, BYTES);
  }

  /** Hints, which a commit gives to others, are as of the commit. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 70, 150})
  void theCommitGivesThemToOthers(int count) {
    Set<Long> freed = freeSome(count);
    int savepoint = tx.mark();
    for (int i = 0; i < count; i++) {
      assertThat(session.allocateUncleared(BYTES)).isNotZero();
    }
    rollBack(savepoint);
    commit();
    Set<Long> known = new HashSet<>();
    for (FreeRuns.Run run = heap.freeRuns.take(6); run.length() != 0; run = heap.freeRuns.take(6)) {
      known.add(Pages.address(run.page()));
    }
    assertThat(known).containsAll(freed);
  }
}
