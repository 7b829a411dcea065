package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The image of a node against lists. */
final class NodeImageTest {

  private static final long SEED = Long.getLong("howdah.seed", 7);
  private static final int ROUNDS = 20_000;
  private static final int ADDRESS = 1 << 20;

  private record Entry(long head, int unit, int units) {}

  static Stream<TreeNodeLayout> layouts() {
    return Stream.of(TreeNodeLayout.SMALL, TreeNodeLayout.MIDDLE, TreeNodeLayout.LARGE);
  }

  private static NodeImage empty(TreeNodeLayout layout) {
    NodeImage image = new NodeImage();
    Arrays.fill(image.words, -1);
    image.clear(NodeLayout.reference(ADDRESS, layout.bytes), 3, 17);
    return image;
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void insertionsRemovalsAndMovesAreThoseOfAList(TreeNodeLayout layout) {
    Random random = new Random(SEED);
    NodeImage image = empty(layout);
    List<Entry> entries = new ArrayList<>();
    boolean[] used = new boolean[layout.units];
    Arrays.fill(used, 0, layout.firstUnit, true);
    for (int round = 0; round < ROUNDS; round++) {
      boolean isInsertion = random.nextInt(100) < (round / 500 % 2 == 0 ? 70 : 30);
      int units = 1 + random.nextInt(random.nextInt(8) == 0 ? 33 : 4);
      if (isInsertion && entries.size() < layout.capacity) {
        insert(random, image, entries, used, units);
      } else if (!entries.isEmpty()) {
        removeOrMove(random, image, entries, used, units);
      }
      requireEqual(image, layout, entries, used);
    }
  }

  private static int freeRun(boolean[] used, int units) {
    for (int unit = 0; unit + units <= used.length; unit++) {
      int end = unit;
      while (end < unit + units && !used[end]) {
        end++;
      }
      if (end == unit + units) {
        return unit;
      }
    }
    return -1;
  }

  private static void insert(
      Random random, NodeImage image, List<Entry> entries, boolean[] used, int units) {
    int unit = freeRun(used, units);
    assertThat(image.freeRun(units)).isEqualTo(unit);
    if (unit < 0) {
      return;
    }
    long head = random.nextInt(5) == 0 ? random.nextInt(3) : random.nextLong();
    int index = 0;
    while (index < entries.size() && entries.get(index).head() < head) {
      index++;
    }
    image.search(head);
    assertThat(image.below).isEqualTo(index);
    while (index < entries.size() && entries.get(index).head() == head && random.nextBoolean()) {
      index++;
    }
    image.insert(index, unit, units, head);
    entries.add(index, new Entry(head, unit, units));
    Arrays.fill(used, unit, unit + units, true);
  }

  private static void removeOrMove(
      Random random, NodeImage image, List<Entry> entries, boolean[] used, int units) {
    int index = random.nextInt(entries.size());
    Entry entry = entries.get(index);
    Arrays.fill(used, entry.unit(), entry.unit() + entry.units(), false);
    int unit = freeRun(used, units);
    if (random.nextBoolean() || unit < 0) {
      int _ = image.remove(index, entry.units(), entry.head());
      entries.remove(index);
      return;
    }
    image.move(index, entry.units(), unit, units);
    entries.set(index, new Entry(entry.head(), unit, units));
    Arrays.fill(used, unit, unit + units, true);
  }

  private static void requireEqual(
      NodeImage image, TreeNodeLayout layout, List<Entry> entries, boolean[] used) {
    assertThat(image.count()).isEqualTo(entries.size());
    long[] heads = new long[layout.capacity];
    image.sortedHeads(heads);
    for (int i = 0; i < entries.size(); i++) {
      assertThat(image.unit(i)).isEqualTo(entries.get(i).unit());
      assertThat(image.entry(i)).isEqualTo(layout.word(entries.get(i).unit()));
      assertThat(heads[i]).isEqualTo(entries.get(i).head());
    }
    int free = 0;
    int end = 0;
    for (int unit = 0; unit < used.length; unit++) {
      free += used[unit] ? 0 : 1;
      end = used[unit] ? unit + 1 : end;
    }
    assertThat(image.freeUnits()).isEqualTo(free);
    assertThat(image.endUnit()).isEqualTo(end);
    assertThat(TreeNodeLayout.isHeader(image.words[0], 3, 17)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void eachRunOfFreeUnitsIsFound(TreeNodeLayout layout) {
    for (int units = 1; units <= 64; units++) {
      for (int unit = layout.firstUnit; unit + units <= layout.units; unit++) {
        NodeImage image = empty(layout);
        for (int i = layout.firstUnit; i < layout.units; i++) {
          if (i < unit || i >= unit + units) {
            image.use(i, 1);
          }
        }
        assertThat(image.freeRun(units)).isEqualTo(unit);
        assertThat(image.freeRun(units + 1)).isEqualTo(-1);
        image.use(unit, units);
        assertThat(image.freeUnits()).isZero();
        image.free(unit, units);
        assertThat(image.freeUnits()).isEqualTo(units);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void noUnitOutsideOfTheEntriesIsOne(TreeNodeLayout layout) {
    NodeImage image = empty(layout);
    image.insert(0, layout.firstUnit, 1, 5);
    for (int unit = 0; unit < 256; unit++) {
      image.words[TreeNodeLayout.ORDER_AT] = unit;
      int expected = unit < layout.firstUnit || unit >= layout.units ? -1 : layout.word(unit);
      assertThat(image.entry(0)).isEqualTo(expected);
    }
  }
}
