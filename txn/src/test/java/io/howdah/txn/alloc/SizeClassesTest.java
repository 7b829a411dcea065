package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.PageLayout;
import org.junit.jupiter.api.Test;

/** Lengths of blocks, how slabs are cut into them, and which pages a run can have. */
final class SizeClassesTest {

  private static final int MAX_SLAB_PAGES = 32;

  @Test
  void aBlockIsTheShortestOneThatIsLongEnough() {
    for (int bytes = 1; bytes <= SizeClasses.MAX_LENGTH; bytes++) {
      int sizeClass = SizeClasses.of(bytes);
      assertThat(SizeClasses.length(sizeClass)).isGreaterThanOrEqualTo(bytes);
      if (sizeClass > 0) {
        assertThat(SizeClasses.length(sizeClass - 1)).isLessThan(bytes);
      }
    }
    assertThat(SizeClasses.of(SizeClasses.MAX_LENGTH)).isEqualTo(SizeClasses.COUNT - 1);
  }

  @Test
  void lengthsAreMultiplesOf16ThatWasteNoMoreThanANinth() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      int length = SizeClasses.length(sizeClass);
      assertThat(length % 16).isZero();
      if (sizeClass < 16) {
        assertThat(length).isEqualTo(16 * (sizeClass + 1));
      } else {
        int shortest = SizeClasses.length(sizeClass - 1) + 1;
        assertThat(9 * (length - shortest)).isLessThanOrEqualTo(length);
      }
    }
    assertThat(SizeClasses.length(SizeClasses.COUNT - 1)).isEqualTo(SizeClasses.MAX_LENGTH);
  }

  @Test
  void aSlabHasItsBitmapAndAsManyBlocksBehindItAsFit() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      int length = SizeClasses.length(sizeClass);
      for (int pages = 1; pages <= MAX_SLAB_PAGES; pages++) {
        int bytes = pages * PageLayout.PAGE_BYTES;
        int blocks = SizeClasses.blocks(sizeClass, pages);
        int first = SizeClasses.firstBlockOfSlab(sizeClass, blocks);
        assertThat(first * 8).as("bits of the bitmap").isGreaterThanOrEqualTo(blocks);
        assertThat(first - (blocks + 63) / 64 * 8).as("before the first block").isLessThan(64);
        assertThat(first % Math.min(64, Integer.lowestOneBit(length))).isZero();
        assertThat(first + blocks * length).isLessThanOrEqualTo(bytes);
        int more = SizeClasses.firstBlockOfSlab(sizeClass, blocks + 1);
        assertThat(more + (blocks + 1) * length).isGreaterThan(bytes);
      }
      assertThat(SizeClasses.blocks(sizeClass, 0)).isZero();
      assertThat(SizeClasses.blocks(sizeClass, -1)).isZero();
      assertThat(SizeClasses.blocks(sizeClass, MAX_SLAB_PAGES + 1L)).isZero();
      assertThat(SizeClasses.blocks(sizeClass, 1L << 40)).isZero();
    }
  }

  private static double waste(int sizeClass, int pages) {
    int used = SizeClasses.blocks(sizeClass, pages) * SizeClasses.length(sizeClass);
    return 1 - (double) used / (pages * PageLayout.PAGE_BYTES);
  }

  @Test
  void theFirstSlabsOfAnArenaAreShortAndTheLaterOnesWasteLeast() {
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      int few = SizeClasses.fewPages(sizeClass);
      assertThat(waste(sizeClass, few)).isLessThanOrEqualTo(0.125);
      for (int pages = 1; pages < few; pages++) {
        assertThat(waste(sizeClass, pages)).isGreaterThan(0.125);
      }
      assertThat(SizeClasses.slabPages(sizeClass, 0)).isEqualTo(few);
      assertThat(SizeClasses.slabPages(sizeClass, 3)).isEqualTo(few);
      int many = SizeClasses.slabPages(sizeClass, 4);
      assertThat(many).isBetween(Math.max(16, few), MAX_SLAB_PAGES);
      for (int pages = Math.max(16, few); pages <= MAX_SLAB_PAGES; pages++) {
        if (pages < many) {
          assertThat(waste(sizeClass, pages)).isGreaterThan(waste(sizeClass, many));
        } else {
          assertThat(waste(sizeClass, pages)).isGreaterThanOrEqualTo(waste(sizeClass, many));
        }
      }
    }
  }

  @Test
  void longBlocksTakeWholePages() {
    assertThat(SizeClasses.blockLength(0)).isEqualTo(16);
    assertThat(SizeClasses.blockLength(1)).isEqualTo(16);
    assertThat(SizeClasses.blockLength(16)).isEqualTo(16);
    assertThat(SizeClasses.blockLength(17)).isEqualTo(32);
    assertThat(SizeClasses.blockLength(1 << 14)).isEqualTo(1 << 14);
    assertThat(SizeClasses.blockLength((1 << 14) + 1)).isEqualTo(5 * 4096);
    assertThat(SizeClasses.blockLength(5 * 4096)).isEqualTo(5 * 4096);
    assertThat(SizeClasses.blockLength(1L << 40)).isEqualTo(1L << 40);
    assertThat(HeapSession.isSameBlockLength(17, 32)).isTrue();
    assertThat(HeapSession.isSameBlockLength(16, 17)).isFalse();
  }

  @Test
  void aRunLiesBetweenTwoTablesOfDescriptors() {
    assertThat(Pages.rangeEnd(1)).isEqualTo(512);
    assertThat(Pages.rangeEnd(511)).isEqualTo(512);
    assertThat(Pages.rangeEnd(512)).isEqualTo(1024);
    assertThat(Pages.rangeEnd(1023)).isEqualTo(1024);
    assertThat(Pages.skipTable(256)).as("described in the header").isEqualTo(256);
    assertThat(Pages.skipTable(511)).isEqualTo(511);
    assertThat(Pages.skipTable(512)).isEqualTo(513);
    assertThat(Pages.skipTable(513)).isEqualTo(513);
    assertThat(Pages.skipTable(4096)).isEqualTo(4096 + 8);
    assertThat(Pages.of(Pages.address(77))).isEqualTo(77);
    long descriptor = PageLayout.descriptor(PageLayout.FREE, 0, 9);
    assertThat(Pages.isFreeRun(descriptor, 9)).isTrue();
    assertThat(Pages.isFreeRun(descriptor, 8)).isFalse();
    assertThat(Pages.isFreeRun(PageLayout.descriptor(PageLayout.LARGE, 0, 9), 9)).isFalse();
  }
}
