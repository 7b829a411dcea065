package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.txn.alloc.FreeRuns.Run;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is found of a region whose hints are lost, and which of its words have to be there. */
final class HeapTest {

  private static final int ARENAS = 3;
  private static final long FIRST = RegionHeaderLayout.BLOCKS_ADDRESS >>> PageLayout.PAGE_SHIFT;

  /** Pages of one stretch of a scan. */
  private static final long STRETCH = 1 << 12;

  private final List<Region> opened = new ArrayList<>();
  private final Set<Run> free = new HashSet<>();
  private final Map<Long, Integer> partial = new TreeMap<>();
  private final Set<Long> empty = new TreeSet<>();
  private final SplittableRandom random = new SplittableRandom(3);

  /** Words from where to where were asked for. */
  private final TreeMap<Long, Long> recovered = new TreeMap<>();

  @AfterEach
  void close() {
    opened.forEach(Region::close);
  }

  /** Memory of which a word can be read only if it was asked for before. */
  private final class Recovering extends ForwardingRegion {

    Recovering(long pages) {
      super(Regions.anonymous(Pages.address(pages)));
      opened.add(this);
    }

    @Override
    public long getLongOpaque(long address) {
      Map.Entry<Long, Long> range = recovered.floorEntry(address);
      assertThat(range).as("what was asked for before %s", address).isNotNull();
      assertThat(address + Long.BYTES).isLessThanOrEqualTo(range.getValue());
      return super.getLongOpaque(address);
    }
  }

  /** Ranges that follow one another, or overlap, become one. */
  private void recover(long address, long lengthBytes) {
    long from = address;
    long end = address + lengthBytes;
    for (Map.Entry<Long, Long> before = recovered.floorEntry(end);
        before != null && before.getValue() >= from;
        before = recovered.floorEntry(end)) {
      from = Math.min(from, before.getKey());
      end = Math.max(end, before.getValue());
      recovered.remove(before.getKey());
    }
    recovered.put(from, end);
  }

  private static void put(Region region, long page, int kind, int sizeClass, long length) {
    region.setLong(
        PageLayout.descriptorAddress(page), PageLayout.descriptor(kind, sizeClass, length));
    for (long i = 1; i < length; i++) {
      region.setLong(
          PageLayout.descriptorAddress(page + i), PageLayout.descriptor(PageLayout.TAIL, 0, i));
    }
  }

