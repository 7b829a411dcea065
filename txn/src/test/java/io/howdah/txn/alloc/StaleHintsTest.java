package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hints that were true once, or that only one transaction knows better, do no harm. */
final class StaleHintsTest {

  private static final long PAGES = 700;

  private static final int ARENAS = 3;
  private static final int SHORT_SLABS = 4 * ARENAS;

  private final OptimisticWords words = new OptimisticWords(PAGES);
  private final Heap heap = new Heap(words.region, ARENAS, (_, _) -> {});

  @AfterEach
  void close() {
    words.close();
  }

  private final class Context {
    final OptimisticWords.Transaction tx = words.new Transaction();
    final HeapSession session;

    Context(int home) {
      session = new HeapSession(heap, tx, home);
    }

    long commitOne(long bytes) {
      long address = session.allocate(bytes);
      commit();
      return address;
    }

    void commit() {
      tx.commit();
      session.committed();
      tx.begin();
    }

    void abort() {
      session.aborted();
      tx.begin();
    }

    /** Walks over the books, and returns how many blocks are in use. */
    int walk() {
      return AllocatorBooks.walk(tx::peek, PAGES).count();
    }
  }

  /**
   * One attempt remembers a word far behind in the bitmap of a long slab that never came to be. At
   * the same page others have made a short one, and a large block behind it.
   */
  @Test
  void aWordOfALongerSlabAtTheSamePageIsNotLookedAt() {
    Context a = new Context(0);
    Context b = new Context(1);
    Context c = new Context(2);
    // The first slabs of a class are short.
    for (int i = 0; i < SHORT_SLABS * SizeClasses.blocks(0, SizeClasses.fewPages(0)); i++) {
      a.session.allocate(16);
    }
    a.abort();
    long first = 0;
    for (int i = 0; i < 4016; i++) {
      long address = a.session.allocate(16);
      first = i == 0 ? address : first;
    }
    a.abort();
    for (int i = 0; i <= SHORT_SLABS; i++) {
      heap.slabGivenBack(0); // the next one is short again
    }
    List<Long> small = new ArrayList<>();
    int blocks = SizeClasses.blocks(0, 1);
    for (int i = 0; i < blocks; i++) {
      small.add(b.session.allocate(16));
    }
    b.commit();
    assertThat(small.getFirst() & -4096).as("the slab's page").isEqualTo(first & -4096);
    long large = c.commitOne(256 << 10);
    assertThat(large).isEqualTo((small.getFirst() & -4096) + 4096);
    // Some blocks are free again, and the first attempt comes upon the slab.
    heap.forgetCurrent();
    for (int i = 10; i < 20; i++) {
      b.session.free(small.get(i));
    }
    b.commit();
    long taken = a.session.allocate(16);
    assertThat(taken).as("a block of the slab").isBetween(small.getFirst(), large - 16);
    a.commit();
    assertThat(a.walk()).isEqualTo(blocks - 10 + 1 + 1);
    for (long at = large; at < large + (256 << 10); at += 8) {
      assertThat(words.region.getLong(at)).as("word %d of the block", at - large).isZero();
    }
  }

