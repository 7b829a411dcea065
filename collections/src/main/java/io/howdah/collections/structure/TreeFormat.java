package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;
import static io.howdah.core.layout.TreeNodeLayout.IN_BLOCK;
import static io.howdah.core.layout.TreeNodeLayout.MAX_ENTRY_BYTES;
import static io.howdah.core.layout.TreeNodeLayout.MAX_KEY_BYTES;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The keys and values of the nodes of a {@link Tree}: how entries are read, compared and written.
 * {@link TreeNodeLayout} describes them. Immutable and thread-safe.
 */
final class TreeFormat {

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private static final String KEY = "the key of an entry";
  private static final String VALUE = "the value of an entry";
  private static final int ADDRESS_BYTES = Long.BYTES;
  private static final int CHILD_BYTES = Long.BYTES;

  /** Where the value of an encoded entry begins whose key has 8 bytes. */
  private static final int FIXED_VALUE_OFFSET = KEY_OFFSET + Long.BYTES;

  private final boolean fixedKeys;
  private final int valueFixed;
  private final boolean wordValues;

  /**
   * Works on the entries of a tree.
   *
   * @param fixedKeys whether all keys have 8 bytes
   * @param valueFixed length of all values in bytes, or {@link io.howdah.codec.Codec#VARIABLE}
   */
  TreeFormat(boolean fixedKeys, int valueFixed) {
    this.fixedKeys = fixedKeys;
    this.valueFixed = valueFixed;
    this.wordValues = fixedKeys && CollectionHeader.isInline(valueFixed);
  }

  /** Returns whether all keys have 8 bytes, so that their heads are all of them. */
  boolean hasFixedKeys() {
    return fixedKeys;
  }

  /** Returns whether entries of leaves are words. */
  boolean hasWordValues() {
    return wordValues;
  }

  /** Returns how long the first leaf is. */
  int firstLeafBytes() {
    return wordValues ? TreeNodeLayout.SMALL.bytes : TreeNodeLayout.MIDDLE.bytes;
  }

  /** Returns how long a leaf is for entries of which some have so many bytes together. */
  int leafBytes(int entryBytes, int entries) {
    if (wordValues) {
      return TreeNodeLayout.SMALL.bytes;
    }
    boolean isLong = entryBytes >= entries * TreeUpdate.LARGE_MEAN_BYTES;
    return isLong ? TreeNodeLayout.LARGE.bytes : TreeNodeLayout.MIDDLE.bytes;
  }

  /** Returns how long inner nodes are. */
  int innerBytes() {
    return fixedKeys ? TreeNodeLayout.SMALL.bytes : TreeNodeLayout.MIDDLE.bytes;
  }

  // ---- Entries in the image of a node.

  private static boolean isInner(NodeImage image) {
    return TreeNodeLayout.level(image.words[0]) > 0;
  }

  /** Returns the length of the entry at a word, whose first 16 bytes are read. */
  int entryBytes(Words words, NodeImage image, int at) {
    boolean isInner = isInner(image);
    long bytes;
    if (fixedKeys) {
      int length = isInner || wordValues ? -1 : (int) image.words[at];
      bytes =
          isInner || wordValues
              ? Long.BYTES
              : length < 0 ? Long.BYTES + ADDRESS_BYTES : Integer.BYTES + (long) length;
    } else if (isInner) {
      bytes = CHILD_BYTES + KEY_OFFSET + keyPart((int) image.words[at + 1]);
    } else {
      long lengths = image.words[at];
      bytes = KEY_OFFSET + keyAndValue((int) lengths, (int) (lengths >>> Integer.SIZE));
    }
    int left = image.layout().bytes - at * Long.BYTES;
    if (bytes > Math.min(left, MAX_ENTRY_BYTES)) {
      throw damaged(words, image.node(), "an entry with " + bytes + " bytes in a node of a tree");
    }
    return (int) bytes;
  }

  /** Returns how many words of an entry of a leaf have its lengths and the addresses of blocks. */
  int referencesWords(NodeImage leaf, int at) {
    long lengths = leaf.words[at];
    if (fixedKeys || lengths >= 0) {
      return 2;
    }
    return (int) Math.min((alignedKey(keyPart((int) lengths)) >>> 3) + 2, NodeLayout.MAX_WORDS);
  }

  private static long keyPart(int keyLength) {
    return keyLength < 0 ? ADDRESS_BYTES : keyLength;
  }

  private static long keyAndValue(int keyLength, int valueLength) {
    long key = keyPart(keyLength);
    return valueLength < 0 ? alignedKey(key) + ADDRESS_BYTES : key + valueLength;
  }

