package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A full Java heap costs hints their growth, and nothing else: what they held stays usable. */
final class HintGrowthTest {

  private static final long PAGES = 1500;
  private static final int BLOCK = 5 * 4096;

  private boolean isFull;
  private int refused;

  private long[] memory(int length) {
    if (isFull) {
      refused++;
      throw new OutOfMemoryError("no memory, by the test");
    }
    return new long[length];
  }

  /** Runs something that may find no memory; returns whether it did not. */
  private boolean withLittleMemory(Runnable action, boolean full) {
    isFull = full;
    try {
      action.run();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    } finally {
      isFull = false;
    }
  }

  @Test
  void freeRunsKeepWhatTheyHoldWhenTheyCannotGrow() {
    SplittableRandom random = new SplittableRandom(1);
    FreeRuns runs = new FreeRuns(this::memory);
    List<FreeRuns.Run> model = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(5) < 3) {
        FreeRuns.Run run = new FreeRuns.Run(1 + i, random.nextLong(1, 40));
        if (withLittleMemory(() -> runs.add(run.page(), run.length()), random.nextBoolean())) {
          model.add(run);
        }
      } else {
        long pages = random.nextLong(1, 40);
        FreeRuns.Run run = runs.takeAny(pages);
        if (run.length() == 0) {
          assertThat(model).noneMatch(other -> other.length() >= pages);
        } else {
          assertThat(run.length()).isGreaterThanOrEqualTo(pages);
          assertThat(model.remove(run)).as("%s was there once", run).isTrue();
        }
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void partialSlabsKeepWhatTheyHoldWhenTheyCannotGrow() {
    SplittableRandom random = new SplittableRandom(1);
    PartialSlabs slabs = new PartialSlabs(this::memory);
    Set<Long> model = new HashSet<>();
    for (int i = 0; i < 40_000; i++) {
      if (random.nextInt(5) < 3) {
        long page = random.nextLong(1, 3001);
        if (withLittleMemory(() -> slabs.add(7, page), random.nextBoolean())) {
          model.add(page);
        }
      } else {
        long page = slabs.poll(7);
        assertThat(model.isEmpty()).isEqualTo(page == 0);
        assertThat(page == 0 || model.remove(page)).as("slab %d was there once", page).isTrue();
      }
    }
    assertThat(refused).isPositive();
    for (long page = slabs.poll(7); page != 0; page = slabs.poll(7)) {
      assertThat(model.remove(page)).isTrue();
    }
    assertThat(model).isEmpty();
  }

  /** A growth gets the first of its two arrays, and not the second. */
  @Test
  void partialSlabsAreWholeWhenOnlyHalfOfTheirGrowthHadMemory() {
    int[] left = {0};
    List<Integer> asked = new ArrayList<>();
    PartialSlabs slabs =
        new PartialSlabs(
            length -> {
              asked.add(length);
              if (left[0]-- == 0) {
                throw new OutOfMemoryError("no memory, by the test");
              }
              return new long[length];
            });
    for (long page = 1; page <= 8; page++) {
      slabs.add(0, page);
    }
    for (int given = 0; given < 2; given++) {
      left[0] = given;
      assertThat(withLittleMemory(() -> slabs.add(0, 9), false)).isFalse();
    }
    assertThat(asked).as("the growth that failed is the next one, too").containsExactly(16, 16, 32);
    left[0] = 100;
    for (long page = 1; page <= 40; page++) {
      slabs.add(0, page);
    }
    assertThat(asked).containsExactly(16, 16, 32, 16, 32, 32, 64, 64, 128);
    for (long page = 40; page >= 1; page--) {
      assertThat(slabs.poll(0)).isEqualTo(page);
    }
    assertThat(slabs.poll(0)).isZero();
  }

  /** A commit and an abort tell hints that have no room for it: both have happened all the same. */
  @Test
  void transactionsEndWhateverBecomesOfHints() {
    try (OptimisticWords words = new OptimisticWords(PAGES)) {
      Heap heap = new Heap(words.region, 1, (_, _) -> {}, this::memory);
      OptimisticWords.Transaction tx = words.new Transaction();
      HeapSession session = new HeapSession(heap, tx, 0);
      List<Long> blocks = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        blocks.add(session.allocate(BLOCK));
        session.allocate(BLOCK); // stays, so that the runs freed have no free neighbours
      }
      tx.commit();
      session.committed();
      tx.begin();
      blocks.forEach(session::free);
      tx.commit();
      assertThat(withLittleMemory(session::committed, true)).isTrue();
      assertThat(refused).isPositive();
      for (int round = 0; round < 2; round++) {
        tx.begin();
        for (int i = 0; i < 99; i++) {
          assertThat(session.allocate(BLOCK)).isBetween(8192L, PAGES << 12);
        }
        assertThat(withLittleMemory(session::aborted, true)).isTrue();
      }
      tx.begin();
      blocks.forEach(block -> assertThat(session.isBlock(block)).isFalse());
      AllocatorBooks.walk(tx::peek, PAGES);
    }
  }
}
