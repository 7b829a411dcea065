package io.howdah.nvmsim.px86;

/**
 * Ways to get the machine wrong, one at a time. They exist to prove that the litmus tests would
 * notice: each makes some test fail.
 */
public enum Quirk {
  /** A load does not see the thread's own buffered stores. */
  NO_STORE_FORWARDING,
  /** A load waits for the store buffer: sequential consistency. */
  LOADS_DRAIN_STORES,
  /** A load sees only what is durable. */
  LOADS_SEE_DURABLE_ONLY,
  /** A store may overtake an older store. */
  STORES_REORDER,
  /** A store waits for older clwb and clflushopt. */
  STORES_WAIT_FOR_CLWB,
  /** clwb and clflushopt are ordered like clflush. */
  CLWB_AS_CLFLUSH,
  /** clflush is ordered like clwb. */
  CLFLUSH_AS_CLWB,
  /** clwb may overtake an older store to its own line. */
  CLWB_OVERTAKES_OWN_LINE,
  /** clflush may overtake an older store to another line. */
  CLFLUSH_OVERTAKES_STORES,
  /** clflush waits for older clwb of other lines. */
  CLFLUSH_WAITS_FOR_CLWB,
  /** clwb waits for older clflush of other lines. */
  CLWB_WAITS_FOR_CLFLUSH,
  /** clwb after sfence may overtake it. */
  CLWB_OVERTAKES_SFENCE,
  /** sfence does not wait for older clwb. */
  SFENCE_OVERTAKES_CLWB,
  /** A store may overtake an older sfence. */
  STORES_OVERTAKE_SFENCE,
  /** mfence does nothing. */
  MFENCE_IGNORED,
  /** mfence waits for stores, not for clwb. */
  MFENCE_IGNORES_CLWB,
  /** A locked instruction does not wait for the store buffer. */
  ATOMICS_DO_NOT_DRAIN,
  /** A locked instruction waits for stores, not for clwb. */
  ATOMICS_IGNORE_CLWB,
  /** A compare-and-set that fails is an ordinary load. */
  FAILED_CAS_IS_LOAD,
  /** Stores to one line may become durable out of order. */
  LINE_ORDER_IGNORED,
  /** All stores become durable in the order they became visible. */
  PERSISTS_IN_ORDER,
  /** A write-back covers its own word, not the line. */
  FLUSH_COVERS_WORD_ONLY,
  /** A write-back is done without its line's stores being durable. */
  FLUSH_DOES_NOT_WAIT,
  /** A store may become durable before an older write-back is done. */
  STORES_OVERTAKE_FLUSH
}
