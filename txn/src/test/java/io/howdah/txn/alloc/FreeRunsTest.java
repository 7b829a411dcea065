package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.alloc.FreeRuns.Run;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Which of the known free runs is taken, and how many are known. */
final class FreeRunsTest {

  private static final int MAX_RUNS = 1 << 16;

  private final FreeRuns runs = new FreeRuns(long[]::new);

  @Test
  void theShortestRunThatIsLongEnoughIsTaken() {
    // All of one class: 16 to 31 pages.
    runs.add(100, 30);
    runs.add(200, 20);
    runs.add(300, 17);
    runs.add(400, 25);
    assertThat(runs.take(18)).isEqualTo(new Run(200, 20));
    assertThat(runs.take(18)).isEqualTo(new Run(400, 25));
    assertThat(runs.take(17)).isEqualTo(new Run(300, 17));
    assertThat(runs.take(30)).isEqualTo(new Run(100, 30));
    assertThat(runs.take(1)).isEqualTo(Run.NONE);
  }

  /** Wherever it stands among those of its class. */
  @Test
  void theShortestOfManyIsTakenWhereverItStands() {
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 200; round++) {
      int count = 1 + random.nextInt(32);
      int[] lengths = random.ints(count, 16, 32).toArray();
      for (int i = 0; i < count; i++) {
        runs.add(100 + i, lengths[i]);
      }
      int wanted = random.nextInt(16, 32);
      int shortest = Arrays.stream(lengths).filter(length -> length >= wanted).min().orElse(0);
      assertThat(runs.take(wanted).length()).isEqualTo(shortest);
      runs.clear();
    }
  }

  @Test
  void aRunOfExactlyTheLengthServesAndAShorterOneDoesNot() {
    runs.add(100, 16);
    assertThat(runs.take(17)).isEqualTo(Run.NONE);
    assertThat(runs.takeAny(17)).isEqualTo(Run.NONE);
    assertThat(runs.take(16)).isEqualTo(new Run(100, 16));
  }

  @Test
  void aLongerClassServesIfItsOwnHasNone() {
    runs.add(100, 4);
    runs.add(200, 64);
    runs.add(300, 512);
    assertThat(runs.take(5)).isEqualTo(new Run(200, 64));
    assertThat(runs.take(5)).isEqualTo(new Run(300, 512));
    assertThat(runs.take(4)).isEqualTo(new Run(100, 4));
  }

  /** A quick look sees the 32 latest of a class, and a thorough one all. */
  @Test
  void aQuickLookSeesTheLatestOnly() {
    runs.add(1, 31);
    for (int i = 0; i < 31; i++) {
      runs.add(100 + i, 16);
    }
    assertThat(runs.take(20)).as("the 32nd from the end").isEqualTo(new Run(1, 31));
    runs.clear();
    runs.add(1, 31);
    for (int i = 0; i < 32; i++) {
      runs.add(100 + i, 16);
    }
    assertThat(runs.take(20)).as("the 33rd from the end").isEqualTo(Run.NONE);
    assertThat(runs.takeAny(20)).isEqualTo(new Run(1, 31));
  }

  @Test
  void whatIsClearedIsNotTaken() {
    runs.add(100, 16);
    runs.add(200, 1);
    runs.clear();
    assertThat(runs.takeAny(1)).isEqualTo(Run.NONE);
    runs.add(300, 1);
    assertThat(runs.takeAny(1)).isEqualTo(new Run(300, 1));
  }

  @Test
  void eachRunIsTakenOnceAndNoMoreAreKeptThanThereIsRoomFor() {
    for (int i = 0; i <= MAX_RUNS; i++) {
      runs.add(1 + i, 2);
    }
    long pages = 0;
    int count = 0;
    for (Run run = runs.takeAny(2); run.length() != 0; run = runs.takeAny(2)) {
      pages += run.page();
      count++;
    }
    assertThat(count).isEqualTo(MAX_RUNS);
    assertThat(pages).isEqualTo((long) MAX_RUNS * (MAX_RUNS + 1) / 2);
  }
}
