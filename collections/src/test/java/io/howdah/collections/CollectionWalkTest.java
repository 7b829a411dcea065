package io.howdah.collections;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random walks through all collections at once, with iterators open across changes and roll-backs.
 * {@code -Dhowdah.walk.steps=1000000} makes them long, {@code -Dhowdah.walk.seed=N} chooses another
 * one; a failure names both, and the same walk up to the step that failed is the shortest there is.
 */
@Tag("scaled")
final class CollectionWalkTest {

  @AutoClose private final WordMemory folder = new WordMemory();

  private static final long STEPS =
      Long.getLong("howdah.walk.steps", 20_000 / Integer.getInteger("howdah.stride", 3));
  private static final WordOptions OPTIONS =
      WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 14).withPartitions(2);

  private static void walk(long seed, CollectionWalk walk, long reopenings) {
    long next = STEPS / reopenings == 0 ? Long.MAX_VALUE : STEPS / reopenings;
    try {
      while (walk.steps() < STEPS) {
        walk.transaction();
        if (walk.steps() >= next) {
          walk.reopen();
          next += STEPS / reopenings;
          walk.compare();
        }
      }
      walk.compare();
    } catch (RuntimeException | Error e) {
      throw new AssertionError(
          "at step "
              + walk.steps()
              + "; again: -Dhowdah.walk.seed="
              + seed
              + " -Dhowdah.walk.steps="
              + walk.steps(),
          e);
    } finally {
      walk.store().close();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void collectionsDoWhatThoseOfTheJdkDo(long number) {
    long seed = Long.getLong("howdah.walk.seed", number);
    walk(seed, new CollectionWalk(seed, () -> WordStore.inMemory(OPTIONS)), 1L << 62);
  }

  @Test
  void alsoAcrossReopenings() {
    long seed = Long.getLong("howdah.walk.seed", 3L);
    walk(seed, new CollectionWalk(seed, () -> WordStore.open(folder, OPTIONS)), 4);
  }
}