  /** Returns how many bytes a key takes before the address of a value. */
  private static long alignedKey(long keyPart) {
    return (keyPart + Long.BYTES - 1) & -Long.BYTES;
  }

  /** Returns the exception for a node whose words cannot be what a tree has written. */
  static RuntimeException damaged(Words words, long node, String what) {
    return words.inconsistentRead(NodeLayout.address(node), what);
  }

  /** Returns the word at which the entry with an index begins, at which an entry can be. */
  int entry(Words words, NodeImage image, int index) {
    int at = image.entry(index);
    if (at < 0 || at + (fixedKeys ? 0 : 1) >= image.layout().words) {
      throw damaged(words, image.node(), "the order of a node of a tree");
    }
    return at;
  }

  /** Copies the key of an entry, which is read; not for keys of 8 bytes. */
  void key(Words words, NodeImage image, int at, TreeKey target) {
    int lengthsAt = isInner(image) ? at + 1 : at;
    int length = (int) image.words[lengthsAt];
    if (length < 0) {
      block(words, image.words[lengthsAt + 1], length & ~IN_BLOCK, image.node(), target);
    } else {
      if (length > MAX_KEY_BYTES || length > (image.layout().words - lengthsAt - 1) * Long.BYTES) {
        throw damaged(words, image.node(), "a key with " + length + " bytes in a node of a tree");
      }
      copy(image.words, lengthsAt + 1, target.prepare(length), length);
    }
  }

  /** Copies a key from its block. */
  private static void block(Words words, long block, int length, long node, TreeKey target) {
    long from = NodeLayout.address(node);
    StoredNumbers.length(words, length, EntryLimits.MAX_KEY_BYTES, from, KEY);
    StoredNumbers.block(words, block, Math.max(length, Long.BYTES), from, KEY);
    words.getRange(block, target.prepare(length), 0, words(length));
  }

  private static void copy(long[] source, int at, byte[] target, int length) {
    for (int i = 0; i < length; i += Long.BYTES) {
      LONG.set(target, i, source[at + (i >>> 3)]);
    }
  }

  /** Returns how many words some bytes take. */
  static int words(int bytes) {
    return (bytes + Long.BYTES - 1) >>> 3;
  }

  /** Returns the reference of the child of an entry. */
  static long child(NodeImage image, int at) {
    return image.words[at];
  }

  /** Returns the block that has the key of an entry, or 0. */
  long keyBlock(NodeImage image, int at) {
    int lengthsAt = isInner(image) ? at + 1 : at;
    return !fixedKeys && (int) image.words[lengthsAt] < 0 ? image.words[lengthsAt + 1] : 0;
  }

  /** Returns the block that has the value of an entry of a leaf, or 0. */
  long valueBlock(NodeImage image, int at) {
    if (wordValues) {
      return 0;
    }
    if (fixedKeys) {
      return (int) image.words[at] < 0 ? image.words[at + 1] : 0;
    }
    long lengths = image.words[at];
    if (lengths >= 0) {
      return 0;
    }
    int keyWords = (int) (alignedKey(keyPart((int) lengths)) / Long.BYTES);
    return image.words[at + 1 + keyWords];
  }

  /** Returns the length of a value that is in a block. */
  private int blockValueLength(NodeImage image, int at) {
    long lengths = image.words[at];
    return (fixedKeys ? (int) lengths : (int) (lengths >>> Integer.SIZE)) & ~IN_BLOCK;
  }

  // ---- Fences.

  /** Copies the key of a fence. */
  void fence(Words words, NodeImage image, long fence, TreeKey target) {
    if (fixedKeys) {
      target.setFixed(fence);
      return;
    }
    int length = TreeNodeLayout.fenceLength(fence);
    long place = TreeNodeLayout.fencePlace(fence);
    if (TreeNodeLayout.isFenceInBlock(fence)) {
      block(words, place, length, image.node(), target);
      return;
    }
    boolean isPlaced = length > 0 || fence == 0; // the empty key has one form, that cursors know
    if (!isPlaced || length > image.layout().bytes - place || (place & (Long.BYTES - 1)) != 0) {
      throw damaged(words, image.node(), "a fence of a node of a tree");
    }
    copy(image.words, (int) place / Long.BYTES, target.prepare(length), length);
  }

  /** Returns whether a node has a high fence. */
  boolean hasHigh(NodeImage image) {
    return image.high() != (fixedKeys ? TreeNodeLayout.NO_HIGH : 0);
  }