  /** Fills all pages up to the top with runs of each kind, and with pages that are nothing. */
  private Region filled(long pages) {
    Region region = new Recovering(pages);
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, Pages.address(pages));
    for (long page = FIRST; page < pages; ) {
      page = Pages.skipTable(page);
      long room = Math.min(Pages.rangeEnd(page), pages) - page;
      if (room <= 0) {
        continue;
      }
      long length = Math.min(room, 1 + random.nextLong(random.nextInt(50) == 0 ? 400 : 20));
      switch (random.nextInt(4)) {
        case 0 -> {
          put(region, page, PageLayout.FREE, random.nextInt(2), length);
          free.add(new Run(page, length));
        }
        case 1 -> put(region, page, PageLayout.LARGE, 0, length);
        case 2 -> length = putSlab(region, page, length);
        default -> length = 1;
      }
      page += length;
    }
    return region;
  }

  /** A slab in which all blocks are in use, none, or some. */
  private long putSlab(Region region, long page, long room) {
    int sizeClass = random.nextInt(SizeClasses.COUNT);
    long length = SizeClasses.fewPages(sizeClass);
    if (length > room) {
      return room; // nothing is there
    }
    put(region, page, PageLayout.SLAB, sizeClass, length);
    int blocks = SizeClasses.blocks(sizeClass, length);
    int what = random.nextInt(5);
    int odd = what == 4 ? blocks - 1 : random.nextInt(blocks); // often the last one
    boolean isFull = what == 0;
    for (int block = 0; block < blocks; block++) {
      boolean isUsed = what == 1 ? false : isFull || (what == 2) == (block == odd);
      if (isUsed) {
        long word = Pages.address(page) + block / Long.SIZE * 8L;
        region.setLong(word, region.getLong(word) | 1L << block);
      }
    }
    if (what == 1 || (what >= 3 && blocks == 1)) {
      empty.add(page);
    }
    if (!isFull && !(what == 2 && blocks == 1)) {
      partial.put(page, sizeClass);
    }
    return length;
  }

  private static Set<Run> takeRuns(Heap heap) {
    Set<Run> found = new HashSet<>();
    for (Run run = heap.freeRuns.takeAny(1); run.length() != 0; run = heap.freeRuns.takeAny(1)) {
      assertThat(found.add(run)).isTrue();
    }
    return found;
  }

  private static Map<Long, Integer> takeSlabs(Heap heap) {
    Map<Long, Integer> found = new TreeMap<>();
    for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
      for (long page = heap.partialSlabs.poll(sizeClass);
          page != 0;
          page = heap.partialSlabs.poll(sizeClass)) {
        assertThat(found.put(page, sizeClass)).isNull();
      }
    }
    return found;
  }

  /** Up to the first table, to the end of the first stretch, and over several of both. */
  @ParameterizedTest
  @ValueSource(longs = {300, 512, 513, STRETCH, STRETCH + FIRST, STRETCH + FIRST + 1, 10_000})
  void aScanFindsAllThatIsFreeAndReadsNothingThatIsNotThere(long pages) {
    Heap heap = new Heap(filled(pages), ARENAS, this::recover);
    assertThat(heap.capacityPages()).isEqualTo(pages);
    int stretches = 0;
    while (heap.scanStretch()) {
      stretches++;
    }
    assertThat(stretches).isEqualTo((int) ((pages - FIRST + STRETCH - 1) / STRETCH));
    assertThat(takeRuns(heap)).isEqualTo(free);
    assertThat(takeSlabs(heap)).isEqualTo(partial);
    assertThat(heap.scanStretch()).as("all is scanned").isFalse();
    assertThat(takeRuns(heap)).isEmpty();
    heap.rescan();
    assertThat(heap.scanStretch()).isTrue();
    assertThat(takeRuns(heap)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {300, 10_000})
  void emptySlabsAreFound(long pages) {
    Heap heap = new Heap(filled(pages), ARENAS, this::recover);
    Set<Long> found = new TreeSet<>();
    heap.findEmpty(page -> assertThat(found.add(page)).isTrue());
    assertThat(found).isEqualTo(empty).isNotEmpty();
  }

  @Test
  void onlyWhatIsBelowTheTopIsScanned() {
    Region region = filled(400);
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, Pages.address(200));
    Heap heap = new Heap(region, ARENAS, this::recover);
    while (heap.scanStretch()) {
      // stretch by stretch
    }
    free.removeIf(run -> run.page() >= 200);
    assertThat(takeRuns(heap)).isEqualTo(free);
    partial.keySet().removeIf(page -> page >= 200);
    assertThat(takeSlabs(heap)).isEqualTo(partial);
    Set<Long> found = new TreeSet<>();
    heap.findEmpty(found::add);
    empty.removeIf(page -> page >= 200);
    assertThat(found).isEqualTo(empty);
  }

  @Test
  void aScanThatBeginsAgainForgetsWhatItHasFound() {
    Region region = filled(300);
    Heap heap = new Heap(region, ARENAS, this::recover);
    assertThat(heap.scanStretch()).isTrue();
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, Pages.address(FIRST));
    heap.rescan();
    assertThat(takeRuns(heap)).isEmpty();
    assertThat(takeSlabs(heap)).isEmpty();
    assertThat(heap.scanStretch()).isFalse();
  }

  /** Slabs that arenas take blocks from are no hints for other arenas. */
  @Test
  void slabsInUseAreNotHandedOut() {
    Heap heap = new Heap(filled(400), ARENAS, this::recover);
    long inUse = partial.keySet().iterator().next();
    int sizeClass = Objects.requireNonNull(partial.remove(inUse), "size class");
    heap.current(2, sizeClass, inUse);
    assertThat(heap.isCurrent(sizeClass, inUse)).isTrue();
    assertThat(heap.isCurrent((sizeClass + 1) % SizeClasses.COUNT, inUse)).isFalse();
    while (heap.scanStretch()) {
      // stretch by stretch
    }
    assertThat(takeSlabs(heap)).isEqualTo(partial);
    heap.forgetCurrent();
    assertThat(heap.isCurrent(sizeClass, inUse)).isFalse();
    assertThat(heap.current(2, sizeClass)).isZero();
  }

  @Test
  void damagedDescriptorsLeadNowhere() {
    Region region = new Recovering(40);
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, Pages.address(40));
    put(region, 2, PageLayout.SLAB, SizeClasses.COUNT, 1);
    put(region, 3, PageLayout.SLAB, 255, 1);
    put(region, 4, PageLayout.SLAB, 1, 0);
    put(region, 5, PageLayout.LARGE, 0, 0);
    put(region, 6, PageLayout.FREE, 0, 7);
    region.setLong(PageLayout.descriptorAddress(13), PageLayout.descriptor(99, 0, 1000));
    put(region, 14, PageLayout.FREE, 0, 26);
    Heap heap = new Heap(region, ARENAS, this::recover);
    while (heap.scanStretch()) {
      // stretch by stretch
    }
    assertThat(takeRuns(heap)).containsExactlyInAnyOrder(new Run(6, 7), new Run(14, 26));
    assertThat(takeSlabs(heap)).isEmpty();
    List<Long> found = new ArrayList<>();
    heap.findEmpty(found::add);
    assertThat(found).as("a slab without blocks holds none").containsExactly(4L);
  }

  // ---- Lengths.

  @ParameterizedTest
  @ValueSource(longs = {3, 40, 511, 512, 513, 514, 700, 1024, 1500, 1540, 2048, 3000, 8192, 9000})
  void theLongestBlockIsTheLongestStretchBetweenTables(long pages) {
    Region region = new Recovering(pages);
    Heap heap = new Heap(region, ARENAS, this::recover);
    long longest = 0;
    long stretch = 0;
    for (long page = FIRST; page < pages; page++) {
      long table = Long.highestOneBit(page);
      boolean isTable =
          page >= PageLayout.HEADER_PAGES && page - table < PageLayout.tablePages(table);
      stretch = isTable ? 0 : stretch + 1;
      longest = Math.max(longest, stretch);
    }
    assertThat(heap.maxBytes()).isEqualTo(Pages.address(longest));
  }

  @Test
  void aFullStoreSaysWhatMakesRoom() {
    Region region = new Recovering(40);
    assertThat(new Heap(region, ARENAS, this::recover).howToGrow())
        .isEqualTo("open the store with a larger maxSize");
    assertThat(new Heap(region, ARENAS, this::recover, region.capacityBytes(), null).howToGrow())
        .isEqualTo("open the store with a larger maxSize");
    assertThat(
            new Heap(region, ARENAS, this::recover, region.capacityBytes() + 1, null).howToGrow())
        .contains("could map only " + region.capacityBytes() + " of the ")
        .contains(region.capacityBytes() + 1 + " bytes");
  }

  @Test
  void sessionsAreDividedAmongTheArenas() {
    Region region = new Recovering(40);
    Heap heap = new Heap(region, ARENAS, this::recover);
    assertThat(LongStream.range(0, 7).map(i -> heap.arena((int) i)))
        .containsExactly(0L, 1L, 2L, 0L, 1L, 2L, 0L);
    assertThat(new Heap(region, 0, this::recover).arena(5)).isZero();
    assertThat(new Heap(region, 64, this::recover).arena(63)).isEqualTo(63);
    assertThat(new Heap(region, 1000, this::recover).arena(64)).as("at most 64").isZero();
    for (int arena = 0; arena < ARENAS; arena++) {
      for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
        heap.current(arena, sizeClass, 100L * arena + sizeClass + 1);
      }
    }
    for (int arena = 0; arena < ARENAS; arena++) {
      for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
        assertThat(heap.current(arena, sizeClass)).isEqualTo(100L * arena + sizeClass + 1);
      }
    }
  }

  /** The first slabs are short, a few for each arena; those of other classes do not count. */
  @Test
  void aClassThatHasManySlabsGetsLongOnes() {
    Heap heap = new Heap(new Recovering(40), ARENAS, this::recover);
    int few = SizeClasses.fewPages(9);
    for (int i = 0; i < 4 * ARENAS; i++) {
      assertThat(heap.nextSlabPages(9)).isEqualTo(few);
      assertThat(heap.nextSlabPages(8)).isEqualTo(SizeClasses.fewPages(8));
    }
    assertThat(heap.nextSlabPages(9)).isGreaterThan(few);
    assertThat(heap.nextSlabPages(10)).isEqualTo(SizeClasses.fewPages(10));
  }

  @Test
  void slabsThatAreGivenBackDoNotCount() {
    Heap heap = new Heap(new Recovering(40), ARENAS, this::recover);
    int few = SizeClasses.fewPages(9);
    heap.slabGivenBack(9); // one from before the opening
    for (int i = 0; i < 100; i++) {
      assertThat(heap.nextSlabPages(9)).isEqualTo(few);
      heap.slabGivenBack(9);
    }
    for (int i = 0; i < 4 * ARENAS; i++) {
      assertThat(heap.nextSlabPages(9)).isEqualTo(few);
    }
    heap.slabGivenBack(8);
    assertThat(heap.nextSlabPages(9)).isGreaterThan(few);
    heap.slabGivenBack(9);
    heap.slabGivenBack(9);
    assertThat(heap.nextSlabPages(9)).isEqualTo(few);
  }

  // ---- What transactions tell.

  @Test
  void aCommitTellsWhatIsFreeNow() {
    Region region = new Recovering(100);
    recover(0, Pages.address(100));
    Heap heap = new Heap(region, ARENAS, this::recover);
    put(region, 10, PageLayout.FREE, 0, 4); // a savepoint has brought it back
    put(region, 20, PageLayout.LARGE, 0, 4);
    AllocationNotes notes = new AllocationNotes();
    notes.add(AllocationNotes.TAKEN, 10, 4);
    notes.add(AllocationNotes.TAKEN, 20, 4);
    notes.add(AllocationNotes.FREED, 30, 5);
    notes.add(AllocationNotes.PARTIAL, 40, 7);
    notes.add(AllocationNotes.PARTIAL, 41, 7);
    notes.add(AllocationNotes.MADE, 42, 7);
    heap.current(1, 7, 41);
    heap.committed(notes, 0);
    assertThat(takeRuns(heap)).containsExactlyInAnyOrder(new Run(10, 4), new Run(30, 5));
    assertThat(takeSlabs(heap)).isEqualTo(Map.of(40L, 7));
  }

  @Test
  void anAbortTellsWhatIsFreeAgain() {
    Heap heap = new Heap(new Recovering(100), ARENAS, this::recover);
    AllocationNotes notes = new AllocationNotes();
    notes.add(AllocationNotes.TAKEN, 10, 4);
    notes.add(AllocationNotes.FREED, 30, 5);
    notes.add(AllocationNotes.PARTIAL, 40, 7);
    notes.add(AllocationNotes.MADE, 50, 7); // the arena's slab
    notes.add(AllocationNotes.MADE, 60, 8); // the arena has gone on to another one
    notes.add(AllocationNotes.MADE, 70, 9); // another arena has that page, too
    heap.current(1, 7, 50);
    heap.current(1, 8, 61);
    heap.current(1, 9, 70);
    heap.current(2, 9, 70);
    heap.current(0, 7, 51);
    heap.aborted(notes, 1);
    assertThat(takeRuns(heap)).containsExactly(new Run(10, 4));
    assertThat(takeSlabs(heap)).isEqualTo(Map.of(50L, 7));
    assertThat(heap.current(1, 7)).isZero();
    assertThat(heap.current(1, 8)).isEqualTo(61);
    assertThat(heap.current(1, 9)).isZero();
    assertThat(heap.current(2, 9)).isEqualTo(70);
    assertThat(heap.current(0, 7)).isEqualTo(51);
  }
}
