package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What a transaction notes of its free space, and finds again. */
final class AllocationNotesTest {

  private final AllocationNotes notes = new AllocationNotes();

  @Test
  void everyNoteIsKeptInItsOrder() {
    assertThat(notes.isEmpty()).isTrue();
    for (int i = 0; i < 300; i++) {
      notes.add(i % 4, 1000 + i, 7L * i);
    }
    assertThat(notes.isEmpty()).isFalse();
    assertThat(notes.count()).isEqualTo(300);
    for (int i = 0; i < 300; i++) {
      assertThat(notes.kind(i)).isEqualTo(i % 4);
      assertThat(notes.page(i)).isEqualTo(1000 + i);
      assertThat(notes.argument(i)).isEqualTo(7L * i);
      assertThat(notes.isSlab(i)).isEqualTo(i % 4 >= AllocationNotes.PARTIAL);
    }
    notes.clear();
    assertThat(notes.isEmpty()).isTrue();
    assertThat(notes.takeFreed(0)).isEqualTo(-1);
    notes.add(AllocationNotes.FREED, 5, 6);
    assertThat(notes.count()).isEqualTo(1);
    assertThat(notes.page(0)).isEqualTo(5);
  }

  @Test
  void aBurstOfFreesInOneSlabIsNotedOnce() {
    notes.add(AllocationNotes.PARTIAL, 10, 3);
    notes.add(AllocationNotes.PARTIAL, 10, 3);
    assertThat(notes.count()).isEqualTo(1);
    notes.add(AllocationNotes.PARTIAL, 11, 3);
    notes.add(AllocationNotes.PARTIAL, 10, 3);
    notes.add(AllocationNotes.MADE, 10, 3);
    notes.add(AllocationNotes.PARTIAL, 10, 3);
    assertThat(notes.count()).isEqualTo(5);
  }

  @Test
  void theLastRunFreedThatIsLongEnoughIsTakenOnce() {
    notes.add(AllocationNotes.FREED, 10, 4);
    notes.add(AllocationNotes.FREED, 20, 5);
    notes.add(AllocationNotes.FREED, 30, 4);
    notes.add(AllocationNotes.TAKEN, 40, 9);
    assertThat(notes.takeFreed(6)).isEqualTo(-1);
    assertThat(notes.takeFreed(5)).isEqualTo(1);
    assertThat(notes.takeFreed(5)).isEqualTo(-1);
    assertThat(notes.takeFreed(4)).isEqualTo(2);
    assertThat(notes.takeFreed(1)).isZero();
    assertThat(notes.takeFreed(1)).isEqualTo(-1);
  }

  @Test
  void aRunThatHasBecomeAPartOfAnotherIsNotTaken() {
    notes.add(AllocationNotes.FREED, 10, 4);
    notes.add(AllocationNotes.TAKEN, 20, 4);
    notes.add(AllocationNotes.FREED, 30, 4);
    notes.dropFreed(20);
    notes.dropFreed(11);
    notes.dropFreed(10);
    assertThat(notes.kind(1)).isEqualTo(AllocationNotes.TAKEN);
    assertThat(notes.takeFreed(4)).isEqualTo(2);
    assertThat(notes.takeFreed(4)).isEqualTo(-1);
  }

  @Test
  void afterASavepointWasRestoredUsedRunsMayBeFreeAgain() {
    notes.add(AllocationNotes.FREED, 10, 4);
    notes.add(AllocationNotes.TAKEN, 20, 4);
    notes.add(AllocationNotes.FREED, 30, 2);
    assertThat(notes.takeFreed(4)).isZero();
    notes.dropFreed(30);
    notes.rolledBack();
    assertThat(notes.kind(0)).isEqualTo(AllocationNotes.FREED);
    assertThat(notes.kind(1)).isEqualTo(AllocationNotes.TAKEN);
    assertThat(notes.kind(2)).isEqualTo(AllocationNotes.FREED);
  }

  /** Where there are many, they are found by an index; what is found must not depend on that. */
  @Test
  void manyRunsAreFoundAsFewAre() {
    for (int seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      notes.clear();
      List<long[]> model = new ArrayList<>(); // page, length, 1 if it is free
      for (int step = 0; step < 600; step++) {
        int what = random.nextInt(12);
        if (what == 0) {
          notes.rolledBack();
          model.forEach(run -> run[2] = 1);
        } else if (what == 1) {
          long pages = random.nextInt(8);
          int taken = lastFree(model, run -> run[1] >= pages);
          assertThat(notes.takeFreed(pages)).isEqualTo(taken);
          use(model, taken);
        } else if (what < 6) {
          long page = random.nextInt(2 * step + 1);
          notes.dropFreed(page);
          use(model, lastFree(model, run -> run[0] == page));
        } else {
          long page = 2L * step + random.nextInt(2);
          long pages = random.nextInt(8);
          notes.add(AllocationNotes.FREED, page, pages);
          model.add(new long[] {page, pages, 1});
        }
      }
      for (int i = 0; i < model.size(); i++) {
        assertThat(notes.kind(i) == AllocationNotes.FREED).isEqualTo(model.get(i)[2] == 1);
      }
    }
  }

  private static int lastFree(List<long[]> model, Predicate<long[]> isWanted) {
    for (int i = model.size() - 1; i >= 0; i--) {
      if (model.get(i)[2] == 1 && isWanted.test(model.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private static void use(List<long[]> model, int index) {
    if (index >= 0) {
      model.get(index)[2] = 0;
    }
  }
}
