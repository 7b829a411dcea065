package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.List;

/**
 * What a study of Loose-Ordering Consistency runs.
 *
 * @param workloads at least one of the paper's, for the mean
 * @param transactions per run, of one operation each; runs with larger transactions do as many
 *     operations
 * @param seeds per headline figure
 * @param quick the headline only, without sensitivity, calibration and other devices, and a tenth
 *     of the power cuts
 */
public record LocPlan(List<WorkloadKind> workloads, int transactions, int seeds, boolean quick) {
  /** Fewer would not fill a few windows of the largest degree. */
  public static final int MIN_TRANSACTIONS = 256;

  public static final int MAX_TRANSACTIONS = 200_000;
  public static final int MAX_SEEDS = 100;

  public LocPlan {
    workloads = List.copyOf(workloads);
    if (workloads.stream().allMatch(kind -> kind == WorkloadKind.TPCB)) {
      throw new IllegalArgumentException(
          "the mean needs one of the paper's workloads: " + workloads);
    }
    checkTransactions(transactions);
    checkSeeds(seeds);
  }

  /** Refuses a number of transactions that is too small or too large. */
  public static void checkTransactions(int transactions) {
    check("transactions", transactions, MIN_TRANSACTIONS, MAX_TRANSACTIONS);
  }

  /** Refuses a number of seeds that is too small or too large. */
  public static void checkSeeds(int seeds) {
    check("seeds", seeds, 1, MAX_SEEDS);
  }

  private static void check(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " must be " + min + " to " + max + ": " + value);
    }
  }
}
