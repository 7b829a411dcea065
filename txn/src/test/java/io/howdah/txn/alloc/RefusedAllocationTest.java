package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a program reads when a store is full. */
final class RefusedAllocationTest {

  private static final long PAGES = 300;

  private final OptimisticWords words = new OptimisticWords(PAGES);
  private final Heap heap = new Heap(words.region, 1, (_, _) -> {});
  private final OptimisticWords.Transaction tx = words.new Transaction();
  private final HeapSession session = new HeapSession(heap, tx, 0);

  @BeforeEach
  void fill() {
    for (long bytes = heap.maxBytes(); bytes >= 16; bytes /= 2) {
      try {
        while (true) {
          session.allocate(bytes);
          tx.commit();
          session.committed();
          tx.begin();
        }
      } catch (RegionFullException e) {
        session.aborted();
        tx.begin();
      }
    }
  }

  @AfterEach
  void close() {
    words.close();
  }

  private void assertRefused(long bytes, long roomBytes) {
    long used = tx.peek(RegionHeaderLayout.TOP_ADDRESS);
    assertThatThrownBy(() -> session.allocate(bytes))
        .isInstanceOf(RegionFullException.class)
        .hasMessageContaining("no room for a block of " + roomBytes + " bytes: ")
        .hasMessageContaining(used + " of " + PAGES * PageLayout.PAGE_BYTES + " bytes have been");
    session.aborted();
    tx.begin();
  }

  @ParameterizedTest
  @CsvSource({"20480, 20480", "20481, 24576", "24576, 24576", "24577, 28672"})
  void ofALongBlockTheMessageHasItsPages(long bytes, long roomBytes) {
    assertRefused(bytes, roomBytes);
  }

  @Test
  void ofAShortBlockTheMessageHasTheSmallestSlab() {
    for (long bytes : new long[] {1, 416, SizeClasses.MAX_LENGTH}) {
      long pages = SizeClasses.fewPages(SizeClasses.of((int) bytes));
      assertRefused(bytes, pages * PageLayout.PAGE_BYTES);
    }
  }
}
