package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.Region;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.file.Regions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Nodes and blocks in one region, allocated and freed at random, under a model of what is in use.
 */
@Timeout(120)
final class NodeModelTest {

  private static final int PAGES = 700; // beyond the first table of descriptors
  private static final int ROUNDS = 30;

  /** Words of a region, one transaction after the other. */
  private static final class Words implements HeapWords {
    private final Region region;

    /** Pages whose stripes the present transaction has guarded, and nodes that it has allocated. */
    private final List<Long> guarded = new ArrayList<>();

    private final List<Long> written = new ArrayList<>();
    private final List<long[]> undo = new ArrayList<>();

    Words(Region region) {
      this.region = region;
    }

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
      undo.add(new long[] {address, region.getLong(address)});
      region.setLong(address, value);
    }

    @Override
    public void prepare(long address) {}

    @Override
    public void addNode(long node) {
      written.add(node);
    }

    @Override
    public void putNode(long node, long head) {
      written.add(node);
      put(NodeLayout.address(node), head);
    }

    @Override
    public void guardPage(long page) {
      guarded.add(page);
    }

    @Override
    public boolean isAnyNodeWritten(long page) {
      return written.stream()
          .anyMatch(node -> (NodeLayout.address(node) & -PageLayout.PAGE_BYTES) == page);
    }

    @Override
    public RuntimeException refuse(RuntimeException reason) {
      return reason;
    }

    void rollBack() {
      for (int i = undo.size() - 1; i >= 0; i--) {
        region.setLong(undo.get(i)[0], undo.get(i)[1]);
      }
      undo.clear();
    }

