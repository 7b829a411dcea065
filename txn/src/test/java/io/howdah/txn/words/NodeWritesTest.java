package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.file.Regions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What the rows of nodes amount to, against arrays of words. */
final class NodeWritesTest {

  private static final long BASE = 1 << 16;
  private static final int NODES = 40;

  private final NodeWrites writes = new NodeWrites();

  private static long node(int i) {
    int bytes = NodeLayout.bytesOf(i % NodeLayout.SIZES);
    return NodeLayout.reference(BASE + (long) i * NodeLayout.MAX_BYTES, bytes);
  }

  /** Returns a node's words: those of memory with the rows over them. */
  private long[] image(long node, long memory) {
    int number = writes.find(node);
    int image = writes.image(number);
    if (image < 0) {
      image = writes.beginImage(number);
      for (int i = 0; i < NodeLayout.words(node); i++) {
        writes.images()[image + i] = memory;
      }
      writes.completeImage(number);
    }
    long[] words = new long[NodeLayout.words(node)];
    System.arraycopy(writes.images(), image, words, 0, words.length);
    return words;
  }

  /**
   * Of few nodes and of many, and after a roll-back, any node of a page shows that it is written.
   */
  @Test
  void aPageIsKnownByAnyOfItsNodes() {
    SplittableRandom random = new SplittableRandom(4);
    for (int round = 0; round < 200; round++) {
      Set<Long> pages = new HashSet<>();
      long position = writes.position();
      Set<Long> before = Set.of();
      for (int i = random.nextInt(30); i > 0; i--) {
        int bytes = NodeLayout.bytesOf(random.nextInt(NodeLayout.SIZES));
        long page = BASE + (long) random.nextInt(60) * PageLayout.PAGE_BYTES;
        long address = page + (long) random.nextInt(PageLayout.PAGE_BYTES / bytes) * bytes;
        if (random.nextBoolean()) {
          writes.addFresh(NodeLayout.reference(address, bytes));
        } else {
          writes.put(NodeLayout.reference(address, bytes), 0, 1);
        }
        pages.add(page);
        if (random.nextInt(10) == 0) {
          position = writes.position();
          before = Set.copyOf(pages);
        }
      }
      requirePages(pages);
      writes.rollBack(position);
      requirePages(before);
      writes.clear();
    }
  }

  private void requirePages(Set<Long> pages) {
    for (long page = BASE;
        page < BASE + 60L * PageLayout.PAGE_BYTES;
        page += PageLayout.PAGE_BYTES) {
      assertThat(writes.isAnyIn(page)).isEqualTo(pages.contains(page));
    }
  }

  @Test
  void imagesAndMemoryAreWhatTheLastWritesSay() {
    for (int round = 0; round < 300; round++) {
      SplittableRandom random = new SplittableRandom(round);
      Map<Long, long[]> expected = new HashMap<>();
      List<Map<Long, long[]>> saved = new ArrayList<>();
      List<Long> positions = new ArrayList<>();
      int nodes = 1 + random.nextInt(NODES);
      for (int step = random.nextInt(200); step > 0; step--) {
        long node = node(random.nextInt(nodes));
        switch (random.nextInt(12)) {
          case 0 -> {
            positions.add(writes.position());
            saved.add(copy(expected));
          }
          case 1 -> {
            if (!positions.isEmpty()) {
              int to = random.nextInt(positions.size());
              writes.rollBack(positions.get(to));
              expected = copy(saved.get(to));
              positions.subList(to + 1, positions.size()).clear();
              saved.subList(to + 1, saved.size()).clear();
            }
          }
          case 2, 3 -> {
            if (expected.containsKey(node)) {
              assertThat(image(node, -7)).isEqualTo(expected.get(node));
            }
          }
          default -> put(random, node, expected);
        }
      }
      checkRows(expected);
      writes.clear();
      assertThat(writes.isEmpty()).isTrue();
      assertThat(writes.rowEntriesEnd()).isZero();
    }
    writes.trim();
  }

  private static Map<Long, long[]> copy(Map<Long, long[]> nodes) {
    Map<Long, long[]> copy = new HashMap<>();
    nodes.forEach((node, words) -> copy.put(node, words.clone()));
    return copy;
  }

