package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The age that is told is never more than that of the oldest commit, and not much less. */
final class UnstableAgeTest {

  private static final long CHECK = 250;

  /** A disk that follows late, stands still, and catches up, against a list of all commits. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void theAgeIsABoundOfThatOfTheOldestCommit(long seed) {
    Random random = new Random(seed);
    UnstableAge age = new UnstableAge();
    List<Long> times = new ArrayList<>(); // of the commit with the LSN of the index plus 1
    long stable = 0;
    long lag = 1000;
    for (long now = 1; now < 100_000; now++) {
      if (random.nextInt(40) == 0) {
        times.add(now);
      }
      if (random.nextInt(10_000) == 0) {
        lag =
            switch (random.nextInt(3)) {
              case 0 -> 1;
              case 1 -> 3000;
              default -> 100_000;
            };
      }
      while (stable < times.size() && times.get((int) stable) < now - lag) {
        stable++;
      }
      if (now % CHECK == 0) {
        age.note(stable, times.size(), now);
      }
      long told = age.nanos(stable, now);
      long oldest = stable == times.size() ? 0 : now - times.get((int) stable);
      if (told > oldest) {
        fail("at %d: %d is told, and the oldest is %d old", now, told, oldest);
      }
      // Notes are CHECK apart, and twice as far each time that half of them are forgotten.
      long apart =
          CHECK * Long.highestOneBit(Math.max(1, 4 * oldest / (CHECK * UnstableAge.NOTES)));
      if (now % CHECK == 0) {
        assertThat(oldest - told).as("at %d, oldest %d", now, oldest).isLessThan(2 * apart + CHECK);
      }
    }
  }
}
