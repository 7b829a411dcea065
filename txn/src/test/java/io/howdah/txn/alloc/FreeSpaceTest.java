package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.file.Regions;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every word of a block holds the block's own pattern, and every word of a free page something
 * else. After the free pages became zeros and the top sank, each block is as it was, and all that
 * can be allocated reads as zeros.
 */
final class FreeSpaceTest {

  private static final int PAGES = 1 << 12;
  private static final int[] LENGTHS = {16, 24, 100, 700, 1_500, 5_000, 9_000, 16_384, 30_000};
  private static final int STEPS = 3_000;
  private static final int LONGEST = 400_000;
  private static final int CLEARED_PAGES = 512;

  private final Region region = Regions.anonymous((long) PAGES * PageLayout.PAGE_BYTES);
  private final Words words = new Words(region);
  private final Map<Long, Long> blocks = new LinkedHashMap<>();

  private record Words(Region region) implements HeapWords {

    @Override
    public long get(long address) {
      return region.getLong(address);
    }

    @Override
    public void get(long address, byte[] target, int words) {
      region.getBytes(address, target, 0, words * Long.BYTES);
    }

    @Override
    public void put(long address, long value) {
      region.setLong(address, value);
    }

    @Override
    public void prepare(long address) {}

    @Override
    public RuntimeException refuse(RuntimeException reason) {
      return reason;
    }
  }

  FreeSpaceTest() {
    words.put(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
  }

  @AfterEach
  void close() {
    region.close();
  }

  private HeapSession session() {
    return new HeapSession(new Heap(region, 1, (_, _) -> {}), words, 0);
  }

  private long top() {
    return words.get(RegionHeaderLayout.TOP_ADDRESS);
  }

  private void allocate(HeapSession session, long bytes) {
    long address = session.allocate(bytes);
    long length = session.blockBytes(address);
    for (long at = 0; at < length; at += 8) {
      words.put(address + at, address ^ -1);
    }
    blocks.put(address, length);
  }

  private void free(HeapSession session, long address) {
    session.free(address);
    blocks.remove(address);
  }

  /** Allocates and frees at random, with a time of growth first and one of removals at the end. */
  private void history(long seed, int keptPercent) {
    SplittableRandom random = new SplittableRandom(seed);
    HeapSession session = session();
    List<Long> live = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      if (live.isEmpty() || random.nextInt(STEPS) > step / 2) {
        int length = LENGTHS[random.nextInt(LENGTHS.length)];
        allocate(session, random.nextInt(300) == 0 ? LONGEST : length);
        live = new ArrayList<>(blocks.keySet());
      } else {
        free(session, live.remove(random.nextInt(live.size())));
      }
      session.committed();
    }
    for (long address : live) {
      if (random.nextInt(100) >= keptPercent) {
        free(session, address);
        session.committed();
      }
    }
  }

  private BitSet compact() {
    FreeSpace space = new FreeSpace(region, words);
    space.giveBackEmptySlabs();
    BitSet free = new BitSet();
    space.visitFreePages(
        (page, count) -> {
          for (long at = page; at < page + count; at++) {
            region.clear(at << PageLayout.PAGE_SHIFT, PageLayout.PAGE_BYTES);
            free.set((int) at);
          }
        });
    space.endUse();
    return free;
  }

  private void requireBlocks() {
    Map<Long, Long> found = new LinkedHashMap<>();
    session()
        .visit(
            new HeapSession.Visitor() {
              @Override
              public void block(long address, long lengthBytes) {
                found.put(address, lengthBytes);
              }

              @Override
              public void free(long lengthBytes) {}
            });
    assertThat(found.equals(blocks)).as("the blocks in use are the same").isTrue();
    requirePatterns();
  }

  private void requirePatterns() {
    blocks.forEach(
        (address, length) -> {
          for (long at = 0; at < length; at += 8) {
            if (words.get(address + at) != (address ^ -1)) {
              throw new AssertionError("word " + at + " of block " + address + " has changed");
            }
          }
        });
  }

  /** Takes all that there is; the least block last. */
  private void requireZeros() {
    HeapSession session = session();
    for (int length : new int[] {1 << 16, PageLayout.PAGE_BYTES * 5, 9_000, 700, 16}) {
      for (long address = allocateIfRoom(session, length);
          address != 0;
          address = allocateIfRoom(session, length)) {
        for (long at = 0; at < length; at += 8) {
          assertThat(words.get(address + at)).as("block %d of %d", address, length).isZero();
        }
        session.committed();
      }
    }
  }

  private static long allocateIfRoom(HeapSession session, long length) {
    try {
      return session.allocate(length);
    } catch (RegionFullException e) {
      return 0;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 20, 100})
  void blocksStayAndTheRestReadsAsZeros(int keptPercent) {
    history(keptPercent + 1, keptPercent);
    BitSet free = compact();
    requireBlocks();
    long end =
        blocks.entrySet().stream()
            .mapToLong(block -> block.getKey() + block.getValue())
            .max()
            .orElse(RegionHeaderLayout.BLOCKS_ADDRESS);
    // A slab may go on behind its last block in use.
    assertThat(top()).isBetween(end, end + 32 * PageLayout.PAGE_BYTES);
    for (Map.Entry<Long, Long> block : blocks.entrySet()) {
      int first = (int) (block.getKey() >>> PageLayout.PAGE_SHIFT);
      int last = (int) ((block.getKey() + block.getValue() - 1) >>> PageLayout.PAGE_SHIFT);
      assertThat(free.nextSetBit(first)).as("page of a block").matches(p -> p < 0 || p > last);
    }
    for (long at = top(); at < region.capacityBytes(); at += 8) {
      if (words.get(at) != 0) {
        throw new AssertionError("word " + at + " above the top " + top() + " is not zero");
      }
    }
    requireZeros();
    requirePatterns();
  }

