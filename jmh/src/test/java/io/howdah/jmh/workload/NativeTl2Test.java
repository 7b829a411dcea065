package io.howdah.jmh.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class NativeTl2Test {

  private static final long BYTES = 1 << 16; // small, so that transactions meet

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void everyTransactionAddsSixAlsoWhenTheyMeet(NativeTl2.Decision decision) throws Exception {
    try (NativeTl2 tl2 = NativeTl2.start(folder, BYTES, 8, false, decision)) {
      for (int threads : new int[] {1, 2, 8}) {
        long before = tl2.sum();
        double perSecond = tl2.perSecond(threads, 50_000_000);
        long added = tl2.sum() - before;
        assertThat(added).isPositive();
        assertThat(added % SixWords.WORDS).isZero();
        assertThat(perSecond).isPositive();
      }
    } catch (YardstickUnavailableException e) {
      abort(String.valueOf(e.getMessage()));
    }
  }
}
