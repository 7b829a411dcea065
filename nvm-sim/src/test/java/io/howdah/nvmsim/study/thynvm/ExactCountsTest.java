package io.howdah.nvmsim.study.thynvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.study.thynvm.ControllerOracle.Choice;
import io.howdah.nvmsim.study.thynvm.ExactCounts.Counts;
import io.howdah.nvmsim.study.thynvm.ExactCounts.Pattern;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the authors' controller counts when it is driven with the same stores. */
@Tag("scaled")
final class ExactCountsTest {
  /**
   * One in so many combinations is compared, and all that run to the limits of pages. It has no
   * divisor in common with the number of patterns.
   */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 4);

  @Tag("campaign")
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

  @Tag("campaign")
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

  /** Few pages, which fill and stay in DRAM, some of them with few stores in an epoch. */
  private static final Pattern DENSE = (_, random) -> random & 4095;

  /** Runs of 40 blocks in pages that come round again. */
  private static final Pattern RUNS = (i, _) -> i / 40 % 200 * 64 + i % 40;

  /** Four stores of five go to one of 32 pages, the others anywhere. */
  private static final Pattern SKEWED =
      (_, random) ->
          Long.remainderUnsigned(random, 5) == 0 ? random >>> 8 & 65_535 : random >>> 8 & 2047;

  /** A window of 64 pages that moves by a page every 512 stores, and starts again. */
  private static final Pattern MOVING = (i, random) -> 64 * (i / 512 % 500) + (random & 4095);

  /** Streams of several lengths. */
  private static final Pattern SHORT_STREAM = (i, _) -> i % 1500;

  private static final Pattern LONG_STREAM = (i, _) -> i % 3000;

  private static final Pattern RISING_RUNS = (i, _) -> risingRuns(i);

  private static final List<Pattern> PATTERNS =
      List.of(SPREAD, FEW, DENSE, RUNS, SKEWED, MOVING, SHORT_STREAM, LONG_STREAM, RISING_RUNS);

  private static final int STORES = 4_000;

  /**
   * Runs of 37 to 48 blocks, each in the next of 24 pages that come round again: some pages get
   * just as many stores in an epoch as a page may have that leaves DRAM, others one more.
   */
  private static long risingRuns(long i) {
    int from = 37;
    int lengths = 12;
    long left = i % ((2L * from + lengths - 1) * lengths);
    int page = 0;
    for (int run = from; left >= run; run = from + page % lengths) {
      left -= run;
      page++;
    }
    return 64L * page + left;
  }

  /** What the oracle met in all runs, so that we know that they are not all of one kind. */
  private long replaced;

  private long demoted;
  private long loans;
  private int whole;
  private int runs;

  @ParameterizedTest
  @ValueSource(ints = {0, 10, 1000})
  void anyPatternSeedAndTableGivesTheCountsOfTheOracle(long overlap) {
    int combination = 0;
    for (int blockEntries : new int[] {64, 100, 512}) {
      for (int pages : new int[] {8, 50}) {
        for (boolean quirks : new boolean[] {true, false}) {
          for (Pattern pattern : PATTERNS) {
            if (combination++ % STRIDE != 0 && !pattern.equals(RISING_RUNS)) {
              continue;
            }
            long seed = 1000L * blockEntries + pages;
            compare(new ExactCounts(pattern, STORES, overlap, blockEntries, pages, seed, quirks));
          }
        }
      }
    }
    assertThat(whole).isGreaterThan(runs * 3 / 4);
    assertThat(replaced).isGreaterThan(STRIDE == 1 ? 150 : 20);
    assertThat(demoted).isGreaterThan(STRIDE == 1 ? 100 : 10);
    assertThat(loans > (STRIDE == 1 ? 100 : 20)).isEqualTo(overlap > 0);
  }

  private void compare(ExactCounts run) {
    ControllerOracle one = new ControllerOracle(run, Choice.ANY).count();
    runs++;
    replaced += one.pagesReplaced();
    demoted += one.pagesDemoted();
    loans += one.loans();
    boolean orderMatters =
        !Stream.of(Choice.LOWEST, Choice.HIGHEST)
            .allMatch(
                choice -> new ControllerOracle(run, choice).count().counts().equals(one.counts()));
    if (orderMatters) {
      ControllerOracle first = new ControllerOracle(run, Choice.NONE).count();
      ExactCounts part =
          new ExactCounts(
              run.pattern(),
              first.stores(),
              run.overlap(),
              run.blockEntries(),
              run.pages(),
              run.seed(),
              run.quirks());
      assertThat(part.run()).as(part.toString()).isEqualTo(first.counts());
    } else {
      whole++;
      assertThat(run.run()).as(run.toString()).isEqualTo(one.counts());
    }
  }

  /** The oracle has the published counts too, where its choice does not matter. */
  @Tag("campaign")
  @Test
  void theOracleHasThePublishedCounts() {
    Counts counters =
        new ControllerOracle(ExactCounts.published(Pattern.RANDOM, 1000), Choice.ANY)
            .count()
            .counts();
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
