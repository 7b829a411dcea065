package io.howdah.collections.journal;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.ChangesHeldException;
import io.howdah.collections.changes.ChangesLostException;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.Tree;
import io.howdah.collections.structure.TreeCursor;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.words.Words;
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
 * <p>A journal that holds writers removes nothing that was not released. A transaction that would
 * need it waits until more is released, and ends with {@link ChangesHeldException} after a time.
 * See docs/adr/0082.
 *
 * <p>Thread-safe.
 */
public final class StoredJournal {

  /** Bytes of changes from which on no more are read at once. */
  private static final int MAX_READ_BYTES = 1 << 20;

  /**
   * How many of the oldest changes make room for a new one: those of a whole leaf are among them.
   */
  private static final int REMOVED_FOR_ROOM = 2 * TreeNodeLayout.MIDDLE.capacity + 1;

  /**
   * How often that many make room if the change must not be lost: what they free may be of other
   * lengths, so whole pages of them have to go.
   */
  private static final int HELD_ROUNDS = 64;

  /** How many changes that are lost, or too many, but still stored, each new change removes. */
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
  public static long create(Words words, long incarnation) {
    return Tree.create(words, incarnation, Long.BYTES, Codec.VARIABLE);
  }

  /**
   * Gives a journal without changes the numbers of one whose changes it is to hold.
   *
   * @param heldNanos as {@link #heldNanos(Words)}
   * @param released as {@link #released}
   */
  public void begin(Words words, long newest, long kept, long heldNanos, long released) {
    words.putUnchecked(header + TreeLayout.POSITION_OFFSET, newest);
    kept(words, kept);
    words.putUnchecked(header + TreeLayout.HELD_OFFSET, heldNanos);
    words.putUnchecked(header + TreeLayout.RELEASED_OFFSET, released);
  }

  // ---- Appending, within an operation of the map.

  /** Appends that a key got a value. */
  public void put(
      Words words, EncodingBuffer image, int keyOffset, int keyLength, int valueOffset) {
    append(words, ChangeLayout.PUT, image, keyOffset, keyLength, image, valueOffset);
  }

  /** Appends that a key got a value, where the two are in buffers of their own. */
  public void put(Words words, EncodingBuffer key, EncodingBuffer value, int valueOffset) {
    append(words, ChangeLayout.PUT, key, 0, key.length(), value, valueOffset);
  }

  /**
   * Appends that a key was removed.
   *
   * @param kind {@link ChangeLayout#REMOVED}, {@link ChangeLayout#EXPIRED} or {@link
   *     ChangeLayout#EVICTED}
   */
  public void removed(Words words, int kind, EncodingBuffer image, int keyOffset, int keyLength) {
    append(words, kind, image, keyOffset, keyLength, image, image.length());
  }

  private void append(
      Words words,
      int kind,
      EncodingBuffer key,
      int keyOffset,
      int keyLength,
      EncodingBuffer value,
      int valueOffset) {
    CollectionScratch own = CollectionScratch.of(words);
    words.attach(own.inner());
    try {
      long number = newest(words) + 1;
      long heldNanos = heldNanos(words);
      if (heldNanos > 0 && number - kept(words) > released(words)) {
        throw held(words, heldNanos, "it has its " + kept(words) + " changes");
      }
      boolean isPut = kind == ChangeLayout.PUT;
      boolean isSearched = isPut || isSearchedFor(words, number);
      removeOldest(words, number); // first: it makes room
      int length = begin(words, number, kind, key, keyOffset, keyLength, value, valueOffset);
      boolean isStored = isPut || (isSearched && tree.hasRoom(words, length));
      int rounds = heldNanos > 0 ? HELD_ROUNDS : 1;
      while (!isStored && isSearched && rounds-- > 0) {
        removeFirst(words, REMOVED_FOR_ROOM, heldNanos > 0 ? released(words) : number - 1);
        length = begin(words, number, kind, key, keyOffset, keyLength, value, valueOffset);
        isStored = tree.hasRoom(words, length);
      }
      if (isStored) {
        boolean _ = tree.put(words, length);
      } else if (heldNanos > 0) {
        throw held(words, heldNanos, "the store has no room for another change");
      } else {
        lost(words, number);
      }
      words.putUnchecked(header + TreeLayout.POSITION_OFFSET, number);
    } finally {
      words.attach(own);
    }
  }

