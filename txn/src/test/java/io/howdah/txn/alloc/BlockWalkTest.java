package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a walk over a region shows is what is in use: each block once, in the order of addresses.
 */
final class BlockWalkTest {

  private static final long PAGES = 1200;

  private final OptimisticWords words = new OptimisticWords(PAGES);
  private final Heap heap = new Heap(words.region, 2, (_, _) -> {});
  private final OptimisticWords.Transaction tx = words.new Transaction();
  private final HeapSession session = new HeapSession(heap, tx, 0);

  /** Length in bytes of each block in use, by its address. */
  private final TreeMap<Long, Long> blocks = new TreeMap<>();

  @AfterEach
  void close() {
    words.close();
  }

  private long allocate(long bytes) {
    long address = session.allocate(bytes);
    blocks.put(address, SizeClasses.blockLength(bytes));
    return address;
  }

  private void free(long address) {
    session.free(address);
    blocks.remove(address);
  }

  private void check() {
    TreeMap<Long, Long> shown = new TreeMap<>();
    long[] last = {0};
    long[] free = {0};
    session.visit(
        new HeapSession.Visitor() {
          @Override
          public void block(long address, long lengthBytes) {
            assertThat(address).as("in order").isGreaterThan(last[0]);
            last[0] = address;
            shown.put(address, lengthBytes);
          }

          @Override
          public void free(long lengthBytes) {
            assertThat(lengthBytes).isNotNegative();
            free[0] += lengthBytes;
          }
        });
    assertThat(shown).isEqualTo(blocks);
    long used = blocks.values().stream().mapToLong(Long::longValue).sum();
    assertThat(free[0] + used).as("every page but the tables").isEqualTo(blockBytes());
    for (Map.Entry<Long, Long> block : blocks.entrySet()) {
      assertThat(session.blockBytes(block.getKey())).isEqualTo(block.getValue());
      assertThat(session.isBlock(block.getKey() + 8)).isFalse();
    }
  }

  /** Returns how many bytes below the top are not of tables. */
  private long blockBytes() {
    long top = Pages.of(tx.peek(RegionHeaderLayout.TOP_ADDRESS));
    long pages = 0;
    for (long page = Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS); page < top; page++) {
      pages += Pages.skipTable(page) == page ? 1 : 0;
    }
    return pages * PageLayout.PAGE_BYTES;
  }

  @Test
  void nothingIsShownOfAnEmptyRegion() {
    check();
  }

  /**
   * Slabs with more blocks than one word of the bitmap tells of, to the last one in the last word.
   */
  @Test
  void everyBlockOfASlabIsShownUpToTheLast() {
    int count = SizeClasses.blocks(0, SizeClasses.fewPages(0));
    assertThat(count % Long.SIZE).as("a last word in part").isNotZero();
    long[] addresses = new long[count];
    for (int i = 0; i < count; i++) {
      addresses[i] = allocate(16);
    }
    check();
    free(addresses[0]);
    free(addresses[Long.SIZE - 1]);
    free(addresses[Long.SIZE]);
    free(addresses[count - 1]);
    check();
  }

  @Test
  void longBlocksAndFreeRunsAreShownInTheirLengths() {
    long a = allocate(SizeClasses.MAX_LENGTH + 1);
    long b = allocate(10 * PageLayout.PAGE_BYTES);
    allocate(40);
    long c = allocate(3 * PageLayout.PAGE_BYTES - 1);
    check();
    free(b);
    check();
    free(a);
    check();
    free(c);
    check();
  }

  /** Across tables: what is left before one is free. */
  @Test
  void whatStandsBeforeATableIsFree() {
    long first = allocate(400 * PageLayout.PAGE_BYTES);
    allocate(300 * PageLayout.PAGE_BYTES);
    allocate(24);
    check();
    free(first);
    check();
  }

  @Test
  void aDescriptorThatNamesASizeClassThatDoesNotExistIsNamed() {
    long address = allocate(16);
    long at = PageLayout.descriptorAddress(Pages.of(address));
    for (int sizeClass : new int[] {SizeClasses.COUNT, SizeClasses.COUNT + 1}) {
      tx.put(at, PageLayout.descriptor(PageLayout.SLAB, sizeClass, 1));
      assertThatThrownBy(this::check)
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("size class " + sizeClass)
          .hasMessageContaining("there are " + SizeClasses.COUNT);
    }
  }

  @Test
  void isTheModelAfterAnyMix() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 300; i++) {
      if (random.nextInt(3) != 0 || blocks.isEmpty()) {
        allocate(random.nextInt(8) == 0 ? random.nextLong(1, 40_000) : random.nextLong(1, 700));
      } else {
        Long[] addresses = blocks.keySet().toArray(Long[]::new);
        free(addresses[random.nextInt(addresses.length)]);
      }
      if (i % 10 == 0) {
        check();
      }
    }
    check();
  }
}
