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
 * commits, and no gaps.
 *
 * <p>The removal of an entry never fails for want of room in the region, or a full region would
 * stay full for ever. A removal that finds no room for its change removes some of the oldest
 * changes. If that makes no room either, the change and all before it are lost: its number counts,
 * and readers get {@link ChangesLostException}. See docs/adr/0065.
 *
 * <p>Thread-safe.
 */
public final class StoredJournal {

  /** Bytes of changes from which on no more are read at once. */
  private static final int MAX_READ_BYTES = 1 << 20;

  /** How many of the oldest changes make room for a new one: those of a leaf, and one more. */
  private static final int REMOVED_FOR_ROOM = TreeLayout.MAX_KEYS + 1;

  /** How many changes that are lost, but still stored, each new change removes. */
  private static final int LOST_REMOVED = 2;

  /** After a change was lost, those up to a multiple of this are lost without a search for room. */
  private static final int LOST_TOGETHER = 64;

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
      boolean isPut = kind == ChangeLayout.PUT;
      boolean isSearched = isPut || isSearchedFor(context, number);
      removeOldest(context, number); // first: it makes room
      int length = begin(context, number, kind, image, keyOffset, keyLength, valueOffset);
      boolean isStored = isPut || (isSearched && tree.hasRoom(context, length));
      if (!isStored && isSearched) {
        removeFirst(context, REMOVED_FOR_ROOM, number - 1);
        length = begin(context, number, kind, image, keyOffset, keyLength, valueOffset);
        isStored = tree.hasRoom(context, length);
      }
      if (isStored) {
        boolean _ = tree.put(context, length);
      } else {
        lost(context, number);
      }
      context.putUnchecked(header + TreeLayout.POSITION_OFFSET, number);
    } finally {
      context.attach(own);
    }
  }

  private static int begin(
      TxContext context,
      long number,
      int kind,
      Encoder image,
      int keyOffset,
      int keyLength,
      int valueOffset) {
    int length = beginKey(context, number);
    Encoder change = Tree.beginValue(context);
    change.putInt(kind);
    change.putInt(keyLength);
    change.putBytes(image.array(), keyOffset, keyLength);
    change.putBytes(image.array(), valueOffset, image.length() - valueOffset);
    return length;
  }

  /**
   * Returns whether room is searched for before a change. A search that fails goes through all
   * pages of the region, so not each of many changes searches.
   */
  private boolean isSearchedFor(TxContext context, long number) {
    return number == 1 || lost(context) != number - 1 || number % LOST_TOGETHER == 0;
  }

  /** Removes what is too much with a new change. */
  private void removeOldest(TxContext context, long number) {
    long last = number - kept(context);
    long lost = lost(context);
    if (lost != 0) {
      removeFirst(context, LOST_REMOVED, Math.max(lost, last));
      if (oldestStored(context) >= lost) {
        lost(context, 0);
      }
    } else if (last > 0) {
      boolean _ = tree.remove(context, beginKey(context, last));
    }
  }

  /** Removes some of the oldest changes that are stored, up to a number. */
  private void removeFirst(TxContext context, int max, long last) {
    long oldest = oldestStored(context);
    for (long number = oldest + 1; number <= Math.min(oldest + max, last); number++) {
      boolean _ = tree.remove(context, beginKey(context, number));
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
    return oldestStored(context) < Math.max(lost(context), newest(context) - kept(context));
  }

  /** Removes some of the oldest changes, if they are too many. Returns whether they still are. */
  public boolean cut(TxContext context, int max) {
    removeFirst(context, max, Math.max(lost(context), newest(context) - kept(context)));
    return isTooLong(context);
  }

  // ---- Reading.

  /** Returns the number of the newest change, 0 if there was none. */
  public long newest(TxContext context) {
    return context.getUnchecked(header + TreeLayout.POSITION_OFFSET);
  }

  /** Returns the number of the newest change that was lost for want of room, or 0. */
  private long lost(TxContext context) {
    return context.getUnchecked(header + TreeLayout.LOST_OFFSET);
  }

  private void lost(TxContext context, long number) {
    context.putUnchecked(header + TreeLayout.LOST_OFFSET, number);
  }

  /** Returns the number before that of the oldest change. */
  public long oldest(TxContext context) {
    return Math.max(lost(context), oldestStored(context));
  }

  private long oldestStored(TxContext context) {
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
