package io.howdah.txn.alloc;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.PageLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/**
 * Several transactions in turns allocate and free at random, under a model that knows which blocks
 * are in use and what is in them. After each step the allocator's books are walked over and
 * compared.
 */
final class AllocatorModel implements AutoCloseable {

  private static final int SESSIONS = 4;
  private static final int ARENAS = 3;
  private static final int STRIDE = 61;
  private static final int REMEMBERED = 64;

  /** The tag of a block that reads as zeros: no other has it. */
  private static final long UNWRITTEN = 0;

  /** From here on more is freed than allocated, so that a walk stays short. */
  private static final int MAX_LIVE = 2_000;

  /** A block in use: what was asked for, and what its words hold. */
  private record Block(long address, long bytes, long tag) {

    long lengthBytes() {
      return bytes <= SizeClasses.MAX_LENGTH
          ? SizeClasses.length(SizeClasses.of((int) bytes))
          : (bytes + PageLayout.PAGE_BYTES - 1) & -PageLayout.PAGE_BYTES;
    }

    long hash() {
      return AllocatorBooks.hash(address, lengthBytes());
    }

    long words() {
      return (bytes + Long.BYTES - 1) / Long.BYTES;
    }

    /** Returns the next word after one that the model has written: some of a long block. */
    long next(long word) {
      return words() <= Long.SIZE ? word + 1 : Math.min(word + STRIDE, Math.max(word + 1, last()));
    }

    long last() {
      return words() - 1;
    }
  }

  private record Mark(int words, int changes) {}

  /** Which lengths are allocated. */
  enum Sizes {

    /** All that are possible. */
    ANY,

    /**
     * Few, of which one divides the next: what is freed is exactly as long as what comes, or as two
     * or four of it, so free runs are joined, split and used up without a rest. Blocks stay
     * unwritten at times, so written runs lie beside those that were never written.
     */
    TILES
  }

  /** One transaction after the other, of one session. */
  private final class Actor {

    final OptimisticWords.Transaction tx = words.new Transaction();
    HeapSession session;
    final Map<Long, Block> own = new HashMap<>();
    final Map<Long, Block> freed = new HashMap<>();

    /** Each block allocated, or freed with a null before it. */
    final List<Block> changes = new ArrayList<>();

    final List<Boolean> frees = new ArrayList<>();
    final List<Mark> marks = new ArrayList<>();

    Actor(int home) {
      session = new HeapSession(heap, tx, home);
    }

    boolean holds(long address) {
      return own.containsKey(address)
          || (committed.containsKey(address) && !freed.containsKey(address));
    }

    void allocated(Block block) {
      own.put(block.address, block);
      changes.add(block);
      frees.add(false);
    }

    void freed(Block block) {
      if (own.remove(block.address) == null) {
        freed.put(block.address, block);
      }
      changes.add(block);
      frees.add(true);
    }

    void rollBack(int index) {
      Mark mark = marks.get(index);
      marks.subList(index + 1, marks.size()).clear();
      tx.rollBack(mark.words);
      session.rolledBack();
      for (int i = changes.size() - 1; i >= mark.changes; i--) {
        Block block = changes.remove(i);
        if (!frees.remove(i)) {
          own.remove(block.address);
        } else if (block.equals(freed.get(block.address))) {
          freed.remove(block.address);
        } else {
          own.put(block.address, block);
        }
      }
    }

    void begin() {
      tx.begin();
      own.clear();
      freed.clear();
      changes.clear();
      frees.clear();
      marks.clear();
    }
  }

  private final long pages;
  private final Sizes sizes;
  private final OptimisticWords words;
  private final SplittableRandom random;
  private final Actor[] actors = new Actor[SESSIONS];
  private final Map<Long, Block> committed = new HashMap<>();
  private final List<Block> live = new ArrayList<>();
  private final Map<Long, Integer> places = new HashMap<>();
  private final long[] favourites = new long[4];
  private final long[] gone = new long[REMEMBERED];
  private Heap heap;
  private long hash;
  private long tags;
  private int goneCount;
  private boolean growing = true;
  private long refusals;
  private long conflicts;
  private long commits;

  AllocatorModel(long seed, long pages, Sizes sizes) {
    this.random = new SplittableRandom(seed);
    this.pages = pages;
    this.sizes = sizes;
    this.words = new OptimisticWords(pages);
    this.heap = new Heap(words.region, ARENAS, (_, _) -> {});
    for (int i = 0; i < SESSIONS; i++) {
      actors[i] = new Actor(i);
    }
    // In a longer region longer ones, so that few steps fill it.
    long tile = PageLayout.PAGE_BYTES * random.nextLong(5, 9 + pages / 40);
    for (int i = 0; i < favourites.length; i++) {
      favourites[i] = i == 0 ? 16 : random.nextLong(1, 2000);
      if (sizes == Sizes.TILES) {
        favourites[i] = i == 0 ? SizeClasses.MAX_LENGTH : tile << (i - 1);
      }
    }
  }

