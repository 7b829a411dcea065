package io.howdah.nvmsim.persistency;

/**
 * What a model may do to one thread's order. Two sets of persists belong to the thread: those
 * <em>seen</em>, which its accesses so far in this strand are or depend on, and those
 * <em>ordered</em>, which everything it does from now on comes after. A wait for durability adds a
 * third: what the thread has waited for, in whatever strand, stays ordered before all it does.
 */
public interface ThreadOrder {
  /** All that was seen is ordered before what follows: the effect of a persist barrier. */
  void orderSeen();

  /**
   * What was stored last to these bytes, by any thread, becomes part of what {@link
   * #orderWrittenBack} orders: the effect of a write-back.
   */
  void writeBack(long address, int size);

  /** All that was written back is ordered before what follows: the effect of a fence. */
  void orderWrittenBack();

  /** Only what was waited for is still seen and ordered: the effect of a new strand. */
  void forget();

  /**
   * All that the thread ever saw, in every strand of it, is durable: the effect of a persist sync.
   * What follows comes after it, in later strands too.
   */
  void waited();
}