  private static int begin(
      Words words,
      long number,
      int kind,
      EncodingBuffer key,
      int keyOffset,
      int keyLength,
      EncodingBuffer value,
      int valueOffset) {
    int length = beginKey(words, number);
    EncodingBuffer change = Tree.beginValue(words);
    change.putInt(kind);
    change.putInt(keyLength);
    change.putBytes(key.array(), keyOffset, keyLength);
    change.putBytes(value.array(), valueOffset, value.length() - valueOffset);
    return length;
  }

  /**
   * Returns whether room is searched for before a change. A search that fails goes through all
   * pages of the region, so not each of many changes searches.
   */
  private boolean isSearchedFor(Words words, long number) {
    return number == 1 || lost(words) != number - 1 || number % LOST_TOGETHER == 0;
  }

  /** Removes what is too much with a new change. */
  private void removeOldest(Words words, long number) {
    long last = number - kept(words);
    long lost = lost(words);
    if (lost != 0) {
      removeFirst(words, LOST_REMOVED, Math.max(lost, last));
      if (oldestStored(words) >= lost) {
        lost(words, 0);
      }
    } else if (last > 0 && heldNanos(words) > 0) {
      removeFirst(words, LOST_REMOVED, last); // earlier ones may have stayed that were not released
    } else if (last > 0) {
      boolean _ = tree.remove(words, beginKey(words, last));
    }
  }

  /** Removes some of the oldest changes that are stored, up to a number. */
  private void removeFirst(Words words, int max, long last) {
    long oldest = oldestStored(words);
    for (long number = oldest + 1; number <= Math.min(oldest + max, last); number++) {
      boolean _ = tree.remove(words, beginKey(words, number));
    }
  }

  private static int beginKey(Words words, long number) {
    Tree.beginKey(words).putBigEndianLong(number);
    return Tree.endKey(words);
  }

  // ---- The bound.

  /** Returns how many changes are kept. */
  public long kept(Words words) {
    return words.getUnchecked(header + TreeLayout.KEPT_OFFSET);
  }

  /** Sets how many changes are kept. Those that are too many by now are removed by {@link #cut}. */
  public void kept(Words words, long changes) {
    words.putUnchecked(header + TreeLayout.KEPT_OFFSET, changes);
  }

  /** Returns whether there are more changes than are to be kept. */
  public boolean isTooLong(Words words) {
    return oldestStored(words) < tooMany(words);
  }

  /** Returns the number of the newest change that is too many. */
  private long tooMany(Words words) {
    long last = newest(words) - kept(words);
    return Math.max(lost(words), heldNanos(words) > 0 ? Math.min(last, released(words)) : last);
  }

  /** Removes some of the oldest changes, if they are too many. Returns whether they still are. */
  public boolean cut(Words words, int max) {
    removeFirst(words, max, tooMany(words));
    return isTooLong(words);
  }

  // ---- Writers that wait.

  /** Returns for how many nanoseconds a transaction is held at most; 0 if none is. */
  public long heldNanos(Words words) {
    return words.getUnchecked(header + TreeLayout.HELD_OFFSET);
  }

  /** Sets for how long a transaction is held. What the journal lacks by now counts as released. */
  public void hold(Words words, long nanos) {
    words.putUnchecked(header + TreeLayout.HELD_OFFSET, nanos);
    if (nanos > 0) {
      words.putUnchecked(
          header + TreeLayout.RELEASED_OFFSET, Math.max(released(words), oldest(words)));
    }
  }

  /** Returns the number of the last change that readers have released, 0 at first. */
  public long released(Words words) {
    return words.getUnchecked(header + TreeLayout.RELEASED_OFFSET);
  }

  /** Notes that readers do not need the changes up to a number any more. */
  public void release(Words words, long position) {
    if (position < 0 || position > newest(words)) {
      throw words.refuse(
          new IllegalArgumentException(
              name
                  + " has changes up to position "
                  + newest(words)
                  + ", so those up to "
                  + position
                  + " cannot be released"));
    }
    if (position > released(words)) {
      words.putUnchecked(header + TreeLayout.RELEASED_OFFSET, position);
    }
  }

  private RuntimeException held(Words words, long nanos, String why) {
    long released = released(words);
    return words.holdBack(nanos, () -> new ChangesHeldException(name, why, released, nanos));
  }

  // ---- Reading.

