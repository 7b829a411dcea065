package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random steps of several transactions in turns, with all of the allocator's books walked over
 * after each. A longer campaign with -Dhowdah.allocator.runs=N, N runs of each kind; a run follows
 * from its number.
 */
@Tag("scaled")
final class AllocatorWalkTest {

  private static final int STEPS = 1_000 / Integer.getInteger("howdah.stride", 3);

  private static final int TILED_STEPS = 300;

  private static final int RUNS = Integer.getInteger("howdah.allocator.runs", 1);

  /** Regions with two tables behind the header, with one, and with none. */
  @ParameterizedTest
  @CsvSource({"1500, 3", "700, 3", "90, 12", "40, 12"})
  void memoryHasOneOwner(long pages, int times) {
    walk(pages, times, STEPS, AllocatorModel.Sizes.ANY);
  }

  /**
   * The regions end some pages behind a table, or before one. These walks have few blocks, so a
   * step takes little time, and they are always of full length.
   */
  @ParameterizedTest
  @CsvSource({"40, 12", "90, 6", "523, 10", "545, 6", "1050, 3"})
  void memoryOfLengthsThatTileEachOtherHasOneOwner(long pages, int times) {
    walk(pages, times, TILED_STEPS, AllocatorModel.Sizes.TILES);
  }

  private static void walk(long pages, int times, int steps, AllocatorModel.Sizes sizes) {
    long refusals = 0;
    long conflicts = 0;
    long commits = 0;
    for (long run = 0; run < (long) RUNS * times; run++) {
      int step = 0;
      try (AllocatorModel model = new AllocatorModel(run, pages, sizes)) {
        for (; step < steps; step++) {
          model.step();
        }
        model.freeAll();
        refusals += model.refusals();
        conflicts += model.conflicts();
        commits += model.commits();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("run " + run + ", step " + step + ", " + pages + " pages", e);
      }
    }
    if (pages < 100) {
      assertThat(refusals).as("allocations refused").isPositive();
    }
    assertThat(conflicts).as("conflicts").isPositive();
    assertThat(commits).as("commits").isPositive();
  }
}