  @Override
  public void close() {
    words.close();
  }

  long refusals() {
    return refusals;
  }

  long conflicts() {
    return conflicts;
  }

  long commits() {
    return commits;
  }

  /** Takes one step, and walks over everything. */
  void step() {
    Actor actor = actors[random.nextInt(SESSIONS)];
    actor.tx.called();
    try {
      act(actor);
    } catch (OptimisticWords.Conflict e) {
      conflicts++;
      abort(actor);
    } catch (AssertionError | InvalidAddressException e) {
      // What a transaction computes on that has lost already, and has not met that yet, is not
      // said.
      if (actor.tx.isCurrent()) {
        throw e;
      }
      conflicts++;
      abort(actor);
    }
    if (actor.tx.isCurrent()) {
      check(actor);
    }
    if (random.nextInt(500) == 0) {
      live.forEach(block -> checkContents(words.region::getLong, block));
    }
  }

  private void act(Actor actor) {
    int what = random.nextInt(1000);
    int allocations = growing ? 480 : 240;
    if (what < allocations) {
      allocate(actor);
    } else if (what < 740) {
      free(actor);
    } else if (what < 840) {
      commit(actor);
    } else if (what < 870) {
      abort(actor);
    } else if (what < 920) {
      actor.marks.add(new Mark(actor.tx.mark(), actor.changes.size()));
    } else if (what < 960) {
      if (!actor.marks.isEmpty()) {
        actor.rollBack(random.nextInt(actor.marks.size()));
      }
    } else if (what < 990) {
      freeWhatIsNoBlock(actor);
    } else if (what < 998) {
      growing = !growing && live.size() < MAX_LIVE;
    } else if (what < 999) {
      forgetHints();
    } else {
      heap.rescan();
    }
  }

  // ---- Steps.

  private long bytes() {
    return Math.clamp(anyBytes(), 1, heap.maxBytes());
  }

  private long anyBytes() {
    if (sizes == Sizes.TILES) {
      return favourites[random.nextInt(favourites.length)];
    }
    return switch (random.nextInt(40)) {
      case 0 -> random.nextLong(1, heap.maxBytes() + 1);
      case 1 -> heap.maxBytes() / random.nextInt(1, 40);
      case 2, 3 -> PageLayout.PAGE_BYTES * random.nextLong(1, 40) + random.nextLong(-9, 9);
      case 4, 5 -> random.nextLong(SizeClasses.MAX_LENGTH - 100, 100_000);
      case 6, 7, 8, 9 -> random.nextLong(1, SizeClasses.MAX_LENGTH + 1);
      case 10, 11, 12, 13, 14, 15, 16, 17, 18 -> random.nextLong(1, 600);
      default -> favourites[random.nextInt(favourites.length)];
    };
  }

  private void allocate(Actor actor) {
    long bytes = bytes();
    int count = bytes <= 2000 ? 1 + random.nextInt(1 << random.nextInt(9)) : 1;
    for (int i = 0; i < count; i++) {
      boolean cleared = random.nextInt(4) != 0;
      long address;
      try {
        address = cleared ? actor.session.allocate(bytes) : actor.session.allocateUncleared(bytes);
      } catch (RegionFullException e) {
        refusals++;
        checkFull(actor, bytes);
        abort(actor);
        growing = false;
        return;
      }
      Block block = new Block(address, bytes, ++tags * 0x9E3779B97F4A7C15L);
      require(address % 16 == 0, "address of", block);
      require(!actor.holds(address), "in use already", block);
      if (cleared) {
        checkZero(actor, block);
      }
      if (sizes == Sizes.TILES && cleared && random.nextInt(3) == 0) {
        actor.allocated(new Block(address, bytes, UNWRITTEN));
        continue;
      }
      for (long w = 0; w < block.words(); w = block.next(w)) {
        actor.tx.put(address + w * Long.BYTES, block.tag + w);
      }
      actor.allocated(block);
    }
  }

  private void free(Actor actor) {
    int most = sizes == Sizes.TILES ? 3 : growing ? 7 : 9;
    int count = 1 + random.nextInt(1 << random.nextInt(most));
    boolean neighbours = random.nextBoolean();
    int at = live.isEmpty() ? 0 : random.nextInt(live.size());
    for (int i = 0; i < count; i++) {
      Block block = null;
      if (!actor.own.isEmpty() && random.nextInt(4) == 0) {
        block = actor.own.values().iterator().next();
      } else if (!live.isEmpty()) {
        at = neighbours ? (at + 1) % live.size() : random.nextInt(live.size());
        block = live.get(at);
        if (actor.freed.containsKey(block.address)) {
          continue;
        }
      }
      if (block != null) {
        boolean isOwn = actor.own.containsKey(block.address);
        checkContents(isOwn ? actor.tx::peek : words.region::getLong, block);
        require(actor.session.isBlock(block.address), "no block", block);
        actor.session.free(block.address);
        actor.freed(block);
        gone[goneCount++ % REMEMBERED] = block.address;
      }
    }
  }

