package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * A structure in a {@link TracedHeap} and the operations that make up its transactions. One of your
 * own comes with a {@link WorkloadProvider}.
 */
public interface TransactionalWorkload {
  /** Fills the structure to the size it is measured at; not recorded. */
  void populate(SplitMix random);

  /** One operation, in a transaction. */
  void operate(SplitMix random);

  /** Walks the structure and throws {@link IllegalStateException} if it is not well formed. */
  void check();
}
