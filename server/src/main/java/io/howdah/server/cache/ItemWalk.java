package io.howdah.server.cache;

/**
 * A way through all items, for dumps. Sees every item that is there during the whole walk exactly
 * once; an item that comes or goes meanwhile may be seen. Holds no transaction between calls. For
 * one thread at a time.
 */
public interface ItemWalk {

  /**
   * Calls a function with the next items.
   *
   * @param count how many at most
   * @return false if there are no more
   */
  boolean next(int count, Visitor visitor);

  /** What is called with each item. */
  @FunctionalInterface
  interface Visitor {

    /** Takes one item, which has not expired. */
    void accept(byte[] key, ItemFacts item);
  }
}
