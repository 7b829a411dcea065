package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.thynvm.system.ThyNvmSetting;
import java.util.List;

/**
 * What a study runs.
 *
 * @param modes in this order
 * @param blockEntries BTT entries
 * @param dramPages pages of DRAM, and PTT entries
 * @param epochMs longest epoch in mode {@code paper}
 * @param scale of the micro-benchmarks; 3 is the paper's
 * @param seed of every random number
 * @param quick fewer requests and one size, for a look and for tests
 */
public record ThyNvmPlan(
    List<Mode> modes,
    int blockEntries,
    int dramPages,
    double epochMs,
    int scale,
    long seed,
    boolean quick) {
  private static final double PS_PER_MS = 1e9;
  private static final int MAX_BTT = 1 << 20;
  private static final int MAX_PAGES = 1 << 18;
  private static final double MAX_EPOCH_MS = 10_000;

  /** Beyond, the pattern {@code random} would not fit the physical address space of 2 GB. */
  private static final int MAX_SCALE = 4;

  public ThyNvmPlan {
    modes = List.copyOf(modes);
    check("BTT entries", blockEntries, 16, MAX_BTT);
    check("PTT entries", dramPages, 16, MAX_PAGES);
    check("scale", scale, 1, MAX_SCALE);
    if (!(epochMs >= 0.01 && epochMs <= MAX_EPOCH_MS)) {
      throw new IllegalArgumentException("epoch must be 0.01 to 10000 ms: " + epochMs);
    }
  }

  private static void check(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " must be " + min + " to " + max + ": " + value);
    }
  }

  /** Whether these are the paper's sizes, so that its figures can be compared. */
  public boolean isPublished() {
    return blockEntries == ThyNvmSetting.PAPER.blockEntries()
        && dramPages == ThyNvmSetting.PAPER.dramPages()
        && epochMs * PS_PER_MS == ThyNvmSetting.PAPER.epochPs();
  }

  ThyNvmSetting setting(Mode mode) {
    return mode == Mode.ARTIFACT
        ? ThyNvmSetting.ARTIFACT.withBlockEntries(blockEntries).withDramPages(dramPages)
        : ThyNvmSetting.PAPER
            .withBlockEntries(blockEntries)
            .withDramPages(dramPages)
            .withEpochPs((long) (epochMs * PS_PER_MS));
  }
}
