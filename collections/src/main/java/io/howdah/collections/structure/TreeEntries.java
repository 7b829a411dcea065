package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.core.layout.EntryLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.stm.TxContext;

/**
 * The keys and values of a {@link Tree}: how they are compared, read and written. {@link
 * EntryLayout} describes their blocks. Thread-safe.
 */
final class TreeEntries {

  private static final String KEY = "the key of an entry";
  private static final String VALUE = "the value of an entry";

  private final boolean fixedKeys;
  private final int valueFixed;
  private final boolean inlineValues;

  /**
   * Works on the entries of a tree.
   *
   * @param fixedKeys whether all keys have 8 bytes
   * @param valueFixed length of all values in bytes, or {@link io.howdah.codec.Codec#VARIABLE}
   */
  TreeEntries(boolean fixedKeys, int valueFixed) {
    this.fixedKeys = fixedKeys;
    this.valueFixed = valueFixed;
    this.inlineValues = fixedKeys && CollectionHeader.isInline(valueFixed);
  }

  /** Returns whether all keys have 8 bytes, so that their words are all of them. */
  boolean hasFixedKeys() {
    return fixedKeys;
  }

  /** Returns whether leaves hold the values themselves, and no addresses of entries. */
  boolean hasInlineValues() {
    return inlineValues;
  }

  /** Returns whether the word of a key holds a part of it only. */
  boolean isLongKey(long word) {
    return !fixedKeys && TreeLayout.isLongKey(word);
  }

  /** Returns the word of the key in an image. */
  long keyWord(Encoder image, int keyLength) {
    return keyWord(image, KEY_OFFSET, keyLength);
  }

  /** Returns the word of a key among other bytes. */
  long keyWord(Encoder bytes, int offset, int keyLength) {
    long first = bytes.bigEndianWord(offset);
    return fixedKeys ? first : TreeLayout.keyWord(first, keyLength);
  }

  /** Compares the key in the image with a stored key: its word, and the block with all of it. */
  private int compare(
      TxContext context, Encoder image, long word, int keyLength, long otherWord, long otherBlock) {
    if (word != otherWord) {
      return Long.compareUnsigned(word, otherWord);
    }
    if (fixedKeys || !TreeLayout.isLongKey(word)) {
      return 0;
    }
    int otherLength = keyLength(context, otherBlock);
    int common = Math.min(keyLength, otherLength);
    for (int at = 0; at < common; at += Long.BYTES) {
      long mine = image.bigEndianWord(KEY_OFFSET + at);
      long other = Long.reverseBytes(context.getUnchecked(otherBlock + KEY_OFFSET + at));
      if (common - at < Long.BYTES) {
        long mask = -1L << (Long.SIZE - (common - at) * Byte.SIZE);
        mine &= mask;
        other &= mask;
      }
      if (mine != other) {
        return Long.compareUnsigned(mine, other);
      }
    }
    return Integer.compare(keyLength, otherLength);
  }

  /**
   * Returns the index of the key in a leaf. If it is not there, returns -1 less the index at which
   * it would be inserted.
   */
  int searchLeaf(TxContext context, long leaf, long order, long word, int keyLength) {
    Encoder image = CollectionScratch.of(context).image;
    int low = 0;
    int high = TreeLayout.count(order) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = leaf + (long) TreeLayout.slot(order, middle) * Long.BYTES;
      long otherWord = context.getUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET);
      long other =
          otherWord == word && !fixedKeys ? context.getUnchecked(at + TreeLayout.VALUES_OFFSET) : 0;
      int comparison = compare(context, image, word, keyLength, otherWord, other);
      if (comparison == 0) {
        return middle;
      }
      if (comparison < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return -1 - low;
  }

