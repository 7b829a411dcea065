package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is found at an address by descriptors and bitmaps, sound and damaged, written by hand. */
final class BlockLookupTest {

  private static final long CAPACITY = 1 << 10;
  private static final long FIRST = Pages.of(RegionHeaderLayout.BLOCKS_ADDRESS);
  private static final long RUN = FIRST + 8;

  /** Of which a slab of one page holds more than a word of its bitmap tells of. */
  private static final int SMALL = SizeClasses.of(32);

  private final Words words = new Words();
  private final BlockLookup lookup = new BlockLookup(words, CAPACITY);

  /** Words of which those that were not put are 0. */
  private static final class Words implements HeapWords {
    private final Map<Long, Long> values = new HashMap<>();

    @Override
    public long get(long address) {
      return values.getOrDefault(address, 0L);
    }

    @Override
    public void get(long address, byte[] target, int words) {
      throw new AssertionError("nobody asks for many");
    }

    @Override
    public void put(long address, long value) {
      values.put(address, value);
    }

    @Override
    public void prepare(long address) {
      throw new AssertionError("a look prepares nothing");
    }

    @Override
    public RuntimeException refuse(RuntimeException reason) {
      return reason;
    }
  }

  private void describe(long page, int kind, int sizeClass, long length) {
    words.put(PageLayout.descriptorAddress(page), PageLayout.descriptor(kind, sizeClass, length));
  }

  private void use(long page, int block) {
    long address = Pages.address(page) + (long) (block / Long.SIZE) * Long.BYTES;
    words.put(address, words.get(address) | 1L << block);
  }

  private void run(long page, int kind, int sizeClass, int pages) {
    describe(page, kind, sizeClass, pages);
    for (int i = 1; i < pages; i++) {
      describe(page + i, PageLayout.TAIL, 0, i);
    }
  }

  @Test
  void noBlockLiesInTheHeaderOrBehindTheEnd() {
    describe(FIRST - 1, PageLayout.LARGE, 0, 1);
    describe(FIRST, PageLayout.LARGE, 0, 1);
    describe(CAPACITY - 1, PageLayout.LARGE, 0, 1);
    describe(CAPACITY, PageLayout.LARGE, 0, 1);
    assertThat(lookup.lengthBytes(Pages.address(FIRST) - 8)).isZero();
    assertThat(lookup.lengthBytes(Pages.address(FIRST - 1))).isZero();
    assertThat(lookup.head(Pages.address(FIRST))).isEqualTo(FIRST);
    assertThat(lookup.lengthBytes(Pages.address(FIRST))).isEqualTo(4096);
    assertThat(lookup.lengthBytes(Pages.address(CAPACITY - 1))).isEqualTo(4096);
    assertThat(lookup.head(Pages.address(CAPACITY))).isZero();
    assertThat(lookup.lengthBytes(Pages.address(CAPACITY))).isZero();
  }

  @Test
  void aLargeBlockStartsAtItsRun() {
    run(RUN, PageLayout.LARGE, 0, 3);
    assertThat(lookup.lengthBytes(Pages.address(RUN))).isEqualTo(3 * 4096);
    assertThat(lookup.lengthBytes(Pages.address(RUN) + 8)).isZero();
    assertThat(lookup.lengthBytes(Pages.address(RUN + 1))).isZero();
    assertThat(lookup.head(Pages.address(RUN + 2) + 4088)).isEqualTo(RUN);
  }

  @Test
  void aFreeRunHasNoBlock() {
    run(RUN, PageLayout.FREE, 0, 2);
    assertThat(lookup.lengthBytes(Pages.address(RUN))).isZero();
    assertThat(lookup.lengthBytes(Pages.address(RUN + 1))).isZero();
  }

  @Test
  void aPageThatItsRunDoesNotReachHasNoHead() {
    describe(RUN, PageLayout.LARGE, 0, 2);
    describe(RUN + 1, PageLayout.TAIL, 0, 1);
    describe(RUN + 2, PageLayout.TAIL, 0, 2);
    assertThat(lookup.head(Pages.address(RUN + 1))).isEqualTo(RUN);
    assertThat(lookup.head(Pages.address(RUN + 2))).isZero();
    describe(FIRST, PageLayout.LARGE, 0, 2);
    describe(FIRST + 1, PageLayout.TAIL, 0, 1);
    assertThat(lookup.head(Pages.address(FIRST + 1))).isEqualTo(FIRST);
    describe(FIRST - 1, PageLayout.LARGE, 0, 4);
    describe(FIRST + 2, PageLayout.TAIL, 0, 3);
    assertThat(lookup.head(Pages.address(FIRST + 2))).as("within the header").isZero();
  }