  /** Returns the high fence that is none. */
  long noHigh() {
    return fixedKeys ? TreeNodeLayout.NO_HIGH : 0;
  }

  /** Returns the low fence of the first node of a level. */
  long lowest() {
    return fixedKeys ? Long.MIN_VALUE : 0;
  }

  /** Returns how many units of a node a fence takes. */
  int fenceUnits(NodeImage image, long fence) {
    return fixedKeys || fence == 0 || TreeNodeLayout.isFenceInBlock(fence)
        ? 0
        : image.layout().units(TreeNodeLayout.fenceLength(fence));
  }

  /** Returns the block with the key of a fence, or 0. */
  long fenceBlock(long fence) {
    return !fixedKeys && TreeNodeLayout.isFenceInBlock(fence)
        ? TreeNodeLayout.fencePlace(fence)
        : 0;
  }

  /** Writes the words of a key into the image of a node. */
  static void putKey(TreeKey key, long[] target, int at) {
    putBytes(key.bytes, key.offset, key.length, target, at);
  }

  /** Writes bytes into the image of a node; those behind the last one, in its word, are zeros. */
  static void putBytes(byte[] source, int offset, int length, long[] target, int at) {
    int whole = length & -Long.BYTES;
    for (int i = 0; i < whole; i += Long.BYTES) {
      target[at + (i >>> 3)] = (long) LONG.get(source, offset + i);
    }
    if (whole < length) {
      long last = 0;
      for (int i = length - 1; i >= whole; i--) {
        last = (last << Byte.SIZE) | (source[offset + i] & 0xFF);
      }
      target[at + (whole >>> 3)] = last;
    }
  }

  /** Returns whether two keys are equal. */
  boolean isEqual(TreeKey one, TreeKey other) {
    return one.isSame(other, fixedKeys);
  }

  /** Returns whether a key is less than another one. */
  boolean isLess(TreeKey one, TreeKey other) {
    return fixedKeys ? one.fixed < other.fixed : one.compareTo(other) < 0;
  }

  // ---- Encoded entries.

  /** Takes the key of an operation, which is in the encoder. */
  void take(EncodingBuffer image, int keyLength, TreeKey key) {
    if (fixedKeys) {
      key.setFixed(TreeNodeLayout.head(image.bigEndianWord(KEY_OFFSET)));
    } else {
      key.wrap(image.array(), KEY_OFFSET, keyLength);
    }
  }

  /**
   * Takes the key again after its entry was encoded: the encoder may have another array. A key of 8
   * bytes may be written over, but its head is known.
   */
  void retake(EncodingBuffer image, int keyLength, TreeKey key) {
    if (!fixedKeys) {
      key.wrap(image.array(), KEY_OFFSET, keyLength);
    }
  }

  /** Takes the key among other bytes, behind which there are 8 more. */
  void take(EncodingBuffer bytes, int offset, int keyLength, TreeKey key) {
    if (fixedKeys) {
      key.setFixed(TreeNodeLayout.head(bytes.bigEndianWord(offset)));
    } else {
      key.wrap(bytes.array(), offset, keyLength);
    }
  }

  /** Returns the head of a key in a node. */
  long head(TreeKey key, NodeImage image) {
    return fixedKeys ? key.fixed : key.head(image.prefix());
  }

  /** Returns whether a head stands for its key alone. */
  boolean isWhole(long head) {
    return fixedKeys || !TreeNodeLayout.isPart(head);
  }

  /**
   * Returns how many bytes an entry of a leaf takes, if keys have 8 bytes.
   *
   * @param first its first word
   * @return negative, or more than an entry can have, if its value is in a block or it is damaged
   */
  int inlineBytes(long first) {
    return wordValues ? Long.BYTES : Integer.BYTES + (int) first;
  }

  /**
   * Returns how many bytes the entry of a leaf will take for the key and value in the encoder, if
   * keys have 8 bytes; -1 if its value needs a block.
   */
  int inlineBytes(EncodingBuffer image, int keyLength) {
    int bytes = Integer.BYTES + image.length() - KEY_OFFSET - keyLength;
    return wordValues ? Long.BYTES : bytes <= MAX_ENTRY_BYTES ? bytes : -1;
  }

  /** Makes the entry of a leaf for the key and value in the encoder. */
  void encode(Words words, TreeScratch scratch, int keyLength) {
    encode(words, scratch, keyLength, 0, 0, 0);
  }

