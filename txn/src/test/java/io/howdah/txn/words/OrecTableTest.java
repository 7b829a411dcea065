package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The words of ownership records, on the heap and in a region, and which address has which. */
final class OrecTableTest {

  private static final int ORECS = 1 << 10;

  private final List<Region> regions = new ArrayList<>();

  private Region allocate(long bytes) {
    Region region = Regions.anonymous(bytes);
    regions.add(region);
    return region;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyWordIsOneOfItsOwn(boolean onHeap) {
    try (OrecTable table = OrecTable.create(ORECS, onHeap, this::allocate)) {
      assertThat(regions).hasSize(onHeap ? 0 : 1);
      assertThat(table.array() != null).isEqualTo(onHeap);
      for (int orec = 0; orec < ORECS; orec++) {
        assertThat(table.getAcquire(orec)).isZero();
        table.setRelease(orec, OrecTable.unlocked(orec + 5));
      }
      long[] locks = {7, 0, 9, 0, 11, 0};
      table.setAllRelease(locks, 2, OrecTable.unlocked(1_000_000));
      assertThat(table.compareAndSet(table.array(), 3, OrecTable.unlocked(7), 1)).isFalse();
      assertThat(table.compareAndSet(table.array(), 3, OrecTable.unlocked(8), 1)).isTrue();
      for (long orec = 0; orec < ORECS; orec++) {
        long expected = OrecTable.unlocked(orec == 7 || orec == 9 ? 1_000_000 : orec + 5);
        expected = orec == 3 ? 1 : expected;
        assertThat(table.getAcquire(orec)).isEqualTo(expected);
        assertThat(table.getOpaque(orec)).isEqualTo(expected);
        assertThat(table.getOpaque(table.array(), orec)).isEqualTo(expected);
      }
    }
    for (Region region : regions) {
      assertThatThrownBy(() -> region.getLongOpaque(0)).isInstanceOf(IllegalStateException.class);
    }
  }

  /** A table that would fill a large part of the heap is none of it. */
  @Test
  void aLargeTableLiesInARegion() {
    long heapBytes = Runtime.getRuntime().maxMemory();
    int orecs = OrecTable.MIN_ORECS;
    while (OrecTable.lengthBytes(orecs) <= heapBytes / 16 && orecs < OrecTable.MAX_ORECS) {
      orecs *= 2;
    }
    boolean isLarge = OrecTable.lengthBytes(orecs) > heapBytes / 16;
    try (OrecTable table = OrecTable.create(orecs, true, this::allocate)) {
      assertThat(table.array() == null).isEqualTo(isLarge);
      assertThat(regions).hasSize(isLarge ? 1 : 0);
    }
  }

  /** A hundred stores with a table each leave the heap to the program. */
  @Test
  void allTablesTogetherTakeOneShareOfTheHeap() {
    long share = Runtime.getRuntime().maxMemory() / 16;
    int orecs = OrecTable.MIN_ORECS;
    while (OrecTable.lengthBytes(2 * orecs) <= share && orecs < OrecTable.MAX_ORECS) {
      orecs *= 2;
    }
    assumeThat(2 * OrecTable.lengthBytes(orecs)).isGreaterThan(share);
    OrecTable first = OrecTable.create(orecs, true, this::allocate);
    assumeThat(first.array()).isNotNull(); // unless another test has tables at the same time
    try (OrecTable second = OrecTable.create(orecs, true, this::allocate)) {
      assertThat(second.array()).isNull();
    }
    first.close();
    first.close();
    try (OrecTable third = OrecTable.create(orecs, true, this::allocate)) {
      assertThat(third.array()).isNotNull();
    }
    try (OrecTable large = OrecTable.create(2 * orecs, true, this::allocate)) {
      assertThat(large.array()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 32, 63, 65, 100, 3 << 10, 1 << 27})
  void aTableHasAPowerOfTwoOfWordsWithinBounds(int orecs) {
    assertThatThrownBy(() -> new OrecTable(allocate(4096), orecs))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(Integer.toString(orecs));
  }

  @Test
  void theSmallestTableIsOne() {
    try (OrecTable table = OrecTable.create(OrecTable.MIN_ORECS, true, this::allocate)) {
      assertThat(table.array()).hasSize(2 * OrecTable.MIN_ORECS);
    }
    assertThat(OrecTable.lengthBytes(OrecTable.MAX_ORECS)).isEqualTo(513L << 20);
  }

  @ParameterizedTest
  @ValueSource(ints = {OrecTable.MIN_ORECS, ORECS, OrecTable.MAX_ORECS})
  void theStripesOfAGroupHaveWordsSideBySide(int orecs) {
    int shift = OrecTable.shift(orecs);
    Set<Integer> groups = new HashSet<>();
    for (long group = 0; group < 1 << 22; group += OrecTable.GROUP_BYTES) {
      int first = OrecTable.of(group, shift);
      assertThat(first).isBetween(0, orecs - 8);
      assertThat(first % 8).isZero();
      groups.add(first);
      for (int at = 8; at < OrecTable.GROUP_BYTES; at += 8) {
        if (OrecTable.of(group + at, shift) != first + at / 32) {
          throw new AssertionError("the word at " + at + " of group " + group);
        }
      }
    }
    // The hash spreads the 16,384 groups over the whole table, almost without collisions if it is
    // large.
    assertThat(groups).hasSizeGreaterThan(Math.min(orecs / 8, 1 << 14) / 10 * 9);
  }

  @Test
  void aRangeWithinAGroupLiesOnEachStripeThatItTouches() {
    assertThat(OrecTable.stripes(0, 8)).isEqualTo(1);
    assertThat(OrecTable.stripes(0, 32)).isEqualTo(1);
    assertThat(OrecTable.stripes(24, 40)).isEqualTo(2);
    assertThat(OrecTable.stripes(256, 512)).isEqualTo(8);
    assertThat(OrecTable.stripes(24, 33)).isEqualTo(2);
  }
}
