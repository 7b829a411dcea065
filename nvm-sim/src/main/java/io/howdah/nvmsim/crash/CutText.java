package io.howdah.nvmsim.crash;

import java.util.BitSet;

/** A set of persists as a line of text: {@code 0-3,7}. */
public final class CutText {
  /** More persists than a persist DAG can have. */
  private static final int MAX_ID = 1 << 20;

  private CutText() {}

  public static String format(BitSet persists) {
    StringBuilder text = new StringBuilder();
    int from = persists.nextSetBit(0);
    while (from >= 0) {
      int to = persists.nextClearBit(from) - 1;
      text.append(text.isEmpty() ? "" : ",").append(from);
      if (to > from) {
        text.append('-').append(to);
      }
      from = persists.nextSetBit(to + 1);
    }
    return text.toString();
  }

  /**
   * Reads a set; empty text is the empty set.
   *
   * @throws IllegalArgumentException if it is none, naming the part
   */
  public static BitSet parse(String text) {
    BitSet persists = new BitSet();
    if (text.isEmpty()) {
      return persists;
    }
    for (String part : text.split(",", -1)) {
      int dash = part.indexOf('-');
      try {
        int from = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
        int to = dash < 0 ? from : Integer.parseInt(part.substring(dash + 1));
        if (from < 0 || to < from || to > MAX_ID) {
          throw new NumberFormatException("out of range");
        }
        persists.set(from, to + 1);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "cut part \"" + part + "\" is neither an id nor FROM-TO", e);
      }
    }
    return persists;
  }
}
