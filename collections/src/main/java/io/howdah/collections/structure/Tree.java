package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;
import static io.howdah.core.layout.TreeLayout.MAX_KEYS;

import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.stm.TxContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The B+-tree behind sorted maps and the store's own catalogues, laid out as {@link TreeLayout}
 * says. Keys and values are bytes here: callers encode into the context's scratch, {@code image}
 * for the key and the value behind it, and get a {@link Decoder} back.
 *
 * <p>Nodes split when they are full; a node that loses its last key is removed. Nodes are not
 * merged before, so a tree that has shrunk keeps some of its room until it grows again. A key that
 * goes behind all others gets a new leaf without halving the last one, so ascending loads fill
 * leaves.
 */
public final class Tree {

  /**
   * One level of a tree.
   *
   * @param keys in all its nodes together
   * @param fill share of the keys for which its nodes have room, 0 to 1
   */
  public record Level(long nodes, long keys, double fill) {}

  /** What an inner node has for each key. */
  private static final int[] PARTS = {
    TreeLayout.KEYS_OFFSET, TreeLayout.LONG_KEYS_OFFSET, TreeLayout.CHILDREN_OFFSET
  };

  private static final String KEY = "the key of an entry";
  private static final String VALUE = "the value of an entry";

  private final long tree;
  private final boolean fixedKeys;
  private final int valueFixed;
  private final boolean inlineValues;

  /**
   * Works on a tree.
   *
   * @param fixedKeys whether all keys have 8 bytes
   * @param valueFixed length of all values in bytes, or {@link io.howdah.codec.Codec#VARIABLE}
   */
  public Tree(long tree, boolean fixedKeys, int valueFixed) {
    this.tree = tree;
    this.fixedKeys = fixedKeys;
    this.valueFixed = valueFixed;
    this.inlineValues = fixedKeys && valueFixed >= 0 && valueFixed <= Long.BYTES;
  }

  /** Returns the tree at an address, as its header describes it. */
  public static Tree of(TxContext context, long tree) {
    boolean fixedKeys = CollectionHeader.keyLength(context, tree) == Long.BYTES;
    return new Tree(tree, fixedKeys, CollectionHeader.valueLength(context, tree));
  }

  /** Creates an empty tree and returns its address. */
  public static long create(TxContext context, long incarnation, int keyFixed, int valueFixed) {
    long tree = context.heap.allocate(TreeLayout.LENGTH);
    CollectionHeader.write(context, tree, TreeLayout.MAGIC, incarnation, keyFixed, valueFixed);
    context.putUnchecked(tree + TreeLayout.ROOT_OFFSET, newLeaf(context));
    return tree;
  }

