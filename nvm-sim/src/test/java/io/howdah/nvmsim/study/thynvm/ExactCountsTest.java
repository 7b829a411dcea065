package io.howdah.nvmsim.study.thynvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.study.thynvm.ExactCounts.Counts;
import io.howdah.nvmsim.study.thynvm.ExactCounts.Pattern;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Blocks of 128 MB, so that no page gets the 22 written blocks that promote it. */
  private static final Pattern SPREAD = (_, random) -> random & ((1 << 21) - 1);

  /** A few blocks many times: the table is hit, and entries change their states. */
  private static final Pattern FEW = (_, random) -> (random & 1023) * 64;

  @ParameterizedTest
  @ValueSource(ints = {16, 100, 512, 2048})
  void otherSeedsAndTablesGiveTheCountsOfTheOracle(int blockEntries) {
    for (long seed : new long[] {1, 20_151_205}) {
      for (long overlap : new long[] {0, 1, 10, 1000}) {
        for (boolean quirks : new boolean[] {true, false}) {
          for (Pattern pattern : List.of(SPREAD, FEW)) {
            ExactCounts run =
                new ExactCounts(pattern, 10_000, overlap, blockEntries, 4096, seed, quirks);
            assertThat(run.run()).as(run.toString()).isEqualTo(BlockTableOracle.count(run));
          }
        }
      }
    }
  }

  /** The oracle has the published counts too. */
  @Test
  void theOracleHasThePublishedCounts() {
    Counts counters = BlockTableOracle.count(ExactCounts.published(Pattern.RANDOM, 1000));
    assertCounts(counters, 975, 0, 1_993_625, 972_220);
    assertThat(counters.checkpointBlocks()).isEqualTo(973_599);
  }

  private static void assertCounts(
      Counts counters, long epochs, long pages, long copies, long swaps) {
    assertThat(counters.epochs()).isEqualTo(epochs);
    assertThat(counters.pagesToDram()).isEqualTo(pages);
    assertThat(counters.copies()).isEqualTo(copies);
    assertThat(counters.swaps()).isEqualTo(swaps);
  }
}
