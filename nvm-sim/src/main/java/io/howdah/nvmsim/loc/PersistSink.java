package io.howdah.nvmsim.loc;

/**
 * Sees what a protocol sends to non-volatile memory, with contents, in the order of sending.
 * Nothing is durable before the wait that follows it; between waits, lines become durable in any
 * order.
 */
public interface PersistSink {
  /** A line is on its way; {@code words} are copied from the offset. */
  void line(long line, long[] words, int offset);

  /**
   * A block group is on its way and becomes durable as a whole.
   *
   * @param line of its first block
   * @param blocks in use, from the first on; the last line of the group is always written
   */
  void group(long line, long[] words, int blocks);

  /** Everything sent so far is durable. */
  void waited();

  /** Software is told that all transactions up to this one are committed. */
  void reported(long txId);
}