  @Test
  void nothingInUseSinksTheTopToTheStart() {
    history(5, 0);
    assertThat(top()).isGreaterThan((PAGES / 4L) << PageLayout.PAGE_SHIFT);
    compact();
    assertThat(top()).isEqualTo(RegionHeaderLayout.BLOCKS_ADDRESS);
    for (int page = 0; page < PAGES; page++) {
      assertThat(words.get(PageLayout.descriptorAddress(page))).isZero();
    }
  }

  @Test
  void oneMoreTimeThereIsNothingToDo() {
    history(6, 20);
    BitSet first = compact();
    long top = top();
    assertThat(first.cardinality()).isGreaterThan(200);
    FreeSpace space = new FreeSpace(region, words);
    space.giveBackEmptySlabs();
    long[] runs = new long[1];
    space.visitFreePages((_, count) -> runs[0] += count);
    assertThat(runs[0]).as("pages within slabs alone").isLessThan(first.cardinality() / 2);
    assertThat(space.endUse()).isEqualTo(top);
  }

  @ParameterizedTest
  @ValueSource(longs = {PageLayout.NONE, PageLayout.FREE, 0x7f, 1L << 60 | PageLayout.LARGE})
  void aDescriptorThatContradictsOthersIsDamage(long descriptor) {
    HeapSession session = session();
    allocate(session, 30_000);
    allocate(session, 30_000);
    long page = blocks.keySet().iterator().next() >>> PageLayout.PAGE_SHIFT;
    words.put(PageLayout.descriptorAddress(page), descriptor);
    FreeSpace space = new FreeSpace(region, words);
    assertThatThrownBy(() -> space.visitFreePages((_, _) -> {}))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("page " + page);
    assertThatThrownBy(space::endUse).isInstanceOf(CorruptStoreException.class);
  }

  /** A run ends where the table of descriptors of the next pages begins, at the latest. */
  @Test
  void aRunThatReachesOverATableIsDamageWhereverItBegins() {
    HeapSession session = session();
    for (int i = 0; i < 200; i++) {
      allocate(session, 30_000);
    }
    FreeSpace space = new FreeSpace(region, words);
    int over = 0;
    for (long block : blocks.keySet()) {
      long page = block >>> PageLayout.PAGE_SHIFT;
      long at = PageLayout.descriptorAddress(page);
      long descriptor = words.get(at);
      long end = Pages.rangeEnd(page);
      for (long length : new long[] {end - page + 1, end - page + 2, PAGES - page, 1L << 40}) {
        words.put(at, PageLayout.descriptor(PageLayout.LARGE, 0, length));
        over += page + length <= top() >>> PageLayout.PAGE_SHIFT ? 1 : 0;
        assertThatThrownBy(() -> space.visitFreePages((_, _) -> {}))
            .as("page %d, %d pages", page, length)
            .isInstanceOf(CorruptStoreException.class)
            .hasMessageContaining("page " + page);
        assertThatThrownBy(space::endUse)
            .as("page %d, %d pages", page, length)
            .isInstanceOf(CorruptStoreException.class);
      }
      words.put(at, descriptor);
    }
    assertThat(over).as("runs over a table that end below the top").isGreaterThan(10);
    requireBlocks();
  }

  /**
   * Whichever block of a slab is the last one in use, all other pages of the slab are given back.
   */
  @ParameterizedTest
  @ValueSource(ints = {320, 448, 960, 1_500, 3_072, 5_000, 9_000})
  void pagesBesideTheLastBlockOfASlabAreFree(int bytes) {
    int blocksOfSlab = 1;
    for (int kept = 0; kept < blocksOfSlab; kept++) {
      region.clear(0, (long) CLEARED_PAGES * PageLayout.PAGE_BYTES);
      words.put(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
      HeapSession session = session();
      List<Long> all = new ArrayList<>();
      long slab;
      long pages;
      boolean isFirst;
      do { // the first slabs of a class may have one page
        all.add(session.allocate(bytes));
        slab = all.getLast() >>> PageLayout.PAGE_SHIFT;
        long descriptor = words.get(PageLayout.descriptorAddress(slab));
        pages = PageLayout.length(descriptor);
        isFirst = PageLayout.kind(descriptor) == PageLayout.SLAB && pages > 1;
        blocksOfSlab = SizeClasses.blocks(PageLayout.sizeClass(descriptor), pages);
      } while (!isFirst);
      for (int i = 1; i < blocksOfSlab; i++) {
        all.add(session.allocate(bytes));
      }
      long left = all.remove(all.size() - blocksOfSlab + kept);
      long end = left + session.blockBytes(left);
      all.forEach(session::free);
      session.committed();
      BitSet free = compact();
      for (long page = slab + 1; page < slab + pages; page++) {
        long at = page << PageLayout.PAGE_SHIFT;
        boolean isInUse = left < at + PageLayout.PAGE_BYTES && end > at;
        assertThat(free.get((int) page))
            .as("page %d of the slab, block %d", page - slab, kept)
            .isEqualTo(!isInUse);
      }
    }
  }
}