    void begin() {
      undo.clear();
      written.clear();
      guarded.clear();
    }
  }

  private final Region region = Regions.anonymous((long) PAGES * PageLayout.PAGE_BYTES);
  private final Words words = new Words(region);
  private Heap heap;
  private final List<HeapSession> sessions = new ArrayList<>();

  /** What is in use: length by address; nodes by their references. */
  private final Map<Long, Long> blocks = new HashMap<>();

  private final List<Long> nodes = new ArrayList<>();

  NodeModelTest() {
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
    heap = new Heap(region, 2, (_, _) -> {});
    open();
  }

  /** The hints are empty, as after an opening. */
  private void open() {
    heap = new Heap(region, 2, (_, _) -> {});
    sessions.clear();
    for (int i = 0; i < 3; i++) {
      sessions.add(new HeapSession(heap, words, i));
    }
  }

  /** Runs a transaction that may not commit. */
  private void transaction(SplittableRandom random) {
    HeapSession session = sessions.get(random.nextInt(sessions.size()));
    boolean commits = random.nextInt(4) != 0;
    words.begin();
    Map<Long, Long> blocksBefore = new HashMap<>(blocks);
    List<Long> nodesBefore = new ArrayList<>(nodes);
    try {
      for (int i = random.nextInt(12); i >= 0; i--) {
        step(random, session);
      }
    } catch (RegionFullException e) {
      commits = false;
    }
    if (commits) {
      session.committed();
    } else {
      words.rollBack();
      session.aborted();
      blocks.clear();
      blocks.putAll(blocksBefore);
      nodes.clear();
      nodes.addAll(nodesBefore);
    }
  }

  private void step(SplittableRandom random, HeapSession session) {
    switch (random.nextInt(blocks.size() + nodes.size() > 900 ? 8 : 10)) {
      case 0, 1, 2 -> {
        if (!nodes.isEmpty()) {
          session.freeNode(nodes.remove(random.nextInt(nodes.size())));
        }
      }
      case 3, 4 -> {
        if (!blocks.isEmpty()) {
          long address = blocks.keySet().iterator().next();
          session.free(address);
          blocks.remove(address);
        }
      }
      case 5, 6, 8 -> {
        long bytes = random.nextInt(3) == 0 ? 1 + random.nextInt(60_000) : 16 + random.nextInt(900);
        long address = session.allocateUncleared(bytes);
        blocks.put(address, bytes);
        for (long i = 0; i < bytes / 8; i += 30) {
          words.put(address + 8 * i, -1);
        }
      }
      default -> {
        int bytes = NodeLayout.bytesOf(random.nextInt(NodeLayout.SIZES));
        long node = session.allocateNode(bytes);
        assertThat(NodeLayout.isPossible(node, region.capacityBytes())).isTrue();
        assertThat(NodeLayout.bytes(node)).isEqualTo(bytes);
        assertThat(session.isNode(node)).isTrue();
        assertThat(session.isNode(node ^ 3)).isFalse();
        assertThat(session.blockBytes(NodeLayout.address(node))).isZero();
        nodes.add(node);
        words.put(NodeLayout.address(node) + 8, node);
      }
    }
  }

  /**
   * Each node and each block is there once, none overlaps another, and what is free is the rest.
   */
  private void check() {
    for (long node : nodes) {
      assertThat(region.getLong(NodeLayout.address(node) + 8)).isEqualTo(node);
    }
    TreeMap<Long, Long> found = new TreeMap<>();
    List<Long> foundNodes = new ArrayList<>();
    long[] free = new long[2];
    sessions
        .getFirst()
        .visit(
            new HeapSession.Visitor() {
              @Override
              public void block(long address, long lengthBytes) {
                assertThat(found.put(address, lengthBytes)).isNull();
              }

              @Override
              public void node(long address, long lengthBytes) {
                block(address, lengthBytes);
                foundNodes.add(NodeLayout.reference(address, (int) lengthBytes));
              }

              @Override
              public void free(long lengthBytes) {
                free[0] += lengthBytes;
              }

              @Override
              public void reclaimable(long lengthBytes) {
                free[1] += lengthBytes;
              }
            });
    assertThat(foundNodes).containsExactlyInAnyOrderElementsOf(nodes);
    assertThat(found).hasSize(nodes.size() + blocks.size());
    long end = 0;
    for (Map.Entry<Long, Long> each : found.entrySet()) {
      assertThat(each.getKey()).isGreaterThanOrEqualTo(end);
      end = each.getKey() + each.getValue();
    }
    blocks.forEach(
        (address, bytes) -> assertThat(found.get(address)).isGreaterThanOrEqualTo(bytes));
    assertThat(free[1]).isLessThanOrEqualTo(free[0]);
  }

  @Test
  void nodesAndBlocksShareARegion() {
    for (int round = 0; round < ROUNDS; round++) {
      SplittableRandom random = new SplittableRandom(round);
      for (int i = 0; i < 200; i++) {
        transaction(random);
      }
      check();
      if (round % 5 == 4) {
        open();
      }
    }
    // All of it comes back.
    words.begin();
    nodes.forEach(node -> sessions.getFirst().freeNode(node));
    blocks.keySet().forEach(address -> sessions.getFirst().free(address));
    sessions.getFirst().committed();
    words.begin();
    long longest = heap.maxBytes();
    assertThat(sessions.getLast().allocateUncleared(longest)).isPositive();
    words.rollBack();
    sessions.getLast().aborted();
  }

  @Test
  void pagesThatNodesLeftGoBackWithoutNeed() {
    words.begin();
    for (int i = 0; i < 300; i++) {
      nodes.add(sessions.getFirst().allocateNode(NodeLayout.MAX_BYTES));
    }
    sessions.getFirst().committed();
    for (long node : nodes) {
      words.begin();
      sessions.getFirst().freeNode(node);
      sessions.getFirst().committed();
    }
    int kept = 0;
    for (long node : nodes) {
      long page = NodeLayout.address(node) >>> PageLayout.PAGE_SHIFT;
      long descriptor = region.getLong(PageLayout.descriptorAddress(page));
      kept += PageLayout.kind(descriptor) == PageLayout.NODES ? 1 : 0;
    }
    assertThat(kept).isBetween(1, 80);
  }

  /** R41: the words of nodes are stored last, so no block takes their place in the transaction. */
  @Test
  void aPageOfNodesThatTheTransactionHasWrittenIsNotGivenBack() {
    words.begin();
    List<Long> own = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              while (true) {
                own.add(sessions.getFirst().allocateNode(NodeLayout.MAX_BYTES));
              }
            })
        .isInstanceOf(RegionFullException.class);
    assertThat(own).hasSizeGreaterThan(600);
    own.forEach(node -> sessions.getFirst().freeNode(node));
    assertThat(sessions.getFirst().allocateUnclearedIfRoom(20 << 10)).isZero();
    assertThat(sessions.getFirst().allocateUnclearedIfRoom(64)).isZero();
    sessions.getFirst().committed();
    words.begin();
    assertThat(sessions.getFirst().allocateUnclearedIfRoom(20 << 10)).isPositive();
    assertThat(sessions.getFirst().allocateUnclearedIfRoom(64)).isPositive();
  }

  /** R41: a page that was written before is guarded, a page that was not need not be. */
  @Test
  void aPageThatWasWrittenIsGuardedWhenItBecomesOneOfNodes() {
    words.begin();
    HeapSession session = sessions.getFirst();
    long block = session.allocate(40 << 10);
    assertThat(words.guarded).isEmpty();
    session.allocateNode(1024);
    assertThat(words.guarded).isEmpty();
    session.free(block);
    session.committed();
    words.begin();
    List<Long> made = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      made.add(session.allocateNode(4096));
    }
    for (long node : made) {
      long page = NodeLayout.address(node);
      assertThat(words.guarded.contains(page))
          .isEqualTo(page >= block && page < block + (40 << 10));
    }
    assertThat(words.guarded).hasSizeGreaterThanOrEqualTo(8);
  }

  @Test
  void whatIsNoNodeInUseIsNotFreed() {
    words.begin();
    HeapSession session = sessions.getFirst();
    long node = session.allocateNode(2048);
    long block = session.allocate(4096);
    for (long wrong :
        new long[] {
          node + 2048,
          node ^ 1,
          node ^ 3,
          node + 1024,
          block,
          block | 2,
          (block & -4096L) | 2,
          -1,
          0,
          (long) PAGES << 12 | 2,
          Long.MAX_VALUE
        }) {
      assertThatThrownBy(() -> session.freeNode(wrong)).isInstanceOf(InvalidAddressException.class);
    }
    assertThatThrownBy(() -> session.free(NodeLayout.address(node)))
        .isInstanceOf(InvalidAddressException.class);
    session.freeNode(node);
    assertThatThrownBy(() -> session.freeNode(node)).isInstanceOf(InvalidAddressException.class);
  }

  /**
   * Any descriptor: what walks over pages says so or goes on, and reads nothing beyond the region.
   */
  @Test
  void damagedDescriptorsOfNodesAreTold() {
    SplittableRandom random = new SplittableRandom(5);
    int told = 0;
    for (int round = 0; round < 2000; round++) {
      words.begin();
      HeapSession session = sessions.get(round % 3);
      List<Long> made = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        made.add(session.allocateNode(NodeLayout.bytesOf(random.nextInt(3))));
      }
      long page = NodeLayout.address(made.get(random.nextInt(6))) >>> PageLayout.PAGE_SHIFT;
      int kind = random.nextInt(4) == 0 ? random.nextInt(256) : PageLayout.NODES;
      long length = random.nextBoolean() ? random.nextInt(20) : random.nextLong() >>> 20;
      int sizeClass = random.nextInt(5) == 0 ? random.nextInt(256) : random.nextInt(4);
      long descriptor = PageLayout.descriptor(kind, sizeClass, length);
      words.put(PageLayout.descriptorAddress(page), descriptor);
      boolean isDamaged = kind == PageLayout.NODES && !PageLayout.isNodes(descriptor);
      for (long node : made) {
        if (NodeLayout.address(node) >>> PageLayout.PAGE_SHIFT == page && isDamaged) {
          assertThat(session.isNode(node)).isFalse();
          assertThatThrownBy(() -> session.freeNode(node))
              .isInstanceOf(InvalidAddressException.class);
        }
        session.blockBytes(NodeLayout.address(node));
      }
      if (isDamaged) {
        told++;
        assertThatThrownBy(() -> session.visit(new Nothing()))
            .isInstanceOf(CorruptStoreException.class)
            .hasMessageContaining("page " + page);
        assertThatThrownBy(() -> new FreeSpace(region, words).visitFreePages((_, _) -> {}))
            .isInstanceOf(CorruptStoreException.class)
            .hasMessageContaining("page " + page);
        session.allocateNode(1024);
      }
      words.rollBack();
      session.aborted();
      heap.rescan();
    }
    assertThat(told).isGreaterThan(300);
  }

  private static final class Nothing implements HeapSession.Visitor {
    @Override
    public void block(long address, long lengthBytes) {}

    @Override
    public void free(long lengthBytes) {}
  }

  @Test
  void aCompactionGivesPagesWithoutNodesBack() {
    words.begin();
    HeapSession session = sessions.getFirst();
    long block = session.allocate(20 << 10);
    for (int i = 0; i < 200; i++) {
      nodes.add(session.allocateNode(NodeLayout.bytesOf(i % 3)));
    }
    session.committed();
    words.begin();
    long kept = nodes.removeFirst();
    nodes.forEach(session::freeNode);
    session.committed();
    words.begin();
    FreeSpace space = new FreeSpace(region, words);
    space.giveBackEmptySlabs();
    space.visitFreePages(
        (first, pages) -> {
          for (long a = first << 12; a < (first + pages) << 12; a += 8) {
            region.setLong(a, 0);
          }
        });
    long top = space.endUse();
    assertThat(top).isLessThan(block + (100 << 10));
    assertThat(session.isNode(kept)).isTrue();
    assertThat(session.blockBytes(block)).isEqualTo(20 << 10);
  }
}