  /**
   * Makes the entry of a leaf that replaces another one.
   *
   * @param image the leaf
   * @param at the word of the other entry, which is read
   */
  void encodeReplacing(Words words, TreeScratch scratch, int keyLength, NodeImage image, int at) {
    long value = valueBlock(image, at);
    int valueLength = 0;
    if (value != 0) {
      valueLength = blockValueLength(image, at);
      long from = NodeLayout.address(image.node());
      StoredNumbers.length(words, valueLength, EntryLimits.MAX_CHANGE_BYTES, from, VALUE);
      StoredNumbers.block(words, value, Math.max(valueLength, Long.BYTES), from, VALUE);
    }
    encode(words, scratch, keyLength, keyBlock(image, at), value, valueLength);
  }

  private void encode(
      Words words,
      TreeScratch scratch,
      int keyLength,
      long oldKey,
      long oldValue,
      int oldValueLength) {
    CollectionScratch buffers = CollectionScratch.of(words);
    EncodingBuffer image = buffers.image;
    if (wordValues) {
      EncodingBuffer word = buffers.other;
      word.clear();
      word.putLong(image.word(FIXED_VALUE_OFFSET) & wordMask());
      entry(scratch, word, 0);
      return;
    }
    int valueOffset = KEY_OFFSET + keyLength;
    int valueLength = image.length() - valueOffset;
    boolean isKeyInBlock = !fixedKeys && keyLength > MAX_KEY_BYTES;
    int before =
        fixedKeys ? Integer.BYTES : KEY_OFFSET + (isKeyInBlock ? ADDRESS_BYTES : keyLength);
    boolean isValueInBlock = before + valueLength > MAX_ENTRY_BYTES;
    if (oldValue != 0 && !isValueInBlock) {
      words.heap.free(oldValue);
    }
    if (!isKeyInBlock && !isValueInBlock) {
      int from = fixedKeys ? valueOffset - Integer.BYTES : 0;
      if (fixedKeys) {
        image.setInt(from, valueLength);
      } else {
        image.setInt(0, keyLength);
        image.setInt(Integer.BYTES, valueLength);
      }
      image.padFrom(from);
      entry(scratch, image, from);
      return;
    }
    EncodingBuffer entry = buffers.other;
    entry.clear();
    if (fixedKeys) {
      entry.putLong(Integer.toUnsignedLong(valueLength | IN_BLOCK));
    } else {
      entry.putInt(isKeyInBlock ? keyLength | IN_BLOCK : keyLength);
      entry.putInt(isValueInBlock ? valueLength | IN_BLOCK : valueLength);
      if (isKeyInBlock) {
        entry.putLong(oldKey != 0 ? oldKey : newBlock(words, image, KEY_OFFSET, keyLength));
      } else {
        entry.putBytes(image.array(), KEY_OFFSET, keyLength);
      }
    }
    if (isValueInBlock) {
      while ((entry.length() & (Long.BYTES - 1)) != 0) {
        entry.putByte(0);
      }
      entry.putLong(valueBlock(words, image, valueOffset, valueLength, oldValue, oldValueLength));
    } else {
      entry.putBytes(image.array(), valueOffset, valueLength);
    }
    entry.padWord();
    entry(scratch, entry, 0);
  }

  @SuppressWarnings("ReferenceEquality") // identity is meant
  private static void entry(TreeScratch scratch, EncodingBuffer bytes, int from) {
    if (scratch.entry != bytes.array()) { // storing a reference costs a barrier of the collector
      scratch.entry = bytes.array();
    }
    scratch.entryOffset = from;
    scratch.entryBytes = bytes.length() - from;
  }

  private long wordMask() {
    return valueFixed == Long.BYTES ? -1L : (1L << (valueFixed * Byte.SIZE)) - 1;
  }

  private static long valueBlock(
      Words words, EncodingBuffer image, int offset, int length, long old, int oldLength) {
    if (old == 0 || !HeapSession.isSameBlockLength(oldLength, length)) {
      if (old != 0) {
        words.heap.free(old);
      }
      return newBlock(words, image, offset, length);
    }
    image.padFrom(offset);
    words.putRange(old, image.array(), offset, words(length));
    return old;
  }

  private static long newBlock(Words words, EncodingBuffer image, int offset, int length) {
    image.padFrom(offset);
    long block = words.heap.allocateUncleared(length);
    words.putRange(block, image.array(), offset, words(length));
    return block;
  }

  /** Returns a new block with a key. */
  static long newBlock(Words words, TreeKey key) {
    long block = words.heap.allocateUncleared(key.length);
    words.putRange(block, key.bytes, key.offset, words(key.length));
    return block;
  }