  /** Returns the index of the child for the key; the first child has index 0. */
  int searchNode(
      TxContext context, Encoder image, long node, long order, long word, int keyLength) {
    int low = 0;
    int high = TreeLayout.count(order) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = node + (long) TreeLayout.slot(order, middle) * Long.BYTES;
      long otherWord = context.getUnchecked(at + TreeLayout.KEYS_OFFSET);
      long longKey =
          otherWord == word && !fixedKeys
              ? context.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET)
              : 0;
      if (compare(context, image, word, keyLength, otherWord, longKey) < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Returns the length of the key in an entry, or in the block of a long key. */
  static int keyLength(TxContext context, long block) {
    StoredNumbers.block(context, block, Long.BYTES, block, KEY);
    int length = EntryLayout.keyLength(context.getUnchecked(block));
    StoredNumbers.length(context, length, EntryLimits.MAX_KEY_BYTES, block, KEY);
    StoredNumbers.end(context, block, KEY_OFFSET + (long) length, KEY);
    return length;
  }

  /** Returns the value that a leaf's word stands for. */
  Decoder value(TxContext context, long word) {
    if (inlineValues) {
      CollectionScratch scratch = CollectionScratch.of(context);
      Encoder other = scratch.other;
      other.clear();
      other.putLong(word);
      scratch.decoder.wrap(other.array(), 0, valueFixed);
      return scratch.decoder;
    }
    if (fixedKeys) {
      StoredNumbers.block(context, word, Long.BYTES, word, VALUE);
      return decoder(context, word, Integer.BYTES, (int) context.getUnchecked(word));
    }
    int offset = KEY_OFFSET + keyLength(context, word);
    return decoder(context, word, offset, (int) (context.getUnchecked(word) >>> Integer.SIZE));
  }

  private static Decoder decoder(TxContext context, long block, int offset, int length) {
    StoredNumbers.length(context, length, EntryLimits.MAX_CHANGE_BYTES, block, VALUE);
    StoredNumbers.end(context, block, (long) offset + length, VALUE);
    int first = offset & -Long.BYTES;
    int words = (offset + length - first + Long.BYTES - 1) / Long.BYTES;
    CollectionScratch scratch = CollectionScratch.of(context);
    byte[] bytes = scratch.bytes(words * Long.BYTES);
    context.getRange(block + first, bytes, 0, words);
    Decoder decoder = scratch.decoder;
    decoder.wrap(bytes, offset - first, length);
    scratch.treeEntryBytes = offset + length;
    return decoder;
  }

  /** Returns the key of a leaf, from its word or its entry. */
  Decoder key(TxContext context, long word, long entry) {
    if (fixedKeys) {
      CollectionScratch scratch = CollectionScratch.of(context);
      Encoder other = scratch.other;
      other.clear();
      other.putBigEndianLong(word);
      scratch.decoder.wrap(other.array(), 0, Long.BYTES);
      return scratch.decoder;
    }
    return decoder(context, entry, KEY_OFFSET, keyLength(context, entry));
  }

  /**
   * Returns the word of a leaf for the value in the image, whose entry is written if it has one.
   */
  long newValue(TxContext context, int keyLength) {
    if (inlineValues) {
      return CollectionScratch.of(context).image.word(valueOffset(keyLength)) & inlineMask();
    }
    int from = fixedKeys ? prepareFixed(context, keyLength) : prepareVariable(context, keyLength);
    Encoder image = CollectionScratch.of(context).image;
    int bytes = image.length() - from;
    long entry = context.heap.allocateUncleared(bytes);
    context.putRange(entry, image.array(), from, (bytes + Long.BYTES - 1) / Long.BYTES);
    return entry;
  }

  /** Returns the length of the entry that the key and value in the image need; not inline ones. */
  int entryBytes(TxContext context, int keyLength) {
    int from = fixedKeys ? fixedFrom(keyLength) : 0;
    return CollectionScratch.of(context).image.length() - from;
  }

  /** Returns where in an image an entry begins whose key the leaf has: with its length. */
  private static int fixedFrom(int keyLength) {
    return valueOffset(keyLength) - Integer.BYTES;
  }

  private long inlineMask() {
    return valueFixed == Long.BYTES ? -1L : (1L << (valueFixed * Byte.SIZE)) - 1;
  }

  private static int valueOffset(int keyLength) {
    return KEY_OFFSET + keyLength;
  }

  /**
   * Sets the length before the value, over the key's last bytes; returns where the entry begins.
   */
  private static int prepareFixed(TxContext context, int keyLength) {
    Encoder image = CollectionScratch.of(context).image;
    int from = fixedFrom(keyLength);
    image.setInt(from, image.length() - from - Integer.BYTES);
    image.padFrom(from);
    return from;
  }

  private static int prepareVariable(TxContext context, int keyLength) {
    Encoder image = CollectionScratch.of(context).image;
    image.setInt(0, keyLength);
    image.setInt(Integer.BYTES, image.length() - valueOffset(keyLength));
    return 0;
  }

  void replace(TxContext context, long at, int keyLength) {
    if (inlineValues) {
      context.putUnchecked(at, newValue(context, keyLength));
      return;
    }
    long old = context.getUnchecked(at);
    long lengths = context.getUnchecked(old);
    long oldBytes =
        fixedKeys
            ? Integer.BYTES + (lengths & 0xFFFF_FFFFL)
            : KEY_OFFSET + (lengths & 0xFFFF_FFFFL) + (lengths >>> 32);
    Encoder image = CollectionScratch.of(context).image;
    int from = fixedKeys ? prepareFixed(context, keyLength) : prepareVariable(context, keyLength);
    int bytes = image.length() - from;
    if (HeapSession.isSameBlockLength(oldBytes, bytes)) {
      context.putRange(old, image.array(), from, (bytes + Long.BYTES - 1) / Long.BYTES);
      return;
    }
    context.heap.free(old);
    context.putUnchecked(at, newValue(context, keyLength));
  }
}
