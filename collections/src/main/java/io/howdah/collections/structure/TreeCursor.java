package io.howdah.collections.structure;

import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Operations;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A position between two keys of a tree, which moves in either direction. After a change of the
 * tree by this transaction, or a roll-back, the cursor must seek again; see {@link
 * Operations#changes}.
 *
 * <p>The first step after a seek reads one entry, unless the leaf {@linkplain #copyLeaf is copied}.
 * The next one copies the leaf, and further steps take entries from the copy: the leaf is noted, so
 * a snapshot that moves validates it.
 */
public final class TreeCursor {

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private static final byte[] NO_BYTES = {};
  private static final long[] NO_HEADS = {};

  private final TreeSearch tree;
  private final TreeFormat format;

  /** The leaf, 0 if there is none. */
  private long leaf;

  /** How many entries it has. */
  private int count;

  /** The key that is next in ascending order. */
  private int index;

  /** The words of the entries before and behind the position of the last seek, or -1. */
  private int beforeAt;

  private int behindAt;

  /** The heads of these entries, if keys have 8 bytes. */
  private long beforeHead;

  private long behindHead;

  /** The bytes of the leaf, if it is copied. */
  private byte[] copy = NO_BYTES;

  private boolean isCopied;

  /** How many bytes of the leaf are copied: all up to its last entry. */
  private int copiedBytes;

  /** Where its entries begin, and the base-two logarithm of the bytes of a unit. */
  private int entriesFrom;

  private int unitShift;

  /** The heads of the copied leaf in their order, if keys have 8 bytes. */
  private long[] heads = NO_HEADS;

  /** The bytes of an entry that was read alone. */
  private byte[] single = NO_BYTES;

  /** The array that has the entry stepped over last, and where the entry begins there. */
  private byte[] entry = NO_BYTES;

  private int entryOffset;

  /** Whether the array is the copy of a leaf. */
  private boolean isInCopy;

  /** The leaf of that entry. */
  private long entryLeaf;

  /** The head of its key, if keys have 8 bytes. */
  private long entryHead;

  /** Its key, if it was kept and has not 8 bytes. */
  private final TreeKey kept = new TreeKey();

  private boolean isKept;

  public TreeCursor(Tree tree) {
    this.tree = tree.search();
    this.format = this.tree.format();
  }

  /** Moves to the only position of a tree that does not exist; returns whether it does not. */
  private boolean isNowhere() {
    if (tree.address() != 0) {
      return false;
    }
    leaf = 0;
    count = 0;
    index = 0;
    return true;
  }

  /** Moves before all keys. */
  public void first(Words words) {
    if (isNowhere()) {
      return;
    }
    TreeScratch scratch = CollectionScratch.of(words).tree();
    scratch.key.setFixed(Long.MIN_VALUE); // as any key, the empty one
    place(words, tree.find(words, scratch, scratch.key, false), 0, Long.MIN_VALUE, false);
  }

  /** Moves after all keys. */
  public void last(Words words) {
    if (isNowhere()) {
      return;
    }
    NodeImage found = tree.find(words, CollectionScratch.of(words).tree(), null, false);
    place(words, found, found.count(), Long.MAX_VALUE, true);
  }

  /**
   * Moves before the first key that is not less than the key in the image, or, if {@code
   * behindEqual} is true and the keys are equal, after it.
   */
  public void seek(Words words, int keyLength, boolean behindEqual) {
    if (isNowhere()) {
      return;
    }
    TreeScratch scratch = CollectionScratch.of(words).tree();
    TreeKey key = tree.key(words, scratch, keyLength);
    NodeImage found = tree.find(words, scratch, key, false);
    int at = tree.index(words, scratch, found, key);
    int position = at < 0 ? -1 - at : behindEqual ? at + 1 : at;
    place(words, found, position, key.fixed, behindEqual);
  }

  /**
   * Takes a position in a leaf that is read up to its entries.
   *
   * @param head that of the key which was sought, if keys have 8 bytes
   */
  private void place(Words words, NodeImage found, int position, long head, boolean behindEqual) {
    leaf = found.node();
    count = found.count();
    index = position;
    isCopied = false;
    beforeAt = position == 0 ? -1 : format.entry(words, found, position - 1);
    behindAt = position == count ? -1 : format.entry(words, found, position);
    if (format.hasFixedKeys()) {
      long before = Long.MIN_VALUE;
      long behind = Long.MAX_VALUE;
      int from = found.layout().headsAt;
      for (int i = from; i < from + count; i++) {
        long other = found.words[i];
        if (other < head || (other == head && behindEqual)) {
          before = Math.max(before, other);
        } else {
          behind = Math.min(behind, other);
        }
      }
      beforeHead = before;
      behindHead = behind;
    }
  }

  /** Copies the leaf of the position, for a caller who will probably step over several entries. */
  public void copyLeaf(Words words) {
    if (leaf != 0 && !isCopied) {
      copy(words, leaf);
    }
  }

  /** Returns whether the next key is the same as another cursor's. */
  public boolean isAt(Words words, TreeCursor other) {
    normalise(words);
    other.normalise(words);
    return leaf == other.leaf && index == other.index;
  }

  /** Moves from the end of a leaf to the beginning of the next one. */
  private void normalise(Words words) {
    while (index == count && enterNext(words)) {
      // A leaf may be empty.
    }
  }

  /** Steps over the next key; returns whether there was one. */
  public boolean next(Words words) {
    if (isCopied && index < count) {
      step(words, index++);
      return true;
    }
    return nextOfOther(words);
  }

  /** Steps over the next key, which is not in the copy of a leaf. */
  private boolean nextOfOther(Words words) {
    normalise(words);
    if (index == count) {
      return false;
    }
    if (!isCopied && behindAt >= 0) {
      single(words, behindAt, behindHead);
    } else {
      if (!isCopied) {
        copy(words, leaf);
      }
      step(words, index);
    }
    index++;
    return true;
  }

  /** Steps back over the previous key; returns whether there was one. */
  public boolean previous(Words words) {
    while (index == 0) {
      if (!enterPrevious(words)) {
        return false;
      }
    }
    index--;
    if (!isCopied && beforeAt >= 0) {
      single(words, beforeAt, beforeHead);
    } else {
      if (!isCopied) {
        copy(words, leaf);
      }
      step(words, index);
    }
    return true;
  }

  /** Reads the entry beside the position of the last seek. */
  private void single(Words words, int at, long head) {
    beforeAt = -1;
    behindAt = -1;
    byte[] bytes = tree.readEntry(words, leaf, at);
    int length = CollectionScratch.of(words).treeEntryBytes;
    if (single.length < length + 2 * Long.BYTES) {
      single = new byte[length + 2 * Long.BYTES];
    }
    System.arraycopy(bytes, 0, single, 0, length);
    entry(single, 0, head);
    isInCopy = false;
  }

  @SuppressWarnings("ReferenceEquality") // identity is meant
  private void entry(byte[] bytes, int offset, long head) {
    if (entry != bytes) { // storing a reference costs a barrier of the collector
      entry = bytes;
    }
    entryOffset = offset;
    entryLeaf = leaf;
    entryHead = head;
    isKept = false;
  }

  /** Takes an entry from the copy of the leaf. */
  private void step(Words words, int at) {
    byte[] copy = this.copy;
    int offset = (copy[TreeNodeLayout.ORDER_OFFSET + at] & 0xFF) << unitShift;
    int left = copiedBytes - offset;
    if (offset < entriesFrom || left < Long.BYTES) {
      throw TreeFormat.damaged(words, leaf, "the order of a leaf of a tree");
    }
    if (format.entryBytes(words, leaf, copy, offset) > left) {
      throw TreeFormat.damaged(words, leaf, "an entry of a leaf of a tree");
    }
    entry(copy, offset, heads[at]);
    isInCopy = true;
  }

  // ---- Leaves.

  /** Copies a leaf up to its last entry. It becomes that of the cursor. */
  private void copy(Words words, long from) {
    if (isInCopy && !format.hasFixedKeys()) {
      keepKey(words);
      kept.own(); // the copy will have another leaf
      isInCopy = false;
    }
    if (copy.length == 0) {
      copy = CollectionScratch.of(words).tree().takeCopy();
    }
    TreeNodeLayout layout = TreeNodeLayout.of(from);
    readPart(words, from, 0, layout.entriesAt);
    leaf = from;
    count = tree.requireLeaf(words, from, word(0));
    isCopied = true;
    int copiedWords = Math.max(layout.entriesAt, layout.word(endUnit(layout)));
    readPart(words, from, layout.entriesAt, copiedWords);
    copiedBytes = copiedWords * Long.BYTES;
    unitShift = layout.unitShift;
    entriesFrom = layout.entriesAt * Long.BYTES;
    if (heads.length == 0) {
      heads = CollectionScratch.of(words).tree().takeHeads();
    }
    if (format.hasFixedKeys()) {
      sort(layout.headsAt);
    }
  }

  /** Copies words of a leaf to their places. */
  private void readPart(Words words, long from, int first, int end) {
    while (!words.nodes.readBytes(from, first, end - first, copy, first * Long.BYTES)) {
      // The snapshot has moved; the leaf is the same.
    }
  }

  /** Returns the unit behind the last one in use of the copied leaf; 0 if none is. */
  private int endUnit(TreeNodeLayout layout) {
    int last = layout.nextAt - 1;
    while (last > layout.usedAt && word(last) == 0) {
      last--;
    }
    return (last - layout.usedAt + 1) * Long.SIZE - Long.numberOfLeadingZeros(word(last));
  }

  /**
   * Sorts the heads. A split leaves some in their order, and those of later entries are behind
   * them. Where one of these belongs cannot be predicted, so it is compared with all before it,
   * without a branch: each place gets the smaller head, and the greater one goes on.
   */
  private void sort(int from) {
    byte[] copy = this.copy;
    long[] heads = this.heads;
    int count = this.count;
    int ordered = 0;
    long last = Long.MIN_VALUE;
    for (; ordered < count; ordered++) {
      long head = (long) LONG.get(copy, (from + ordered) * Long.BYTES);
      if (head < last) {
        break;
      }
      heads[ordered] = head;
      last = head;
    }
    for (int end = ordered; end < count; end++) {
      long head = (long) LONG.get(copy, (from + end) * Long.BYTES);
      for (int i = 0; i < end; i++) {
        long other = heads[i];
        heads[i] = Math.min(head, other);
        head = Math.max(head, other);
      }
      heads[end] = head;
    }
  }

  private long word(int at) {
    return (long) LONG.get(copy, at * Long.BYTES);
  }

  /** Moves to the beginning of the next leaf; returns whether there is one. */
  private boolean enterNext(Words words) {
    if (leaf == 0) {
      return false;
    }
    if (!isCopied) {
      copy(words, leaf);
    }
    TreeNodeLayout layout = TreeNodeLayout.of(leaf);
    long next = word(layout.nextAt);
    if (next == 0) {
      return false;
    }
    TreeScratch scratch = CollectionScratch.of(words).tree();
    NodeImage image = scratch.node; // only its reference is used: the fences are in the copy
    image.become(leaf);
    fence(words, image, layout.highAt, scratch.high);
    fence(words, image, layout.lowAt, scratch.low);
    requireLess(words, scratch.low, scratch.high);
    copy(words, next);
    fence(words, image, TreeNodeLayout.of(next).lowAt, scratch.low);
    requireEqual(words, scratch.low, scratch.high);
    index = 0;
    return true;
  }

  /** Moves to the end of the previous leaf; returns whether there is one. */
  private boolean enterPrevious(Words words) {
    if (leaf == 0) {
      return false;
    }
    if (!isCopied) {
      copy(words, leaf);
    }
    TreeNodeLayout layout = TreeNodeLayout.of(leaf);
    if (word(layout.lowAt) == format.lowest()) {
      return false;
    }
    TreeScratch scratch = CollectionScratch.of(words).tree();
    scratch.node.become(leaf);
    fence(words, scratch.node, layout.lowAt, scratch.key);
    NodeImage found = tree.find(words, scratch, scratch.key, true);
    copy(words, found.node());
    layout = TreeNodeLayout.of(leaf);
    fence(words, scratch.node, layout.highAt, scratch.high);
    requireEqual(words, scratch.key, scratch.high);
    fence(words, scratch.node, layout.lowAt, scratch.low);
    requireLess(words, scratch.low, scratch.high);
    index = count;
    return true;
  }

  /** Copies the key of a fence of the copied leaf. */
  private void fence(Words words, NodeImage image, int at, TreeKey target) {
    long fence = word(at);
    if (!format.hasFixedKeys() && fence != 0 && !TreeNodeLayout.isFenceInBlock(fence)) {
      int offset = (int) TreeNodeLayout.fencePlace(fence);
      int length = TreeNodeLayout.fenceLength(fence);
      if (length > copiedBytes - offset) {
        throw TreeFormat.damaged(words, leaf, "a fence of a leaf of a tree");
      }
      System.arraycopy(copy, offset, target.prepare(length), 0, length);
    } else {
      format.fence(words, image, fence, target);
    }
  }

  /** Requires fences in order: a circle of leaves would have no end. */
  private void requireLess(Words words, TreeKey low, TreeKey high) {
    if (!format.isLess(low, high)) {
      throw TreeFormat.damaged(words, leaf, "a fence of a leaf of a tree");
    }
  }

  private void requireEqual(Words words, TreeKey one, TreeKey other) {
    if (!format.isEqual(one, other)) {
      throw TreeFormat.damaged(words, leaf, "a fence of a leaf of a tree");
    }
  }

  /** Gives the copy of a leaf back. The cursor must not be used any more. */
  public void release(Words words) {
    if (copy.length != 0) {
      CollectionScratch.of(words).tree().giveBack(copy, heads);
      copy = NO_BYTES;
      heads = NO_HEADS;
    }
  }

  // ---- The entry stepped over last.

  /** Keeps the key stepped over last, for {@link #seekKept}: its entry may be removed meanwhile. */
  public void keepKey(Words words) {
    if (!isKept && !format.hasFixedKeys()) {
      format.key(words, entryLeaf, entry, entryOffset, kept);
      isKept = true;
    }
  }

  /** Moves before or after the kept key, or to the position where it would be. */
  public void seekKept(Words words, boolean behindEqual) {
    EncodingBuffer image = Tree.beginKey(words);
    if (format.hasFixedKeys()) {
      image.putBigEndianLong(TreeNodeLayout.head(entryHead));
    } else {
      image.putBytes(kept.bytes, kept.offset, kept.length);
    }
    seek(words, Tree.endKey(words), behindEqual);
  }

  /** Returns the key stepped over last. */
  public DecodingBuffer key(Words words) {
    CollectionScratch scratch = CollectionScratch.of(words);
    if (format.hasFixedKeys()) {
      EncodingBuffer other = scratch.other;
      other.clear();
      other.putBigEndianLong(TreeNodeLayout.head(entryHead));
      scratch.decoder.wrap(other.array(), 0, Long.BYTES);
    } else {
      keepKey(words);
      scratch.decoder.wrap(kept.bytes, kept.offset, kept.length);
    }
    return scratch.decoder;
  }

  /** Returns the key stepped over last, decoded. */
  public <K> K key(Words words, EntryCodec<K> codec) {
    return format.hasFixedKeys() && codec.isInt64()
        ? codec.ofInt64(entryHead)
        : codec.decode(words, key(words));
  }

  /** Returns the value stepped over last. */
  public DecodingBuffer value(Words words) {
    return format.value(words, entryLeaf, entry, entryOffset);
  }
}
