package io.howdah.collections.journal;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangesLostException;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.txn.stm.TxContext;
import java.util.ArrayList;
import java.util.List;

/**
 * A change journal in the region: a tree from the numbers of changes to {@link ChangeLayout
 * changes}. Its header has the number of the newest change, and how many are kept.
 *
 * <p>A transaction that changes the map appends here what it does. It reads and writes the newest
 * number, so of two such transactions one sees the other's numbers: numbers have the order of the
 * commits, and no gaps. Thread-safe.
 */
public final class StoredJournal {

  /** Bytes of changes from which on no more are read at once. */
  private static final int MAX_READ_BYTES = 1 << 20;

  private final long header;
  private final Tree tree;
  private final String name;

  /** Works on a journal that was found. */
  public StoredJournal(FoundCollection found) {
    this.header = found.address();
    this.tree = new Tree(found.address(), true, Codec.VARIABLE);
    this.name = "the journal \"" + found.name() + '"';
  }

  /** Creates an empty journal and returns its address. */
  public static long create(TxContext context, long incarnation) {
    return Tree.create(context, incarnation, Long.BYTES, Codec.VARIABLE);
  }

  /** Gives a journal without changes the numbers of one whose changes it is to hold. */
  public void begin(TxContext context, long newest, long kept) {
    context.putUnchecked(header + TreeLayout.POSITION_OFFSET, newest);
    kept(context, kept);
  }

  // ---- Appending, within an operation of the map.

  /** Appends that a key got a value. */
  public void put(TxContext context, Encoder image, int keyOffset, int keyLength, int valueOffset) {
    append(context, ChangeLayout.PUT, image, keyOffset, keyLength, valueOffset);
  }

  /**
   * Appends that a key was removed.
   *
   * @param kind {@link ChangeLayout#REMOVED} or {@link ChangeLayout#EXPIRED}
   */
  public void removed(TxContext context, int kind, Encoder image, int keyOffset, int keyLength) {
    append(context, kind, image, keyOffset, keyLength, image.length());
  }

  private void append(
      TxContext context, int kind, Encoder image, int keyOffset, int keyLength, int valueOffset) {
    CollectionScratch own = CollectionScratch.of(context);
    context.attach(own.inner());
    try {
      long number = newest(context) + 1;
      int length = beginKey(context, number);
      Encoder change = Tree.beginValue(context);
      change.putInt(kind);
      change.putInt(keyLength);
      change.putBytes(image.array(), keyOffset, keyLength);
      change.putBytes(image.array(), valueOffset, image.length() - valueOffset);
      boolean _ = tree.put(context, length);
      context.putUnchecked(header + TreeLayout.POSITION_OFFSET, number);
      long last = number - kept(context);
      if (last > 0) {
        boolean _ = tree.remove(context, beginKey(context, last));
      }
    } finally {
      context.attach(own);
    }
  }

  private static int beginKey(TxContext context, long number) {
    Tree.beginKey(context).putBigEndianLong(number);
    return Tree.endKey(context);
  }

  // ---- The bound.

  /** Returns how many changes are kept. */
  public long kept(TxContext context) {
    return context.getUnchecked(header + TreeLayout.KEPT_OFFSET);
  }

  /** Sets how many changes are kept. Those that are too many by now are removed by {@link #cut}. */
  public void kept(TxContext context, long changes) {
    context.putUnchecked(header + TreeLayout.KEPT_OFFSET, changes);
  }

  /** Returns whether there are more changes than are to be kept. */
  public boolean isTooLong(TxContext context) {
    return oldest(context) < newest(context) - kept(context);
  }

  /** Removes some of the oldest changes, if they are too many. Returns whether they still are. */
  public boolean cut(TxContext context, int max) {
    long oldest = oldest(context);
    long end = Math.min(oldest + max, newest(context) - kept(context));
    for (long number = oldest + 1; number <= end; number++) {
      boolean _ = tree.remove(context, beginKey(context, number));
    }
    return isTooLong(context);
  }

  // ---- Reading.

  /** Returns the number of the newest change, 0 if there was none. */
  public long newest(TxContext context) {
    return context.getUnchecked(header + TreeLayout.POSITION_OFFSET);
  }

  /** Returns the number before that of the oldest change. */
  public long oldest(TxContext context) {
    TreeCursor cursor = new TreeCursor(tree);
    cursor.first(context);
    return cursor.next(context) ? number(context, cursor) - 1 : newest(context);
  }

  private static long number(TxContext context, TreeCursor cursor) {
    return cursor.key(context).getBigEndianLong();
  }

  /** Refuses a position behind which changes cannot be read. */
  public void requirePosition(TxContext context, long position) {
    if (position < 0 || position > newest(context)) {
      throw context.refuse(
          new IllegalArgumentException(
              name
                  + " has changes up to position "
                  + newest(context)
                  + ", so none can be read behind "
                  + position
                  + "; a position may have been lost by a power cut if it was told in ASYNC"));
    }
    long oldest = oldest(context);
    if (position < oldest) {
      throw context.refuse(new ChangesLostException(name, position, oldest));
    }
  }

  /**
   * Returns changes behind a position, in their order.
   *
   * @param max maximum number, at least 1
   */
  public <K, V> List<Change<K, V>> after(
      TxContext context, long position, int max, ChangeCodec<K, V> codec) {
    if (max < 1) {
      throw context.refuse(
          new IllegalArgumentException("at least 1 change is read from " + name + ", not " + max));
    }
    if (position == newest(context)) {
      return List.of(); // the common case reads one word
    }
    requirePosition(context, position);
    // First all bytes: a codec may use the store, and end the position of the cursor.
    List<byte[]> stored = new ArrayList<>();
    TreeCursor cursor = new TreeCursor(tree);
    cursor.seek(context, beginKey(context, position + 1), false);
    int bytes = 0;
    while (stored.size() < max && bytes < MAX_READ_BYTES && cursor.next(context)) {
      if (number(context, cursor) != position + stored.size() + 1) {
        throw context.inconsistentRead(-1, "a number of " + name);
      }
      byte[] change = cursor.value(context).peek();
      stored.add(change);
      bytes += change.length;
    }
    List<Change<K, V>> changes = new ArrayList<>();
    for (byte[] change : stored) {
      changes.add(decode(context, position + changes.size() + 1, change, codec));
    }
    return changes;
  }

  private <K, V> Change<K, V> decode(
      TxContext context, long number, byte[] change, ChangeCodec<K, V> codec) {
    Decoder in = CollectionScratch.of(context).decoder;
    in.wrap(change, 0, change.length);
    int kind = change.length < ChangeLayout.KEY_OFFSET ? 0 : in.getInt();
    int keyLength = kind == 0 ? 0 : in.getInt();
    int end = change.length - ChangeLayout.KEY_OFFSET;
    if (keyLength < 0 || keyLength > end) {
      throw context.inconsistentRead(-1, "change " + number + " of " + name);
    }
    in.wrap(change, ChangeLayout.KEY_OFFSET, keyLength);
    return switch (kind) {
      case ChangeLayout.PUT -> {
        K key = codec.keys().decode(context, in);
        in.wrap(change, ChangeLayout.KEY_OFFSET + keyLength, end - keyLength);
        yield new Change.Put<>(number, key, codec.values().decode(context, in));
      }
      case ChangeLayout.REMOVED -> new Change.Removed<>(number, codec.keys().decode(context, in));
      case ChangeLayout.EXPIRED -> new Change.Expired<>(number, codec.keys().decode(context, in));
      default -> throw context.inconsistentRead(-1, "change " + number + " of " + name);
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
