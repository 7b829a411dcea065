package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.EntryLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.words.Words;

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

  /** Returns whether leaves contain the values, and not the addresses of entries. */
  boolean hasInlineValues() {
    return inlineValues;
  }

  /** Returns whether the word of a key contains only a part of the key. */
  boolean isLongKey(long word) {
    return !fixedKeys && TreeLayout.isLongKey(word);
  }

  /** Returns the word of the key in an image. */
  long keyWord(EncodingBuffer image, int keyLength) {
    return keyWord(image, KEY_OFFSET, keyLength);
  }

  /** Returns the word of a key among other bytes. */
  long keyWord(EncodingBuffer bytes, int offset, int keyLength) {
    long first = bytes.bigEndianWord(offset);
    return fixedKeys ? first : TreeLayout.keyWord(first, keyLength);
  }

  /** Compares the key in the image with a stored key: its word, and the block with all of it. */
  private int compare(
      Words words,
      EncodingBuffer image,
      long word,
      int keyLength,
      long otherWord,
      long otherBlock) {
    if (word != otherWord) {
      return Long.compareUnsigned(word, otherWord);
    }
    if (fixedKeys || !TreeLayout.isLongKey(word)) {
      return 0;
    }
    int otherLength = keyLength(words, otherBlock);
    int common = Math.min(keyLength, otherLength);
    for (int at = 0; at < common; at += Long.BYTES) {
      long mine = image.bigEndianWord(KEY_OFFSET + at);
      long other = Long.reverseBytes(words.getUnchecked(otherBlock + KEY_OFFSET + at));
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
  int searchLeaf(Words words, long leaf, long order, long word, int keyLength) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    int low = 0;
    int high = TreeLayout.count(order) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = leaf + (long) TreeLayout.slot(order, middle) * Long.BYTES;
      long otherWord = words.getUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET);
      long other =
          otherWord == word && !fixedKeys ? words.getUnchecked(at + TreeLayout.VALUES_OFFSET) : 0;
      int comparison = compare(words, image, word, keyLength, otherWord, other);
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
      Words words, EncodingBuffer image, long node, long order, long word, int keyLength) {
    int low = 0;
    int high = TreeLayout.count(order) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = node + (long) TreeLayout.slot(order, middle) * Long.BYTES;
      long otherWord = words.getUnchecked(at + TreeLayout.KEYS_OFFSET);
      long longKey =
          otherWord == word && !fixedKeys
              ? words.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET)
              : 0;
      if (compare(words, image, word, keyLength, otherWord, longKey) < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Returns the length of the key in an entry, or in the block of a long key. */
  static int keyLength(Words words, long block) {
    StoredNumbers.block(words, block, Long.BYTES, block, KEY);
    int length = EntryLayout.keyLength(words.getUnchecked(block));
    StoredNumbers.length(words, length, EntryLimits.MAX_KEY_BYTES, block, KEY);
    StoredNumbers.end(words, block, KEY_OFFSET + (long) length, KEY);
    return length;
  }

  /** Returns the value of a leaf's word. */
  DecodingBuffer value(Words words, long word) {
    if (inlineValues) {
      CollectionScratch scratch = CollectionScratch.of(words);
      EncodingBuffer other = scratch.other;
      other.clear();
      other.putLong(word);
      scratch.decoder.wrap(other.array(), 0, valueFixed);
      return scratch.decoder;
    }
    if (fixedKeys) {
      StoredNumbers.block(words, word, Long.BYTES, word, VALUE);
      return decoder(words, word, Integer.BYTES, (int) words.getUnchecked(word));
    }
    int offset = KEY_OFFSET + keyLength(words, word);
    return decoder(words, word, offset, (int) (words.getUnchecked(word) >>> Integer.SIZE));
  }

  private static DecodingBuffer decoder(Words words, long block, int offset, int length) {
    StoredNumbers.length(words, length, EntryLimits.MAX_CHANGE_BYTES, block, VALUE);
    StoredNumbers.end(words, block, (long) offset + length, VALUE);
    int first = offset & -Long.BYTES;
    int count = (offset + length - first + Long.BYTES - 1) / Long.BYTES;
    CollectionScratch scratch = CollectionScratch.of(words);
    byte[] bytes = scratch.bytes(count * Long.BYTES);
    words.getRange(block + first, bytes, 0, count);
    DecodingBuffer decoder = scratch.decoder;
    decoder.wrap(bytes, offset - first, length);
    scratch.treeEntryBytes = offset + length;
    return decoder;
  }

  /** Returns the key of a leaf, from its word or its entry. */
  DecodingBuffer key(Words words, long word, long entry) {
    if (fixedKeys) {
      CollectionScratch scratch = CollectionScratch.of(words);
      EncodingBuffer other = scratch.other;
      other.clear();
      other.putBigEndianLong(word);
      scratch.decoder.wrap(other.array(), 0, Long.BYTES);
      return scratch.decoder;
    }
    return decoder(words, entry, KEY_OFFSET, keyLength(words, entry));
  }

  /**
   * Returns the word of a leaf for the value in the image, whose entry is written if it has one.
   */
  long newValue(Words words, int keyLength) {
    if (inlineValues) {
      return CollectionScratch.of(words).image.word(valueOffset(keyLength)) & inlineMask();
    }
    int from = fixedKeys ? prepareFixed(words, keyLength) : prepareVariable(words, keyLength);
    EncodingBuffer image = CollectionScratch.of(words).image;
    int bytes = image.length() - from;
    long entry = words.heap.allocateUncleared(bytes);
    words.putRange(entry, image.array(), from, (bytes + Long.BYTES - 1) / Long.BYTES);
    return entry;
  }

  /** Returns the length of the entry that the key and value in the image need; not inline ones. */
  int entryBytes(Words words, int keyLength) {
    int from = fixedKeys ? fixedFrom(keyLength) : 0;
    return CollectionScratch.of(words).image.length() - from;
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
  private static int prepareFixed(Words words, int keyLength) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    int from = fixedFrom(keyLength);
    image.setInt(from, image.length() - from - Integer.BYTES);
    image.padFrom(from);
    return from;
  }

  private static int prepareVariable(Words words, int keyLength) {
    EncodingBuffer image = CollectionScratch.of(words).image;
    image.setInt(0, keyLength);
    image.setInt(Integer.BYTES, image.length() - valueOffset(keyLength));
    return 0;
  }

  void replace(Words words, long at, int keyLength) {
    if (inlineValues) {
      words.putUnchecked(at, newValue(words, keyLength));
      return;
    }
    long old = words.getUnchecked(at);
    long lengths = words.getUnchecked(old);
    long oldBytes =
        fixedKeys
            ? Integer.BYTES + (lengths & 0xFFFF_FFFFL)
            : KEY_OFFSET + (lengths & 0xFFFF_FFFFL) + (lengths >>> 32);
    EncodingBuffer image = CollectionScratch.of(words).image;
    int from = fixedKeys ? prepareFixed(words, keyLength) : prepareVariable(words, keyLength);
    int bytes = image.length() - from;
    if (HeapSession.isSameBlockLength(oldBytes, bytes)) {
      words.putRange(old, image.array(), from, (bytes + Long.BYTES - 1) / Long.BYTES);
      return;
    }
    words.heap.free(old);
    words.putUnchecked(at, newValue(words, keyLength));
  }
}