  /** Makes the entry of an inner node. */
  void encodeChild(Words words, TreeScratch scratch, TreeKey key, long child) {
    EncodingBuffer entry = CollectionScratch.of(words).other;
    entry.clear();
    entry.putLong(child);
    if (!fixedKeys) {
      if (key.length > MAX_KEY_BYTES) {
        entry.putLong(Integer.toUnsignedLong(key.length | IN_BLOCK));
        entry.putLong(newBlock(words, key));
      } else {
        entry.putLong(key.length);
        entry.putBytes(key.bytes, key.offset, key.length);
      }
    }
    entry.padWord();
    entry(scratch, entry, 0);
  }

  // ---- Entries of leaves whose keys have 8 bytes, made of values.

  /** Returns how many bytes the entry of a value takes that is not in a block. */
  int leafEntryBytes(int valueLength) {
    return wordValues ? Long.BYTES : Integer.BYTES + valueLength;
  }

  /**
   * Writes the entry of a value into the image of a leaf; zeros follow it.
   *
   * @param bytes at least 8 follow the value
   * @param at the first word of its units
   * @param end the word behind them
   */
  void putLeafEntry(byte[] bytes, int offset, int valueLength, long[] target, int at, int end) {
    if (wordValues) {
      target[at] = (long) LONG.get(bytes, offset) & wordMask();
      return;
    }
    long first = Integer.toUnsignedLong((int) INT.get(bytes, offset));
    int few = Math.min(valueLength, Integer.BYTES);
    first &= (1L << (few * Byte.SIZE)) - 1;
    target[at] = first << Integer.SIZE | valueLength;
    int rest = valueLength - few;
    putBytes(bytes, offset + few, rest, target, at + 1);
    for (int i = at + 1 + words(rest); i < end; i++) {
      target[i] = 0;
    }
  }

  // ---- Entries of leaves as bytes.

  /**
   * Returns how many bytes an entry has.
   *
   * @param bytes at least 16 of them are read from an offset on, or all that the leaf has
   */
  int entryBytes(Words words, long leaf, byte[] bytes, int at) {
    long length;
    if (wordValues) {
      length = Long.BYTES;
    } else if (fixedKeys) {
      int value = (int) INT.get(bytes, at);
      length = value < 0 ? Long.BYTES + ADDRESS_BYTES : Integer.BYTES + (long) value;
    } else {
      length =
          KEY_OFFSET
              + keyAndValue((int) INT.get(bytes, at), (int) INT.get(bytes, at + Integer.BYTES));
    }
    if (length > MAX_ENTRY_BYTES) {
      throw damaged(words, leaf, "an entry with " + length + " bytes in a leaf of a tree");
    }
    return (int) length;
  }

  /** Returns the value of an entry, all of which is read. */
  DecodingBuffer value(Words words, long leaf, byte[] bytes, int at) {
    DecodingBuffer decoder = CollectionScratch.of(words).decoder;
    if (wordValues) {
      decoder.wrap(bytes, at, valueFixed);
      return decoder;
    }
    int length = (int) INT.get(bytes, fixedKeys ? at : at + Integer.BYTES);
    long before = fixedKeys ? Integer.BYTES : KEY_OFFSET + keyPart((int) INT.get(bytes, at));
    if (length >= 0) {
      decoder.wrap(bytes, at + (int) before, length);
      return decoder;
    }
    long block = (long) LONG.get(bytes, at + (int) alignedKey(before));
    return blockValue(words, leaf, block, length & ~IN_BLOCK);
  }

  private static DecodingBuffer blockValue(Words words, long leaf, long block, int length) {
    long from = NodeLayout.address(leaf);
    StoredNumbers.length(words, length, EntryLimits.MAX_CHANGE_BYTES, from, VALUE);
    StoredNumbers.block(words, block, Math.max(length, Long.BYTES), from, VALUE);
    CollectionScratch scratch = CollectionScratch.of(words);
    int count = words(length);
    byte[] value = scratch.bytes(count * Long.BYTES);
    words.getRange(block, value, 0, count);
    scratch.decoder.wrap(value, 0, length);
    return scratch.decoder;
  }

  /** Returns the key of an entry, all of which is read; not for keys of 8 bytes. */
  void key(Words words, long leaf, byte[] bytes, int at, TreeKey target) {
    int length = (int) INT.get(bytes, at);
    if (length < 0) {
      long block = (long) LONG.get(bytes, at + KEY_OFFSET);
      block(words, block, length & ~IN_BLOCK, leaf, target);
    } else {
      target.wrap(bytes, at + KEY_OFFSET, length);
    }
  }
}