  /** All slabs look partly free to others, but this transaction has filled them. */
  @Test
  void aTransactionThatFillsTheStoreIsRefusedAndDoesNotGoRoundInCircles() {
    Context a = new Context(0);
    List<Long> blocks = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      blocks.add(a.session.allocate(416));
    }
    a.commit();
    for (int i = 0; i < 4000; i += 40) {
      a.session.free(blocks.get(i)); // a free block in each of many slabs
    }
    a.commit();
    a.tx.called();
    assertThatThrownBy(
            () -> {
              while (true) {
                a.session.allocate(416);
              }
            })
        .isInstanceOf(RegionFullException.class);
    AllocatorBooks books = AllocatorBooks.walk(a.tx::peek, PAGES);
    assertThat(books.hasFreeBlock(SizeClasses.of(416))).isFalse();
  }

  @Test
  void aTransactionInAFullStoreUsesWhatItHasFreedItself() {
    Context a = new Context(0);
    List<Long> blocks = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                blocks.add(a.commitOne(1976));
              }
            })
        .isInstanceOf(RegionFullException.class);
    a.abort();
    long[] again = new long[60];
    for (int i = 0; i < again.length; i++) {
      a.session.free(blocks.get(3 * i));
    }
    for (int i = 0; i < again.length; i++) {
      again[i] = a.session.allocate(1976);
    }
    assertThat(again).doesNotHaveDuplicates();
    a.commit();
    assertThat(a.walk()).isEqualTo(blocks.size());
  }

  @Test
  void whatASavepointBroughtBackIsKnownToBeFree() {
    Context a = new Context(0);
    long longest = a.commitOne(heap.maxBytes());
    long rest = 0;
    try {
      while (true) {
        rest = a.commitOne(4096 * 5);
      }
    } catch (RegionFullException e) {
      a.abort();
    }
    a.session.free(longest);
    int mark = a.tx.mark();
    a.session.allocate(heap.maxBytes());
    a.tx.rollBack(mark);
    a.session.rolledBack();
    assertThat(a.session.allocate(heap.maxBytes())).isEqualTo(longest);
    a.tx.rollBack(mark);
    a.session.rolledBack();
    a.commit();
    assertThat(rest).isPositive();
    // Without a scan: the hint came back with the commit.
    assertThat(heap.freeRuns.take(heap.maxBytes() / 4096).page()).isEqualTo(longest / 4096);
  }

  /** Many short runs hide a longer one of their class from a look at some of them. */
  @Test
  void aRunBehindManyShorterOnesIsFoundBeforeAnythingIsRefused() {
    Context a = new Context(0);
    long seven = a.commitOne(7 * 4096);
    a.commitOne(5 * 4096);
    List<Long> fives = new ArrayList<>();
    try {
      while (true) {
        fives.add(a.commitOne(5 * 4096));
        a.commitOne(5 * 4096);
      }
    } catch (RegionFullException e) {
      a.abort();
    }
    a.session.free(seven);
    // Not those beside what was left before a table and at the end.
    fives.removeIf(block -> block > 500 * 4096);
    fives.forEach(a.session::free);
    a.commit();
    assertThat(fives).hasSizeGreaterThan(40);
    assertThat(a.session.allocate(6 * 4096)).isEqualTo(seven);
  }

  @Test
  void theLastFreeRunAndWhatWasNeverUsedServeOneBlock() {
    Context a = new Context(0);
    fillFirstRange(a);
    long last = a.commitOne(5 * 4096);
    a.session.free(last);
    a.commit();
    long top = words.region.getLong(RegionHeaderLayout.TOP_ADDRESS);
    assertThat(top).isEqualTo(last + 5 * 4096);
    assertThat(a.session.allocate((PAGES << 12) - last)).isEqualTo(last);
    a.commit();
    a.walk();
  }

  private static void fillFirstRange(Context context) {
    context.commitOne((PageLayout.HEADER_PAGES - 2) * 4096L);
  }

  // ---- Slabs that are empty.

  /** Fills the store with blocks of one length; afterwards no arena uses a slab. */
  private static List<Long> fill(Context context, long bytes) {
    List<Long> blocks = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                blocks.add(context.commitOne(bytes));
              }
            })
        .isInstanceOf(RegionFullException.class);
    context.abort();
    return blocks;
  }

  private static long descriptor(Context context, long page) {
    return context.tx.peek(PageLayout.descriptorAddress(page));
  }

  /** Frees all blocks of the slab that begins at a page. */
  private static void empty(Context context, List<Long> blocks, long page) {
    long end = page + PageLayout.length(descriptor(context, page));
    blocks.stream()
        .filter(block -> block >> 12 >= page && block >> 12 < end)
        .forEach(context.session::free);
  }

  @Test
  void aSlabThatNoArenaUsesIsGivenBackWithItsLastBlock() {
    Context a = new Context(0);
    List<Long> blocks = fill(a, 416);
    long page = blocks.getFirst() >> 12;
    assertThat(PageLayout.kind(descriptor(a, page))).isEqualTo(PageLayout.SLAB);
    empty(a, blocks, page);
    assertThat(PageLayout.kind(descriptor(a, page))).isEqualTo(PageLayout.FREE);
    a.commit();
    a.walk();
  }

  /** Its arena still uses it, and nobody but this transaction sees that it is empty. */
  @Test
  void aSlabThatThisTransactionHasEmptiedServesALongBlock() {
    Context a = new Context(0);
    List<Long> blocks = fill(a, 416);
    int inALongSlab = SHORT_SLABS * SizeClasses.blocks(SizeClasses.of(416), 1) + 100;
    a.session.free(blocks.get(inALongSlab));
    a.commit();
    assertThat(a.commitOne(416)).isEqualTo(blocks.get(inALongSlab));
    long page = heap.current(0, SizeClasses.of(416));
    assertThat(page).as("the slab is in use").isPositive();
    long pages = PageLayout.length(descriptor(a, page));
    assertThat(pages << 12).as("more than small blocks have").isGreaterThan(SizeClasses.MAX_LENGTH);
    empty(a, blocks, page);
    assertThat(PageLayout.kind(descriptor(a, page))).isEqualTo(PageLayout.SLAB);
    assertThat(a.session.allocate(pages << 12)).isEqualTo(page << 12);
    a.commit();
    assertThat(a.walk()).isPositive();
  }

  // ---- What was never written.

  /**
   * A stretch that a longer block has skipped is free, never written, and not read to be cleared.
   */
  @Test
  void whatWasNeverWrittenIsNotRead() {
    Context a = new Context(0);
    a.commitOne(100 * 4096);
    long end = PageLayout.HEADER_PAGES * 4096L;
    assertThat(a.commitOne(250 * 4096)).isLessThan(end);
    assertThat(a.commitOne(180 * 4096)).as("past the first table").isGreaterThan(end);
    for (int round = 0; round < 2; round++) {
      a.tx.countReads();
      long block = a.session.allocate(150 * 4096);
      assertThat(block).as("in the stretch skipped").isLessThan(end);
      assertThat(a.tx.reads()).as("words read").isLessThan(40);
      a.tx.put(block + 100 * 4096, 1);
      a.abort(); // so it stays never written
    }
    long block = a.session.allocate(30 * 4096);
    a.tx.countReads();
    long next = a.session.allocate(7 * 4096);
    assertThat(next).isEqualTo(block + 30 * 4096);
    assertThat(a.tx.reads()).as("words read, of the rest of the stretch").isLessThan(20);
  }

  /** And once it was written, it is cleared, though it is free again. */
  @Test
  void whatWasWrittenOnceIsCleared() {
    Context a = new Context(0);
    a.commitOne(100 * 4096);
    a.commitOne(250 * 4096);
    a.commitOne(180 * 4096);
    long block = a.session.allocate(20 * 4096);
    for (long at = 0; at < 20 * 4096; at += 8) {
      a.tx.put(block + at, -1);
    }
    long behind = a.session.allocate(5 * 4096);
    a.commit();
    a.session.free(block);
    a.commit();
    // Lengths that end in the middle of a word, one word before a page's end, and with the run.
    for (int bytes : new int[] {4096 * 18 + 3, 4096 * 5 + 1, 4096 * 6 - 8, 4096 * 20}) {
      long again = a.session.allocate(bytes);
      assertThat(again).isEqualTo(block);
      for (long at = 0; at < bytes; at += 8) {
        assertThat(a.tx.peek(again + at)).as("word at %d of %d bytes", at, bytes).isZero();
      }
      a.abort();
    }
    // In the same transaction too, and joined to what was never written.
    a.session.free(behind);
    long joined = a.session.allocate(100 * 4096);
    assertThat(joined).isEqualTo(block);
    for (long at = 0; at < 100 * 4096; at += 8) {
      assertThat(a.tx.peek(joined + at)).as("word at %d", at).isZero();
      a.tx.put(joined + at, 7);
    }
    a.session.free(joined);
    assertThat(a.session.allocate(99 * 4096 + 5)).isEqualTo(block);
    for (long at = 0; at < 99 * 4096 + 5; at += 8) {
      assertThat(a.tx.peek(joined + at)).as("word at %d, written by this one", at).isZero();
    }
  }
}
