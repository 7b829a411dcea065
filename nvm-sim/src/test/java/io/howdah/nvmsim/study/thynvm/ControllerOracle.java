package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.study.thynvm.ExactCounts.Counts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SequencedSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the authors' controller counts, stated a second time with sets and sorted lists and without
 * the model's tables, queues, slots and heaps. Whole-block stores only.
 *
 * <p>Of several equal pages the controller takes some first, in an order that only its hash table
 * explains. This oracle does not know that order. It either stops before the first end of an epoch
 * that takes some of several equals, and {@link #stores()} says how many stores its counts are for;
 * or it takes any of them: counts on which several such oracles agree do not depend on the order.
 */
final class ControllerOracle {
  private static final int PAGE_BLOCKS = 64;

  /** 22 of 64 blocks (a ratio of 0.33), and 42 (0.67). */
  private static final int MIN_PROMOTED = 22;

  private static final int MAX_DEMOTED = 42;

  /** Which of several equal pages is taken first. */
  enum Choice {
    NONE,
    LOWEST,
    HIGHEST,
    ANY
  }

  private enum State {
    CLEAN,
    DIRTY,
    HIDDEN,
    PRE_DIRTY,
    PRE_HIDDEN,
    LOAN
  }

  /** A page in DRAM. A page is dirty if it had a store in this epoch. */
  private static final class Page {
    private final long number;

    /** Whether its last checkpoint lies at Home, rather than in the checkpoint region. */
    private boolean checkpointAtHome;

    private int stores;

    Page(long number, boolean checkpointAtHome) {
      this.number = number;
      this.checkpointAtHome = checkpointAtHome;
    }

    /** Write-backs until Home has the page and a checkpoint was valid all the time. */
    int writeBacksToLeave() {
      boolean dirty = stores > 0;
      return (dirty ? 1 : 0) + (dirty == checkpointAtHome ? 1 : 0);
    }
  }

  private final ExactCounts run;
  private final int pageCapacity;

  private final Choice choice;
  private final Random random = new Random(1);
  private final Map<Long, State> blocks = new HashMap<>();

  /** Blocks in the order of last use, the least recent first. */
  private final LinkedHashSet<Long> clean = new LinkedHashSet<>();

  private final LinkedHashSet<Long> loaned = new LinkedHashSet<>();
  private final LinkedHashSet<Long> written = new LinkedHashSet<>();
  private final Map<Long, Page> pages = new HashMap<>();
  private int dirtyPages;
  private boolean checkpointing;
  private boolean ambiguous;
  private long stores;
  private long epochs;
  private long pagesToDram;
  private long copies;
  private long swaps;
  private long checkpointBlocks;
  private long migrationBlocks;
  private long pagesReplaced;
  private long pagesDemoted;
  private long loans;

  /**
   * @param choice what to do where only some of several equal pages are taken
   */
  ControllerOracle(ExactCounts run, Choice choice) {
    this.run = run;
    this.choice = choice;
    pageCapacity = run.quirks() ? run.pages() + run.pages() / 16 : run.pages();
  }

  /** Makes the same stores as {@link ExactCounts#run}, or the first {@link #stores()} of them. */
  ControllerOracle count() {
    long state = run.seed();
    long left = 0;
    while (stores < run.stores()) {
      state += 0x9e3779b97f4a7c15L;
      long block = run.pattern().block(stores, finished(state));
      if (checkpointing && left-- == 0) {
        checkpointing = false;
      }
      while (!admits(block)) {
        if (checkpointing) {
          checkpointing = false;
        } else {
          endEpoch();
          if (ambiguous) {
            return this;
          }
          left = run.overlap();
          checkpointing = left > 0;
        }
      }
      store(block);
      stores++;
    }
    return this;
  }

  /** The finalizer of SplitMix64. */
  private static long finished(long state) {
    long z = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /** Stores that the counts are for. */
  long stores() {
    return stores;
  }

  /** What was counted before the last of them, and by it. */
  Counts counts() {
    return new Counts(epochs, pagesToDram, copies, swaps, checkpointBlocks, migrationBlocks);
  }

  /** Clean pages that made room for others. */
  long pagesReplaced() {
    return pagesReplaced;
  }

  /** Pages that left because they had few stores. */
  long pagesDemoted() {
    return pagesDemoted;
  }

  /** Blocks of pages that were stored to during a checkpoint. */
  long loans() {
    return loans;
  }

  private boolean isFull() {
    return blocks.size() == run.blockEntries();
  }

  private boolean isInDram(long block) {
    return pages.containsKey(block / PAGE_BLOCKS);
  }

  private boolean admits(long block) {
    boolean inDram = isInDram(block);
    boolean stuck = isFull() && clean.isEmpty();
    if (blocks.containsKey(run.quirks() ? block * PAGE_BLOCKS : block)) {
      boolean hit = blocks.containsKey(block);
      return hit || !stuck || (!checkpointing && (inDram || !loaned.isEmpty()));
    }
    if (checkpointing) {
      return !stuck;
    }
    return inDram || (written.size() < run.blockEntries() && dirtyPages < run.pages());
  }

  private void store(long block) {
    Page page = pages.get(block / PAGE_BLOCKS);
    State before = blocks.get(block);
    if (page != null) {
      dirtyPages += page.stores == 0 ? 1 : 0;
      page.stores++;
      if (checkpointing) {
        loans += before == null ? 1 : 0;
        put(block, State.LOAN);
      } else if (before != null) {
        forget(block);
      }
    } else if (checkpointing) {
      boolean hides = before == State.CLEAN || before == State.PRE_HIDDEN;
      put(block, hides ? State.PRE_HIDDEN : State.PRE_DIRTY);
    } else {
      boolean hides = before == State.CLEAN || before == State.HIDDEN || before == State.PRE_HIDDEN;
      put(block, hides ? State.HIDDEN : State.DIRTY);
    }
  }

  private SequencedSet<Long> group(State state) {
    return switch (state) {
      case CLEAN -> clean;
      case LOAN -> loaned;
      case DIRTY, HIDDEN, PRE_DIRTY, PRE_HIDDEN -> written;
    };
  }

  private @Nullable State forget(long block) {
    State before = blocks.remove(block);
    if (before != null) {
      group(before).remove(block);
    }
    return before;
  }

  private void put(long block, State state) {
    if (forget(block) == null && isFull()) {
      makeRoom();
    }
    blocks.put(block, state);
    group(state).add(block);
  }

  private void makeRoom() {
    if (checkpointing) {
      forget(clean.getFirst());
      swaps++;
    } else {
      forget(loaned.isEmpty() ? clean.getFirst() : loaned.getFirst());
      copies++;
    }
  }

  private void endEpoch() {
    List<Page> leaving = new ArrayList<>();
    List<Long> promoted = new ArrayList<>();
    Map<Long, Integer> candidates = choose(leaving, promoted);
    if (ambiguous) {
      return;
    }
    epochs++;
    copies += loaned.size();
    checkpointBlocks += loaned.size();
    List.copyOf(loaned).forEach(this::forget);
    for (Page page : leaving) {
      dirtyPages -= page.stores > 0 ? 1 : 0;
      migrate((long) page.writeBacksToLeave() * PAGE_BLOCKS);
      pages.remove(page.number);
    }
    for (long number : promoted) {
      gather(number);
      int ofPage = candidates.getOrDefault(number, 0);
      pages.put(number, new Page(number, 2 * ofPage <= PAGE_BLOCKS));
      pagesToDram++;
      migrate(PAGE_BLOCKS);
    }
    flush();
    for (Page page : pages.values()) {
      if (page.stores > 0) {
        checkpointBlocks += PAGE_BLOCKS;
        page.checkpointAtHome = !page.checkpointAtHome;
        page.stores = 0;
      }
    }
    dirtyPages = 0;
  }

  /** Checkpoints count what migration writes, too. */
  private void migrate(long written) {
    migrationBlocks += written;
    checkpointBlocks += written;
  }

  /** Brings the blocks of a page together; a hidden block is at Home already. */
  private void gather(long page) {
    for (long block = page * PAGE_BLOCKS; block < (page + 1) * PAGE_BLOCKS; block++) {
      State state = forget(block);
      if (state != null && state != State.HIDDEN) {
        copies++;
        migrate(1);
      }
    }
  }

  private void flush() {
    for (long block : List.copyOf(written)) {
      State state = forget(block);
      if (state == State.PRE_DIRTY || state == State.PRE_HIDDEN) {
        copies++;
        checkpointBlocks++;
      }
      if (state == State.DIRTY || state == State.PRE_DIRTY) {
        put(block, State.CLEAN);
      }
    }
  }

  /**
   * Chooses the pages that leave DRAM and those that come. Returns the written blocks of each page
   * of the block scheme.
   */
  private Map<Long, Integer> choose(List<Page> leaving, List<Long> promoted) {
    Map<Long, Integer> candidates = new HashMap<>();
    for (long block : written) {
      candidates.merge(block / PAGE_BLOCKS, 1, Integer::sum);
    }
    List<Long> wanted = new ArrayList<>(candidates.keySet());
    wanted.removeIf(page -> candidates.getOrDefault(page, 0) < MIN_PROMOTED);
    List<Page> inDram = new ArrayList<>(pages.values());
    orderEquals(wanted, page -> page);
    orderEquals(inDram, page -> page.number);
    wanted.sort(Comparator.comparing((Long page) -> candidates.getOrDefault(page, 0)).reversed());
    inDram.sort(ControllerOracle::leavesFirst);
    int used = pages.size();
    while (!wanted.isEmpty()) {
      if (used == pageCapacity) {
        if (inDram.isEmpty() || inDram.getFirst().stores != 0) {
          takesSomeOf(!promoted.isEmpty() && equal(promoted, wanted, candidates));
          break;
        }
        leaving.add(inDram.removeFirst());
        pagesReplaced++;
        used--;
      }
      promoted.add(wanted.removeFirst());
      used++;
    }
    takesSomeOf(splitsEquals(leaving, inDram));
    demote(leaving, inDram);
    return candidates;
  }

  private <T> void orderEquals(List<T> items, ToLongFunction<T> number) {
    items.sort(Comparator.comparingLong(number));
    switch (choice) {
      case NONE, LOWEST -> {}
      case HIGHEST -> Collections.reverse(items);
      case ANY -> Collections.shuffle(items, random);
    }
  }

  private void takesSomeOf(boolean equals) {
    ambiguous |= equals && choice == Choice.NONE;
  }

  private static boolean equal(List<Long> chosen, List<Long> rest, Map<Long, Integer> blocks) {
    return Objects.equals(blocks.get(chosen.getLast()), blocks.get(rest.getFirst()));
  }

  /** Clean pages first, then those that need fewer write-backs, then those with fewer stores. */
  private static int leavesFirst(Page a, Page b) {
    int dirt = Integer.compare(Math.min(a.stores, 1), Math.min(b.stores, 1));
    int writes = Integer.compare(a.writeBacksToLeave(), b.writeBacksToLeave());
    return dirt != 0 ? dirt : writes != 0 ? writes : Integer.compare(a.stores, b.stores);
  }

  private static boolean splitsEquals(List<Page> chosen, List<Page> rest) {
    return !chosen.isEmpty()
        && !rest.isEmpty()
        && leavesFirst(chosen.getLast(), rest.getFirst()) == 0;
  }

  /** The loop's end is tested behind each page, as the authors' loop does. */
  private void demote(List<Page> leaving, List<Page> inDram) {
    int spare = pageCapacity - run.pages();
    List<Page> demoted = new ArrayList<>();
    boolean more = !inDram.isEmpty();
    while (more) {
      Page first = inDram.getFirst();
      if (first.stores > MAX_DEMOTED) {
        break;
      }
      inDram.removeFirst();
      if (first.stores > 0) {
        demoted.add(first);
        spare--;
      }
      more = spare != 0 && !inDram.isEmpty();
    }
    takesSomeOf(splitsEquals(demoted, inDram));
    pagesDemoted += demoted.size();
    leaving.addAll(demoted);
  }
}