  /** Returns the address of the word that {@link #newest} reads. */
  long newestAddress() {
    return header + TreeLayout.POSITION_OFFSET;
  }

  /** Returns the number of the newest change, 0 if there was none. */
  public long newest(Words words) {
    return words.getUnchecked(header + TreeLayout.POSITION_OFFSET);
  }

  /** Returns the number of the newest change that was lost for want of room, or 0. */
  private long lost(Words words) {
    return words.getUnchecked(header + TreeLayout.LOST_OFFSET);
  }

  private void lost(Words words, long number) {
    words.putUnchecked(header + TreeLayout.LOST_OFFSET, number);
  }

  /** Returns the number before that of the oldest change. */
  public long oldest(Words words) {
    return Math.max(lost(words), oldestStored(words));
  }

  private long oldestStored(Words words) {
    TreeCursor cursor = new TreeCursor(tree);
    cursor.first(words);
    return cursor.next(words) ? number(words, cursor) - 1 : newest(words);
  }

  private static long number(Words words, TreeCursor cursor) {
    return cursor.key(words).getBigEndianLong();
  }

  /** Refuses a position behind which changes cannot be read. */
  public void requirePosition(Words words, long position) {
    if (position < 0 || position > newest(words)) {
      throw words.refuse(
          new IllegalArgumentException(
              name
                  + " has changes up to position "
                  + newest(words)
                  + ", so none can be read behind "
                  + position
                  + "; a position may have been lost by a power cut if it was told in ASYNC"));
    }
    long oldest = oldest(words);
    if (position < oldest) {
      throw words.refuse(new ChangesLostException(name, position, oldest));
    }
  }

  /**
   * Returns changes behind a position, in their order.
   *
   * @param max maximum number, at least 1
   */
  public <K, V> List<Change<K, V>> after(
      Words words, long position, int max, ChangeCodec<K, V> codec) {
    if (max < 1) {
      throw words.refuse(
          new IllegalArgumentException("at least 1 change is read from " + name + ", not " + max));
    }
    if (position == newest(words)) {
      return List.of(); // the common case reads one word
    }
    requirePosition(words, position);
    // First all bytes: a codec may use the store, and end the position of the cursor.
    List<byte[]> stored = new ArrayList<>();
    TreeCursor cursor = new TreeCursor(tree);
    cursor.seek(words, beginKey(words, position + 1), false);
    int bytes = 0;
    while (stored.size() < max && bytes < MAX_READ_BYTES && cursor.next(words)) {
      if (number(words, cursor) != position + stored.size() + 1) {
        throw words.inconsistentRead(-1, "a number of " + name);
      }
      byte[] change = cursor.value(words).peek();
      stored.add(change);
      bytes += change.length;
    }
    List<Change<K, V>> changes = new ArrayList<>();
    for (byte[] change : stored) {
      changes.add(decode(words, position + changes.size() + 1, change, codec));
    }
    return changes;
  }

  private <K, V> Change<K, V> decode(
      Words words, long number, byte[] change, ChangeCodec<K, V> codec) {
    DecodingBuffer in = CollectionScratch.of(words).decoder;
    in.wrap(change, 0, change.length);
    int kind = change.length < ChangeLayout.KEY_OFFSET ? 0 : in.getInt();
    int keyLength = kind == 0 ? 0 : in.getInt();
    int end = change.length - ChangeLayout.KEY_OFFSET;
    if (keyLength < 0 || keyLength > end) {
      throw words.inconsistentRead(-1, "change " + number + " of " + name);
    }
    in.wrap(change, ChangeLayout.KEY_OFFSET, keyLength);
    return switch (kind) {
      case ChangeLayout.PUT -> {
        K key = codec.keys().decode(words, in);
        in.wrap(change, ChangeLayout.KEY_OFFSET + keyLength, end - keyLength);
        yield new Change.Put<>(number, key, codec.values().decode(words, in));
      }
      case ChangeLayout.REMOVED -> new Change.Removed<>(number, codec.keys().decode(words, in));
      case ChangeLayout.EXPIRED -> new Change.Expired<>(number, codec.keys().decode(words, in));
      case ChangeLayout.EVICTED -> new Change.Evicted<>(number, codec.keys().decode(words, in));
      default -> throw words.inconsistentRead(-1, "change " + number + " of " + name);
    };
  }

  @Override
  public String toString() {
    return name;
  }
}