  private void put(SplittableRandom random, long node, Map<Long, long[]> expected) {
    int first = random.nextInt(NodeLayout.words(node));
    int count = 1 + random.nextInt(Math.min(20, NodeLayout.words(node) - first));
    long[] source = random.longs(count).toArray();
    int before = writes.wordCount();
    int grown;
    if (count == 1) {
      grown = writes.put(node, first, source[0]);
    } else if (random.nextBoolean()) {
      byte[] bytes = new byte[3 + 8 * count];
      for (int i = 0; i < 8 * count; i++) {
        bytes[3 + i] = (byte) (source[i / 8] >>> (8 * (i % 8)));
      }
      grown = writes.put(node, first, bytes, 3, count);
    } else {
      grown = writes.put(node, first, source, 0, count);
    }
    assertThat(grown).isEqualTo(writes.wordCount() - before).isBetween(0, count);
    long[] words =
        expected.computeIfAbsent(
            node,
            _ -> {
              long[] fresh = new long[NodeLayout.words(node)];
              Arrays.fill(fresh, -7);
              return fresh;
            });
    System.arraycopy(source, 0, words, first, count);
  }

  /** The rows, applied in their order, give the same. */
  private void checkRows(Map<Long, long[]> expected) {
    try (Region region = Regions.anonymous(BASE + (long) NODES * NodeLayout.MAX_BYTES)) {
      for (long a = 0; a < region.capacityBytes(); a += Long.BYTES) {
        region.setLong(a, -7);
      }
      writes.storeTo(region);
      int rows = 0;
      for (int row = 0; row < writes.end(); row = writes.next(row)) {
        rows++;
        assertThat(RedoRecordLayout.entryAddress(writes.rowEntries()[row]))
            .isEqualTo(writes.rowAddress(row));
      }
      assertThat(rows).isEqualTo(writes.rowCount());
      assertThat(writes.rowEntriesEnd() - rows).isEqualTo(writes.wordCount());
      expected.forEach(
          (node, words) -> {
            assertThat(writes.isChanged(writes.find(node))).isTrue();
            for (int i = 0; i < words.length; i++) {
              assertThat(region.getLong(NodeLayout.address(node) + 8L * i)).isEqualTo(words[i]);
            }
          });
    }
  }

  @Test
  void aWordThatIsWrittenAgainTakesNoRoomUnlessASavepointNeedsTheFormerOne() {
    long node = node(2);
    assertThat(writes.put(node, 0, new long[] {1, 2, 3}, 0, 3)).isEqualTo(3);
    assertThat(writes.put(node, 10, 4)).isEqualTo(1);
    assertThat(writes.put(node, 1, 5)).isZero();
    assertThat(writes.rowCount()).isEqualTo(2);
    assertThat(writes.put(node, 11, 6)).isEqualTo(1); // goes on with the last row
    assertThat(writes.rowCount()).isEqualTo(2);
    long position = writes.position();
    assertThat(writes.put(node, 1, 7)).isEqualTo(1);
    assertThat(writes.put(node, 12, 8)).isEqualTo(1);
    assertThat(writes.rowCount()).isEqualTo(4);
    assertThat(image(node, 0)).startsWith(1, 7, 3).containsSequence(4, 6, 8);
    writes.rollBack(position);
    assertThat(image(node, 0)).startsWith(1, 5, 3).containsSequence(4, 6, 0);
  }

  @Test
  void aRowBehindAnOverlappingOneIsNotChangedInPlace() {
    long node = node(2);
    writes.put(node, 0, new long[] {1, 2, 3, 4}, 0, 4);
    writes.put(node, 100, 9);
    writes.put(node, 3, new long[] {5, 6}, 0, 2);
    writes.put(node, 100, 10);
    writes.put(node, 2, new long[] {7, 8}, 0, 2); // the first row has both, but a later one has one
    assertThat(image(node, 0)).startsWith(1, 2, 7, 8, 6);
  }

  @Test
  void imagesThatWereDroppedAreMadeAnew() {
    int count = 5000; // more images than are kept
    for (int i = 0; i < count; i++) {
      long node = NodeLayout.reference(BASE + (long) i * 4096, 4096);
      writes.put(node, 7, i);
      assertThat(image(node, -1)[7]).isEqualTo(i);
      writes.put(node, 8, -i);
    }
    for (int i = 0; i < count; i += 7) {
      long[] words = image(NodeLayout.reference(BASE + (long) i * 4096, 4096), -1);
      assertThat(words[7]).isEqualTo(i);
      assertThat(words[8]).isEqualTo(-i);
      assertThat(words[9]).isEqualTo(-1);
    }
    assertThat(writes.images().length).isLessThanOrEqualTo(1 << 22);
  }
}
