package io.howdah.collections.structure;

import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.txn.words.Words;

/** Reads and writes the words that the header of every collection begins with. */
public final class CollectionHeader {

  private CollectionHeader() {}

  /** Writes them into a new collection. */
  public static void write(
      Words words, long header, long magic, long incarnation, int keyLength, int valueLength) {
    words.putUnchecked(header + CollectionHeaderLayout.MAGIC_OFFSET, magic);
    words.putUnchecked(header + CollectionHeaderLayout.INCARNATION_OFFSET, incarnation);
    words.putUnchecked(
        header + CollectionHeaderLayout.LENGTHS_OFFSET,
        CollectionHeaderLayout.lengths(keyLength, valueLength));
  }

  /** Returns the length of all keys, or {@link CollectionHeaderLayout#VARIABLE}. */
  public static int keyLength(Words words, long header) {
    return CollectionHeaderLayout.keyLength(
        words.getUnchecked(header + CollectionHeaderLayout.LENGTHS_OFFSET));
  }

  /** Returns the length of all values or elements, or {@link CollectionHeaderLayout#VARIABLE}. */
  public static int valueLength(Words words, long header) {
    return CollectionHeaderLayout.valueLength(
        words.getUnchecked(header + CollectionHeaderLayout.LENGTHS_OFFSET));
  }

  /** Returns whether values of a length, or of different lengths, fit into a word. */
  public static boolean isInline(int valueLength) {
    return valueLength != CollectionHeaderLayout.VARIABLE && valueLength <= Long.BYTES;
  }

  /** Gives a collection another incarnation: handles of it that are still in use notice. */
  public static void setIncarnation(Words words, long header, long incarnation) {
    words.putUnchecked(header + CollectionHeaderLayout.INCARNATION_OFFSET, incarnation);
  }

  /**
   * Marks a collection as dropped, before its blocks are freed: handles of it that are still in use
   * notice.
   */
  public static void markDropped(Words words, long header) {
    setIncarnation(words, header, 0);
  }
}
