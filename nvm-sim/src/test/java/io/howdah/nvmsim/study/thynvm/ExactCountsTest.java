package io.howdah.nvmsim.study.thynvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.study.thynvm.ExactCounts.Counts;
import io.howdah.nvmsim.study.thynvm.ExactCounts.Pattern;
import org.junit.jupiter.api.Test;

/** What the authors' controller counts when it is driven with the same stores. */
final class ExactCountsTest {
  @Test
  void randomStoresWithInstantCheckpoints() {
    Counts counters = ExactCounts.published(Pattern.RANDOM, 0).run();
    assertCounts(counters, 975, 0, 1_992_246, 0);
    assertThat(counters.checkpointBlocks()).isZero();
  }

  @Test
  void randomStoresWhileCheckpointing() {
    Counts counters = ExactCounts.published(Pattern.RANDOM, 1000).run();
    assertCounts(counters, 975, 0, 1_993_625, 972_220);
    assertThat(counters.checkpointBlocks()).isEqualTo(973_599);
  }

  @Test
  void streamingStoresMigrateEveryPage() {
    Counts counters = ExactCounts.published(Pattern.STREAMING, 0).run();
    assertCounts(counters, 976, 31_232, 1_998_848, 0);
    assertThat(counters.checkpointBlocks()).isEqualTo(5_718_016);
    assertThat(counters.migrationBlocks()).isEqualTo(5_717_952);
  }

  @Test
  void streamingStoresDoNotDependOnTheOverlap() {
    Counts counters = ExactCounts.published(Pattern.STREAMING, 1000).run();
    assertCounts(counters, 976, 31_232, 1_998_848, 0);
    assertThat(counters.checkpointBlocks()).isEqualTo(5_718_016);
  }

  private static void assertCounts(
      Counts counters, long epochs, long pages, long copies, long swaps) {
    assertThat(counters.epochs()).isEqualTo(epochs);
    assertThat(counters.pagesToDram()).isEqualTo(pages);
    assertThat(counters.copies()).isEqualTo(copies);
    assertThat(counters.swaps()).isEqualTo(swaps);
  }
}
