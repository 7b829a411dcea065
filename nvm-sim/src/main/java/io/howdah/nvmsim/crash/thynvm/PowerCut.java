package io.howdah.nvmsim.crash.thynvm;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.thynvm.control.Counters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Recovers what a power failure may leave, and compares it with what software saw. */
final class PowerCut {
  private static final int MAX_VIOLATIONS = 5;
  private static final int MAX_RECOVERY_CUTS = 6;
  private static final int RANDOM_SUBSETS = 32;

  private final NvmCells cells;
  private final List<long[]> golden;
  private final SplitMix random;
  private final long[] image;
  private final List<String> violations = new ArrayList<>();
  private long points;
  private long states;
  private long cutRecoveries;

  /** With {@code golden} memory as software saw it at the end of each epoch, from epoch 0. */
  PowerCut(NvmCells cells, List<long[]> golden, int homeBlocks, SplitMix random) {
    this.cells = cells;
    this.golden = golden;
    this.random = random;
    image = new long[homeBlocks];
  }

  CrashResult result(Counters done) {
    return new CrashResult(
        points,
        states,
        cutRecoveries,
        done.pagesToDram(),
        done.pagesToNvm(),
        done.swaps(),
        violations);
  }

  boolean foundAny() {
    return !violations.isEmpty();
  }

  /**
   * Cuts the power with some of the writes under way done, for up to so many choices.
   *
   * @param leastEpoch of the last checkpoint that software knows to be complete
   */
  void check(long[] durable, WritesUnderWay writes, long leastEpoch, int maxSubsets) {
    points++;
    int count = writes.count();
    boolean all = count < Integer.SIZE - 1 && 1L << count <= maxSubsets;
    int subsets = all ? 1 << count : Math.min(maxSubsets, 2 + 2 * count + RANDOM_SUBSETS);
    for (int subset = 0; subset < subsets; subset++) {
      long[] nvm = durable.clone();
      for (int i = 0; i < count; i++) {
        if (isDone(subset, i, count, all)) {
          nvm[writes.cell(i)] = writes.value(i);
        }
      }
      check(nvm, leastEpoch);
    }
  }

  /** None, all, all but one, one alone; the rest at random. */
  private boolean isDone(int subset, int write, int count, boolean all) {
    if (all) {
      return (subset >>> write & 1) != 0;
    }
    if (subset < 2) {
      return subset == 1;
    }
    if (subset < 2 + count) {
      return write != subset - 2;
    }
    return subset < 2 + 2 * count ? write == subset - 2 - count : (random.next() & 1) != 0;
  }

  private void check(long[] nvm, long leastEpoch) {
    states++;
    long epoch = Recovery.epoch(cells, nvm);
    if (epoch < leastEpoch || epoch >= golden.size()) {
      violation("recovers epoch " + epoch + ", epoch " + leastEpoch + " was complete");
      return;
    }
    long[] again = random.below(MAX_RECOVERY_CUTS) == 0 ? nvm.clone() : null;
    Recovery.run(cells, nvm, Integer.MAX_VALUE);
    compare(nvm, epoch, "");
    if (again != null) {
      for (int writes = 1; writes <= MAX_RECOVERY_CUTS; writes++) {
        long[] cut = again.clone();
        boolean ended = Recovery.run(cells, cut, writes);
        Recovery.run(cells, cut, Integer.MAX_VALUE);
        cutRecoveries++;
        compare(cut, epoch, ", after a recovery cut at write " + writes);
        if (ended) {
          break;
        }
      }
    }
  }

  private void compare(long[] nvm, long epoch, String how) {
    long[] wanted = golden.get((int) epoch);
    Recovery.image(cells, nvm, image);
    int at = Arrays.mismatch(image, wanted);
    if (at >= 0) {
      violation("block " + at + " is not as at the end of epoch " + epoch + how);
    } else if (epoch > 0 && nvm[cells.registers(epoch)] != epoch) {
      violation("registers are not those of epoch " + epoch + how);
    }
  }

  private void violation(String what) {
    if (violations.size() < MAX_VIOLATIONS) {
      violations.add("point " + points + ": " + what);
    }
  }
}