  private void freeWhatIsNoBlock(Actor actor) {
    long address =
        switch (random.nextInt(4)) {
          case 0 -> random.nextLong(-100, words.region.capacityBytes() + 10_000);
          case 1 -> random.nextLong(words.region.capacityBytes()) & -PageLayout.PAGE_BYTES;
          case 2 ->
              live.isEmpty()
                  ? 0
                  : live.get(random.nextInt(live.size())).address + random.nextInt(99);
          default -> gone[random.nextInt(REMEMBERED)];
        };
    if (actor.holds(address)) {
      return;
    }
    require(!actor.session.isBlock(address), "a block starts at " + address, "");
    try {
      actor.session.free(address);
    } catch (InvalidAddressException e) {
      abort(actor);
      return;
    }
    throw new AssertionError("freed " + address + ", which is no block");
  }

  private void commit(Actor actor) {
    actor.tx.commit();
    commits++;
    actor.freed.values().forEach(this::remove);
    actor.own.values().forEach(this::add);
    growing &= live.size() < MAX_LIVE;
    actor.session.committed();
    actor.begin();
  }

  private void abort(Actor actor) {
    actor.session.aborted();
    actor.begin();
  }

  /** As after an opening: the region is there, and nothing else. */
  private void forgetHints() {
    heap = new Heap(words.region, ARENAS, (_, _) -> {});
    for (int i = 0; i < SESSIONS; i++) {
      actors[i].begin();
      actors[i].session = new HeapSession(heap, actors[i].tx, i);
    }
  }

  private void add(Block block) {
    committed.put(block.address, block);
    places.put(block.address, live.size());
    live.add(block);
    hash += block.hash();
  }

  private void remove(Block block) {
    committed.remove(block.address);
    int place = Objects.requireNonNull(places.remove(block.address), "place");
    Block last = live.removeLast();
    if (!last.equals(block)) {
      live.set(place, last);
      places.put(last.address, place);
    }
    hash -= block.hash();
  }

  // ---- Checks.

  private void check(Actor actor) {
    AllocatorBooks books = AllocatorBooks.walk(actor.tx::peek, pages);
    long count = live.size();
    long sum = hash;
    for (Block block : actor.freed.values()) {
      count--;
      sum -= block.hash();
    }
    for (Block block : actor.own.values()) {
      count++;
      sum += block.hash();
    }
    if (books.count() != count || books.hash() != sum) {
      Map<Long, Block> expected = new HashMap<>(committed);
      expected.keySet().removeAll(actor.freed.keySet());
      expected.putAll(actor.own);
      long[] addresses = expected.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
      throw new AssertionError(
          "blocks in use, by the books: "
              + books.blocks()
              + " and by the model: "
              + Arrays.toString(addresses));
    }
  }

  /** A refusal is true: neither a run nor a block would have served. */
  private void checkFull(Actor actor, long bytes) {
    if (!actor.tx.isCurrent()) {
      return;
    }
    AllocatorBooks books = AllocatorBooks.walk(actor.tx::peek, pages);
    long needed = (bytes + PageLayout.PAGE_BYTES - 1) / PageLayout.PAGE_BYTES;
    if (bytes <= SizeClasses.MAX_LENGTH) {
      int sizeClass = SizeClasses.of((int) bytes);
      needed = SizeClasses.fewPages(sizeClass);
      require(!books.hasFreeBlock(sizeClass), "a block is free of " + bytes, "");
    }
    require(books.longestFreeRun() < needed, "a run is free of " + books.longestFreeRun(), "");
    require(books.unusedPages() < needed, "unused are " + books.unusedPages(), "");
  }

  private static void checkZero(Actor actor, Block block) {
    for (long w = 0; w < block.words(); w++) {
      long word = actor.tx.peek(block.address + w * Long.BYTES);
      int rest = (int) (block.bytes - w * Long.BYTES);
      long part = rest < Long.BYTES ? word & ((1L << (rest * Byte.SIZE)) - 1) : word;
      require(part == 0, "word " + w + " is not zero", block);
    }
  }

  private static void checkContents(LongUnaryOperator words, Block block) {
    for (long w = 0; w < block.words(); w = block.next(w)) {
      long word = words.applyAsLong(block.address + w * Long.BYTES);
      long expected = block.tag == UNWRITTEN ? 0 : block.tag + w;
      require(word == expected, "word " + w + " has changed", block);
    }
  }

  private static void require(boolean condition, String what, Object where) {
    if (!condition) {
      throw new AssertionError(what + " " + where);
    }
  }

  /** Everything is freed, and then everything is free. */
  void freeAll() {
    for (Actor actor : actors) {
      abort(actor);
    }
    Actor actor = actors[0];
    for (Block block : live) {
      actor.session.free(block.address);
      actor.freed(block);
    }
    check(actor);
    commit(actor);
    actor.tx.called();
    actor.session.allocate(heap.maxBytes()); // also what empty slabs of all arenas have held
    abort(actor);
  }
}