  @Test
  void blocksOfASlabAreThoseThatItsBitmapHas() {
    run(RUN, PageLayout.SLAB, SMALL, 1);
    int blocks = SizeClasses.blocks(SMALL, 1);
    assertThat(blocks).isGreaterThan(64);
    long first = Pages.address(RUN) + SizeClasses.firstBlockOfSlab(SMALL, blocks);
    for (int used : new int[] {0, 63, 64, blocks - 1}) {
      use(RUN, used);
    }
    for (int i = 0; i < blocks; i++) {
      boolean isUsed = i == 0 || i == 63 || i == 64 || i == blocks - 1;
      assertThat(lookup.lengthBytes(first + 32L * i)).isEqualTo(isUsed ? 32 : 0);
    }
    use(RUN, blocks);
    assertThat(lookup.lengthBytes(first + 32L * blocks)).as("behind the last").isZero();
    assertThat(lookup.lengthBytes(first + 8)).as("within the first").isZero();
    assertThat(lookup.lengthBytes(first - 32)).as("in the bitmap").isZero();
    assertThat(lookup.lengthBytes(Pages.address(RUN))).isZero();
  }

  @Test
  void aSlabIsEmptyIfItsBitmapIs() {
    int blocks = SizeClasses.blocks(SMALL, 1);
    for (int used : new int[] {0, 63, 64, blocks - 1}) {
      words.values.clear();
      run(RUN, PageLayout.SLAB, SMALL, 1);
      long descriptor = words.get(PageLayout.descriptorAddress(RUN));
      // Data of its first block, behind the bitmap.
      words.put(Pages.address(RUN) + SizeClasses.firstBlockOfSlab(SMALL, blocks), -1);
      assertThat(lookup.isEmpty(RUN, descriptor)).isTrue();
      use(RUN, used);
      assertThat(lookup.isEmpty(RUN, descriptor)).isFalse();
    }
  }

  /** A word of a bitmap tells of 64 blocks exactly, and what follows is their data. */
  @Test
  void theWordBehindABitmapIsNotAskedFor() {
    boolean isMet = false;
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      for (int pages = 1; pages <= 32; pages++) {
        int blocks = SizeClasses.blocks(sizeClass, pages);
        if (blocks > 0 && blocks % Long.SIZE == 0) {
          isMet = true;
          words.values.clear();
          words.put(Pages.address(RUN) + (long) (blocks / Long.SIZE) * Long.BYTES, -1);
          long descriptor = PageLayout.descriptor(PageLayout.SLAB, sizeClass, pages);
          assertThat(lookup.isEmpty(RUN, descriptor)).isTrue();
        }
      }
    }
    assertThat(isMet).isTrue();
  }

  @Test
  void aSlabOfASizeClassThatDoesNotExistHasNoBlockAndIsLeftAlone() {
    for (int sizeClass : new int[] {SizeClasses.COUNT, SizeClasses.COUNT + 1}) {
      run(RUN, PageLayout.SLAB, sizeClass, 1);
      use(RUN, 0);
      for (int at = 0; at < PageLayout.PAGE_BYTES; at += 8) {
        assertThat(lookup.lengthBytes(Pages.address(RUN) + at)).isZero();
      }
      words.put(Pages.address(RUN), 0);
      assertThat(lookup.isEmpty(RUN, words.get(PageLayout.descriptorAddress(RUN)))).isFalse();
    }
    for (int pages : new int[] {0, 33}) {
      describe(RUN, PageLayout.SLAB, SMALL, pages);
      assertThat(lookup.lengthBytes(Pages.address(RUN) + 64)).isZero();
      assertThat(lookup.isEmpty(RUN, words.get(PageLayout.descriptorAddress(RUN)))).isFalse();
    }
  }
}
