package io.howdah.nvmsim.persistency;

/**
 * What a model may do to one thread's order. Two sets of persists belong to the thread: those
 * <em>seen</em>, which its accesses so far in this strand are or depend on, and those
 * <em>ordered</em>, which everything it does from now on comes after.
 */
public interface ThreadOrder {
  /** All that was seen is ordered before what follows: the effect of a persist barrier. */
  void orderSeen();

  /** Nothing is seen or ordered any more: the effect of a new strand. */
  void forget();
}