  private static long newLeaf(TxContext context) {
    long leaf = context.heap.allocateUncleared(TreeLayout.LEAF_LENGTH);
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, 0);
    context.putUnchecked(leaf + TreeLayout.NEXT_OFFSET, 0);
    context.putUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET, 0);
    return leaf;
  }

  // ---- Images: key, then value, in the scratch.

  /** Begins a key; its bytes follow. */
  public static Encoder beginKey(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    image.clear();
    image.putLong(0);
    return image;
  }

  /** The key is complete; its length is returned, and belongs to every later call. */
  public static int endKey(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    image.padWord();
    return image.length() - KEY_OFFSET;
  }

  /** Returns the word of the key in an image. */
  long keyWord(Encoder image, int keyLength) {
    long first = image.bigEndianWord(KEY_OFFSET);
    return fixedKeys ? first : TreeLayout.keyWord(first, keyLength);
  }

  // ---- Comparing.

  /** Compares the key in the image with a stored one: its word, and where its bytes are. */
  private int compare(
      TxContext context, long word, int keyLength, long otherWord, long otherBlock) {
    if (word != otherWord) {
      return Long.compareUnsigned(word, otherWord);
    }
    if (fixedKeys || !TreeLayout.isLongKey(word)) {
      return 0;
    }
    Encoder image = CollectionScratch.of(context).image;
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
   * Returns the index of the key in a leaf; if it is not there, -1 - the index where it would be.
   */
  int searchLeaf(TxContext context, long leaf, long order, long word, int keyLength) {
    int low = 0;
    int high = TreeLayout.count(order) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = leaf + (long) TreeLayout.slot(order, middle) * Long.BYTES;
      long otherWord = context.getUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET);
      long other =
          otherWord == word && !fixedKeys ? context.getUnchecked(at + TreeLayout.VALUES_OFFSET) : 0;
      int order3 = compare(context, word, keyLength, otherWord, other);
      if (order3 == 0) {
        return middle;
      }
      if (order3 < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return -1 - low;
  }

  /** Returns the index of the child that has the key: 0 for the first one. */
  private int searchNode(TxContext context, long node, long order, long word, int keyLength) {
    int low = 0;
    int high = TreeLayout.count(order) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      long at = node + (long) TreeLayout.slot(order, middle) * Long.BYTES;
      long otherWord = context.getUnchecked(at + TreeLayout.KEYS_OFFSET);
      long rest =
          otherWord == word && !fixedKeys
              ? context.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET)
              : 0;
      if (compare(context, word, keyLength, otherWord, rest) < 0) {
        high = middle - 1;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  static long child(TxContext context, long node, long order, int index) {
    long at =
        index == 0
            ? node + TreeLayout.FIRST_CHILD_OFFSET
            : node
                + TreeLayout.CHILDREN_OFFSET
                + (long) TreeLayout.slot(order, index - 1) * Long.BYTES;
    return node(context, at);
  }

  /** Returns the address of the root. */
  long root(TxContext context) {
    return node(context, tree + TreeLayout.ROOT_OFFSET);
  }

  /** Returns the address of the node that a word leads to. */
  static long node(TxContext context, long at) {
    return StoredNumbers.block(
        context, context.getUnchecked(at), TreeLayout.LEAF_LENGTH, at, "a node of a tree");
  }

  long findLeaf(TxContext context, long word, int keyLength) {
    long node = root(context);
    for (long level = height(context); level > 0; level--) {
      long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
      node = child(context, node, order, searchNode(context, node, order, word, keyLength));
    }
    return node;
  }

  long height(TxContext context) {
    long height = context.getUnchecked(tree + TreeLayout.HEIGHT_OFFSET);
    if (height < 0 || height > TreeLayout.MAX_HEIGHT) {
      throw context.senseless(tree, "the tree at address " + tree);
    }
    return height;
  }

  /** Returns the length of the key in an entry, or in a separator's rest. */
  private static int keyLength(TxContext context, long block) {
    StoredNumbers.block(context, block, Long.BYTES, block, KEY);
    int length = (int) context.getUnchecked(block);
    StoredNumbers.length(context, length, EntryLimits.MAX_KEY_BYTES, block, KEY);
    StoredNumbers.end(context, block, KEY_OFFSET + (long) length, KEY);
    return length;
  }

  // ---- Reading.

  /** Returns the value of the key in the image, or null. */
  public @Nullable Decoder get(TxContext context, int keyLength) {
    long word = keyWord(CollectionScratch.of(context).image, keyLength);
    long leaf = findLeaf(context, word, keyLength);
    long order = context.getUnchecked(leaf + TreeLayout.ORDER_OFFSET);
    int index = searchLeaf(context, leaf, order, word, keyLength);
    if (index < 0) {
      return null;
    }
    long at = leaf + (long) TreeLayout.slot(order, index) * Long.BYTES;
    return value(context, context.getUnchecked(at + TreeLayout.VALUES_OFFSET));
  }

  /** Returns the value that a leaf's word stands for. */
  Decoder value(TxContext context, long word) {
    if (inlineValues) {
      Encoder other = CollectionScratch.of(context).other;
      other.clear();
      other.putLong(word);
      CollectionScratch.of(context).decoder.wrap(other.array(), 0, valueFixed);
      return CollectionScratch.of(context).decoder;
    }
    if (fixedKeys) {
      StoredNumbers.block(context, word, Long.BYTES, word, VALUE);
      return decoder(context, word, Integer.BYTES, (int) context.getUnchecked(word));
    }
    int offset = KEY_OFFSET + keyLength(context, word);
    return decoder(context, word, offset, (int) (context.getUnchecked(word) >>> Integer.SIZE));
  }

  private static Decoder decoder(TxContext context, long block, int offset, int length) {
    StoredNumbers.length(context, length, EntryLimits.MAX_VALUE_BYTES, block, VALUE);
    StoredNumbers.end(context, block, (long) offset + length, VALUE);
    int first = offset & -Long.BYTES;
    int words = (offset + length - first + Long.BYTES - 1) / Long.BYTES;
    byte[] bytes = CollectionScratch.of(context).bytes(words * Long.BYTES);
    context.getRange(block + first, bytes, 0, words);
    Decoder decoder = CollectionScratch.of(context).decoder;
    decoder.wrap(bytes, offset - first, length);
    return decoder;
  }

  Decoder key(TxContext context, long word, long entry) {
    if (fixedKeys) {
      Encoder other = CollectionScratch.of(context).other;
      other.clear();
      other.putBigEndianLong(word);
      CollectionScratch.of(context).decoder.wrap(other.array(), 0, Long.BYTES);
      return CollectionScratch.of(context).decoder;
    }
    return decoder(context, entry, KEY_OFFSET, keyLength(context, entry));
  }

  /** Counts the entries: reads 16 words. */
  public long size(TxContext context) {
    long size = 0;
    for (int i = 0; i < TreeLayout.COUNTERS; i++) {
      size += context.getUnchecked(counter(i));
    }
    return size;
  }

  private long counter(int index) {
    return tree + TreeLayout.COUNTERS_OFFSET + (long) index * TreeLayout.COUNTER_BYTES;
  }

  private void count(TxContext context, int difference) {
    // Transactions of different lanes count in different words.
    long counter = counter(context.id % TreeLayout.COUNTERS);
    context.putUnchecked(counter, context.getUnchecked(counter) + difference);
  }

  // ---- Putting.

  /** What a split has brought forth, for the level above. */
  private static final class Split {
    private long word;
    private long rest;
    private long node;
  }

  /** Begins the value behind the key; its bytes follow. */
  public static Encoder beginValue(TxContext context) {
    return CollectionScratch.of(context).image;
  }

  /** Puts the key and value in the image; returns whether the key is new. */
  public boolean put(TxContext context, int keyLength) {
    CollectionScratch.of(context).image.padWord();
    long word = keyWord(CollectionScratch.of(context).image, keyLength);
    Split split = new Split();
    long root = context.getUnchecked(tree + TreeLayout.ROOT_OFFSET);
    long height = height(context);
    context.operations.begin();
    boolean isNew = put(context, root, height, word, keyLength, split);
    if (split.node != 0) {
      long node = context.heap.allocateUncleared(TreeLayout.NODE_LENGTH);
      context.putUnchecked(node + TreeLayout.ORDER_OFFSET, 0);
      context.putUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET, root);
      insertChild(context, node, 0, 0, split);
      context.putUnchecked(tree + TreeLayout.ROOT_OFFSET, node);
      context.putUnchecked(tree + TreeLayout.HEIGHT_OFFSET, height + 1);
    }
    if (isNew) {
      count(context, 1);
    }
    context.operations.end();
    return isNew;
  }

  private boolean put(
      TxContext context, long node, long level, long word, int keyLength, Split split) {
    long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    if (level == 0) {
      return putInLeaf(context, node, order, word, keyLength, split);
    }
    int index = searchNode(context, node, order, word, keyLength);
    long child = child(context, node, order, index);
    boolean isNew = put(context, child, level - 1, word, keyLength, split);
    if (split.node != 0) {
      putInNode(context, node, order, index, split);
    }
    return isNew;
  }

  private boolean putInLeaf(
      TxContext context, long leaf, long order, long word, int keyLength, Split split) {
    int index = searchLeaf(context, leaf, order, word, keyLength);
    if (index >= 0) {
      long at = leaf + TreeLayout.VALUES_OFFSET + (long) TreeLayout.slot(order, index) * Long.BYTES;
      replace(context, at, keyLength);
      return false;
    }
    index = -1 - index;
    long value = newValue(context, keyLength);
    int count = TreeLayout.count(order);
    if (count < MAX_KEYS) {
      insertInLeaf(context, leaf, order, index, word, value);
      return true;
    }
    long next = context.getUnchecked(leaf + TreeLayout.NEXT_OFFSET);
    long right = newLeaf(context);
    int kept = index == count && next == 0 ? count : (count + 1) / 2;
    long rightOrder = moveTail(context, leaf, right, order, kept);
    context.putUnchecked(right + TreeLayout.NEXT_OFFSET, next);
    context.putUnchecked(right + TreeLayout.PREVIOUS_OFFSET, leaf);
    context.putUnchecked(leaf + TreeLayout.NEXT_OFFSET, right);
    if (next != 0) {
      context.putUnchecked(next + TreeLayout.PREVIOUS_OFFSET, right);
    }
    long leftOrder = TreeLayout.prefix(order, kept);
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, leftOrder);
    if (index < kept || (index == kept && kept != count)) {
      insertInLeaf(context, leaf, leftOrder, index, word, value);
    } else {
      insertInLeaf(context, right, rightOrder, index - kept, word, value);
    }
    setSeparator(context, right, split);
    return true;
  }

  private static void insertInLeaf(
      TxContext context, long leaf, long order, int index, long word, long value) {
    int place = TreeLayout.freeSlot(order);
    long at = leaf + (long) place * Long.BYTES;
    context.putUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET, word);
    context.putUnchecked(at + TreeLayout.VALUES_OFFSET, value);
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, TreeLayout.insert(order, index, place));
  }

  /** Copies the keys from an index on into an empty leaf; returns its order. */
  private static long moveTail(TxContext context, long leaf, long right, long order, int from) {
    long rightOrder = 0;
    for (int i = from; i < TreeLayout.count(order); i++) {
      long source = leaf + (long) TreeLayout.slot(order, i) * Long.BYTES;
      long target = right + (long) (i - from) * Long.BYTES;
      context.putUnchecked(
          target + TreeLayout.LEAF_KEYS_OFFSET,
          context.getUnchecked(source + TreeLayout.LEAF_KEYS_OFFSET));
      context.putUnchecked(
          target + TreeLayout.VALUES_OFFSET,
          context.getUnchecked(source + TreeLayout.VALUES_OFFSET));
      rightOrder = TreeLayout.insert(rightOrder, i - from, i - from);
    }
    context.putUnchecked(right + TreeLayout.ORDER_OFFSET, rightOrder);
    return rightOrder;
  }

  /** The first key of the right leaf separates it from the left one. */
  private void setSeparator(TxContext context, long right, Split split) {
    long order = context.getUnchecked(right + TreeLayout.ORDER_OFFSET);
    long at = right + (long) TreeLayout.slot(order, 0) * Long.BYTES;
    split.word = context.getUnchecked(at + TreeLayout.LEAF_KEYS_OFFSET);
    split.rest = 0;
    split.node = right;
    if (!fixedKeys && TreeLayout.isLongKey(split.word)) {
      // A copy: the entry may go while the separator stays.
      long entry = context.getUnchecked(at + TreeLayout.VALUES_OFFSET);
      int length = keyLength(context, entry);
      split.rest = context.heap.allocateUncleared(KEY_OFFSET + (long) length);
      context.putUnchecked(split.rest, length);
      for (int i = 0; i < length; i += Long.BYTES) {
        context.putUnchecked(
            split.rest + KEY_OFFSET + i, context.getUnchecked(entry + KEY_OFFSET + i));
      }
    }
  }

  private static void putInNode(TxContext context, long node, long order, int index, Split split) {
    int count = TreeLayout.count(order);
    if (count < MAX_KEYS) {
      insertChild(context, node, order, index, split);
      split.node = 0;
      return;
    }
    long right = context.heap.allocateUncleared(TreeLayout.NODE_LENGTH);
    int kept = index == count ? count - 1 : count / 2;
    // The key after those kept goes up; its child becomes the right node's first.
    long middle = node + (long) TreeLayout.slot(order, kept) * Long.BYTES;
    long upWord = context.getUnchecked(middle + TreeLayout.KEYS_OFFSET);
    long upRest = context.getUnchecked(middle + TreeLayout.LONG_KEYS_OFFSET);
    context.putUnchecked(
        right + TreeLayout.FIRST_CHILD_OFFSET,
        context.getUnchecked(middle + TreeLayout.CHILDREN_OFFSET));
    long rightOrder = 0;
    for (int i = kept + 1; i < count; i++) {
      long source = node + (long) TreeLayout.slot(order, i) * Long.BYTES;
      int place = i - kept - 1;
      long target = right + (long) place * Long.BYTES;
      for (int part : PARTS) {
        context.putUnchecked(target + part, context.getUnchecked(source + part));
      }
      rightOrder = TreeLayout.insert(rightOrder, place, place);
    }
    context.putUnchecked(right + TreeLayout.ORDER_OFFSET, rightOrder);
    long leftOrder = TreeLayout.prefix(order, kept);
    context.putUnchecked(node + TreeLayout.ORDER_OFFSET, leftOrder);
    if (index <= kept) {
      insertChild(context, node, leftOrder, index, split);
    } else {
      insertChild(context, right, rightOrder, index - kept - 1, split);
    }
    split.word = upWord;
    split.rest = upRest;
    split.node = right;
  }

  private static void insertChild(
      TxContext context, long node, long order, int index, Split split) {
    int place = TreeLayout.freeSlot(order);
    long at = node + (long) place * Long.BYTES;
    context.putUnchecked(at + TreeLayout.KEYS_OFFSET, split.word);
    context.putUnchecked(at + TreeLayout.LONG_KEYS_OFFSET, split.rest);
    context.putUnchecked(at + TreeLayout.CHILDREN_OFFSET, split.node);
    context.putUnchecked(node + TreeLayout.ORDER_OFFSET, TreeLayout.insert(order, index, place));
  }

  /**
   * Returns the word of a leaf for the value in the image, whose entry is written if it has one.
   */
  private long newValue(TxContext context, int keyLength) {
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
    int from = valueOffset(keyLength) - Integer.BYTES;
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

  private void replace(TxContext context, long at, int keyLength) {
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

  // ---- Removing.

  /** Removes the key in the image; returns whether it was there. */
  public boolean remove(TxContext context, int keyLength) {
    long word = keyWord(CollectionScratch.of(context).image, keyLength);
    long root = context.getUnchecked(tree + TreeLayout.ROOT_OFFSET);
    long height = height(context);
    context.operations.begin();
    int found = remove(context, root, height, word, keyLength);
    if (found != ABSENT) {
      count(context, -1);
      lower(context, root, height, found == EMPTIED);
    }
    context.operations.end();
    return found != ABSENT;
  }

  /** Takes out the levels that are not needed after a removal. */
  private void lower(TxContext context, long from, long levels, boolean isEmptied) {
    long root = from;
    long height = levels;
    if (isEmptied && height > 0) {
      // Every inner node has gone too, so the tree begins anew.
      context.heap.free(root);
      context.putUnchecked(tree + TreeLayout.ROOT_OFFSET, newLeaf(context));
      context.putUnchecked(tree + TreeLayout.HEIGHT_OFFSET, 0);
      return;
    }
    // A root with one child is not needed.
    while (height > 0 && TreeLayout.count(context.getUnchecked(root)) == 0) {
      long child = context.getUnchecked(root + TreeLayout.FIRST_CHILD_OFFSET);
      context.heap.free(root);
      root = child;
      height--;
      context.putUnchecked(tree + TreeLayout.ROOT_OFFSET, root);
      context.putUnchecked(tree + TreeLayout.HEIGHT_OFFSET, height);
    }
  }

  private static final int ABSENT = 0;
  private static final int REMOVED = 1;
  private static final int EMPTIED = 2;

  private int remove(TxContext context, long node, long level, long word, int keyLength) {
    long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    if (level == 0) {
      return removeFromLeaf(context, node, order, word, keyLength);
    }
    int index = searchNode(context, node, order, word, keyLength);
    long child = child(context, node, order, index);
    int found = remove(context, child, level - 1, word, keyLength);
    if (found != EMPTIED) {
      return found;
    }
    if (level == 1) {
      unlinkLeaf(context, child);
    }
    context.heap.free(child);
    if (TreeLayout.count(order) == 0) {
      return EMPTIED;
    }
    int gone = Math.max(0, index - 1);
    long at = node + (long) TreeLayout.slot(order, gone) * Long.BYTES;
    if (index == 0) {
      context.putUnchecked(
          node + TreeLayout.FIRST_CHILD_OFFSET,
          context.getUnchecked(at + TreeLayout.CHILDREN_OFFSET));
    }
    long rest = context.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET);
    if (rest != 0) {
      context.heap.free(rest);
    }
    context.putUnchecked(node + TreeLayout.ORDER_OFFSET, TreeLayout.remove(order, gone));
    return REMOVED;
  }

  private int removeFromLeaf(TxContext context, long leaf, long order, long word, int keyLength) {
    int index = searchLeaf(context, leaf, order, word, keyLength);
    if (index < 0) {
      return ABSENT;
    }
    if (!inlineValues) {
      long at = leaf + TreeLayout.VALUES_OFFSET + (long) TreeLayout.slot(order, index) * Long.BYTES;
      context.heap.free(context.getUnchecked(at));
    }
    context.putUnchecked(leaf + TreeLayout.ORDER_OFFSET, TreeLayout.remove(order, index));
    return TreeLayout.count(order) == 1 ? EMPTIED : REMOVED;
  }

  private static void unlinkLeaf(TxContext context, long leaf) {
    long next = context.getUnchecked(leaf + TreeLayout.NEXT_OFFSET);
    long previous = context.getUnchecked(leaf + TreeLayout.PREVIOUS_OFFSET);
    if (next != 0) {
      context.putUnchecked(next + TreeLayout.PREVIOUS_OFFSET, previous);
    }
    if (previous != 0) {
      context.putUnchecked(previous + TreeLayout.NEXT_OFFSET, next);
    }
  }

  /** Returns how many nodes each level has, and how full they are; the root first. */
  public List<Level> levels(TxContext context) {
    int height = (int) height(context);
    long[] nodes = new long[height + 1];
    long[] keys = new long[height + 1];
    count(context, context.getUnchecked(tree + TreeLayout.ROOT_OFFSET), height, nodes, keys);
    List<Level> levels = new ArrayList<>();
    for (int level = height; level >= 0; level--) {
      double fill = (double) keys[level] / (nodes[level] * MAX_KEYS);
      levels.add(new Level(nodes[level], keys[level], fill));
    }
    return levels;
  }

  private static void count(TxContext context, long node, int level, long[] nodes, long[] keys) {
    long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    nodes[level]++;
    keys[level] += TreeLayout.count(order);
    if (level > 0) {
      count(
          context,
          context.getUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET),
          level - 1,
          nodes,
          keys);
      for (int i = 0; i < TreeLayout.count(order); i++) {
        long at = node + (long) TreeLayout.slot(order, i) * Long.BYTES;
        long child = context.getUnchecked(at + TreeLayout.CHILDREN_OFFSET);
        count(context, child, level - 1, nodes, keys);
      }
    }
  }

  /** Shows every block, the tree included; none is read after it was shown. */
  public void visitBlocks(TxContext context, LongConsumer blocks) {
    visitBlocks(
        context, blocks, context.getUnchecked(tree + TreeLayout.ROOT_OFFSET), height(context));
    blocks.accept(tree);
  }

  private void visitBlocks(TxContext context, LongConsumer blocks, long node, long level) {
    long order = context.getUnchecked(node + TreeLayout.ORDER_OFFSET);
    for (int i = 0; i < TreeLayout.count(order); i++) {
      long at = node + (long) TreeLayout.slot(order, i) * Long.BYTES;
      if (level > 0) {
        long rest = context.getUnchecked(at + TreeLayout.LONG_KEYS_OFFSET);
        if (rest != 0) {
          blocks.accept(rest);
        }
        visitBlocks(
            context, blocks, context.getUnchecked(at + TreeLayout.CHILDREN_OFFSET), level - 1);
      } else if (!inlineValues) {
        blocks.accept(context.getUnchecked(at + TreeLayout.VALUES_OFFSET));
      }
    }
    if (level > 0) {
      visitBlocks(
          context, blocks, context.getUnchecked(node + TreeLayout.FIRST_CHILD_OFFSET), level - 1);
    }
    blocks.accept(node);
  }
}
