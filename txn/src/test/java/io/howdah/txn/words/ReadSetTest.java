package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each way to add reads, and what a read set does once it is long. */
final class ReadSetTest {

  private static final int FIRST_ENTRIES = 64;

  private int calls;
  private final ReadSet reads = new ReadSet(() -> calls++);

  private List<Long> orecs() {
    List<Long> orecs = new ArrayList<>();
    for (int i = 0; i < reads.count(); i++) {
      orecs.add(reads.orec(i));
      assertThat(reads.seen(i)).as("what orec %d held", reads.orec(i)).isEqualTo(reads.orec(i) * 2);
    }
    return orecs;
  }

  @Test
  void anOrecReadTwiceInARowIsOneRead() {
    reads.add(0, 0);
    reads.add(0, 0);
    reads.add(5, 10);
    reads.add(5, 10);
    reads.add(0, 0);
    assertThat(orecs()).containsExactly(0L, 5L, 0L);
  }

  @Test
  void pairsAndRangesAreAddedInTheirOrder() {
    reads.add(4, 8, 10);
    reads.add(5, 10); // the one added last
    reads.add(100, new long[] {-1, 200, 202, 204, -1}, 1, 3);
    reads.add(102, 204);
    assertThat(orecs()).containsExactly(4L, 5L, 100L, 101L, 102L);
  }

  /** One that begins with an odd number of reads needs room for half a pair. */
  @Test
  void everyWayToAddMakesRoom() {
    for (int before = FIRST_ENTRIES - 9; before <= FIRST_ENTRIES + 1; before++) {
      for (int way = 0; way < 3; way++) {
        ReadSet set = new ReadSet(() -> calls++);
        for (int i = 0; i < before; i++) {
          set.add(i, 2L * i);
        }
        switch (way) {
          case 0 -> set.add(1000, 2000);
          case 1 -> set.add(1000, 2000, 2002);
          default ->
              set.add(1000, new long[] {2000, 2002, 2004, 2006, 2008, 2010, 2012, 2014}, 0, 8);
        }
        int added = way == 0 ? 1 : way == 1 ? 2 : 8;
        assertThat(set.count()).isEqualTo(before + added);
        for (int i = 0; i < added; i++) {
          assertThat(set.orec(before + i)).isEqualTo(1000 + i);
          assertThat(set.seen(before + i)).isEqualTo(2000 + 2 * i);
        }
      }
    }
    assertThat(calls).isZero();
  }

  @Test
  void readsWrittenDownInAdvanceCountOnceTheyAreConfirmed() {
    reads.add(1, 2);
    assertThat(reads.hasRoom(FIRST_ENTRIES - 1)).isTrue();
    assertThat(reads.hasRoom(FIRST_ENTRIES)).isFalse();
    for (int i = 0; i < 3; i++) {
      reads.entries()[reads.end() + 2 * i] = 10L + i;
      reads.entries()[reads.end() + 2 * i + 1] = 20L + 2L * i;
    }
    reads.confirm(2);
    assertThat(orecs()).containsExactly(1L, 10L, 11L);
    reads.add(1, 2);
    assertThat(orecs()).as("the last one is another by now").containsExactly(1L, 10L, 11L, 1L);
  }

  @Test
  void whatIsForgottenStaysSo() {
    for (int i = 0; i < 2000; i++) {
      reads.add(i, 2L * i);
    }
    calls = 0;
    reads.forget();
    for (int i = 0; i < 3000; i++) {
      reads.add(i, 2L * i);
      reads.add(i, 2L * i, 2L * i + 2);
      reads.add(i, new long[] {2L * i}, 0, 1);
    }
    assertThat(calls).isZero();
    assertThat(reads.count()).as("few are kept until they are forgotten").isLessThan(4096);
    reads.clear();
    reads.add(7, 14);
    reads.add(8, new long[] {16}, 0, 1);
    assertThat(orecs()).containsExactly(7L, 8L);
  }

  /** Called with 1,024 reads or more and none left over, and again only when room is needed. */
  @Test
  void aLongSetIsTold() {
    int first = 0;
    for (int i = 0; i < 100_000; i++) {
      reads.add(i % 2 == 0 ? 0 : 1 + i % 700, i % 2 == 0 ? 0 : 2 * (1 + i % 700));
      if (calls > 0 && first == 0) {
        first = i + 1;
      }
    }
    assertThat(first).as("reads until the first call").isEqualTo(1025);
    assertThat(calls).isBetween(20, 200);
    assertThat(orecs()).hasSizeLessThan(3000);
    assertThat(orecs().stream().distinct()).hasSize(351);
  }

  /** Whichever way the read comes that needs more room. */
  @Test
  void aSetThatGrowsLongByPairsOrRangesIsTold() {
    for (int i = 0; i < 1024; i++) {
      reads.add(i, 2L * i);
    }
    assertThat(calls).isZero();
    reads.add(2000, 4000, 4002);
    assertThat(calls).isEqualTo(1);
    assertThat(reads.count()).isEqualTo(1026);
    reads.clear();
    for (int i = 0; reads.hasRoom(1); i++) {
      reads.add(i, 2L * i);
    }
    calls = 0;
    reads.add(9000, new long[] {18_000, 18_002}, 0, 2);
    assertThat(calls).isEqualTo(1);
    assertThat(reads.orec(reads.count() - 1)).isEqualTo(9001);
  }

  @Test
  void onlyALargeSetGivesItsMemoryBack() {
    for (int i = 0; i < 4096; i++) {
      reads.add(i, 2L * i);
    }
    long[] entries = reads.entries();
    reads.trim();
    assertThat(reads.count()).isZero();
    assertThat(reads.entries()).isSameAs(entries);
    for (int i = 0; i < 5000; i++) {
      reads.add(i, 2L * i);
    }
    reads.trim();
    assertThat(reads.entries()).hasSize(2 * FIRST_ENTRIES);
  }
}
