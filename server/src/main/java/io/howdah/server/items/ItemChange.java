package io.howdah.server.items;

import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentMap;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.server.cache.LargeValue;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The transaction that changes the item under one key. A connection has one such object and uses it
 * for one command after the other. Its results are those of the last attempt. For one thread.
 */
final class ItemChange implements TxBody<RuntimeException> {

  private static final byte[] NO_KEY = {};

  /** How often one change makes room at most: others may take what it has made. */
  private static final int MAX_ROUNDS = 1 << 6;

  private final PersistentMap<byte[], StoredItem> items;
  private final PersistentCounter bytes;
  private final ItemStore store;
  private final Numbering.Block block = new Numbering.Block();

  private byte[] key = NO_KEY;
  private ItemUpdate update = current -> current;
  private long now;

  private @Nullable StoredItem found;
  private @Nullable Item foundLive;
  private @Nullable Item result;
  private boolean isWritten;
  private boolean isNewValue;
  private boolean isChangedInPlace;
  private boolean wantsNumbers;
  private byte @Nullable [] wantsChunks;

  /** Bytes that have to be free before the transaction can run; 0 for none. */
  private long wantsRoom;

  /** How often this change has made room. */
  private int rounds;

  private long addedBytes;
  private @Nullable LargeValue published;
  private @Nullable LargeValue unpublished;

  /** Keeps the large value of the result readable; null if that is not wanted. */
  private @Nullable ValueKeeper keeper;

  /** The large value that is to be kept before the transaction can run. */
  private @Nullable LargeValue wantsKept;

  /** A large value that was written for the command from an array, or null. */
  private @Nullable ChunkWriter prepared;

  private byte @Nullable [] preparedBytes;

  ItemChange(ItemStore store, PersistentMap<byte[], StoredItem> items, PersistentCounter bytes) {
    this.store = store;
    this.items = items;
    this.bytes = bytes;
  }

  /** Keeps large values from being freed, one at a time. */
  interface ValueKeeper {

    /** Returns whether it keeps this value. */
    boolean keeps(LargeValue value);

    /** Keeps this value and no other one, unless it is being freed. */
    void keep(LargeValue value);
  }

  /** Sets what the next transaction does. */
  void prepare(byte[] key, ItemUpdate update, long now) {
    this.key = key;
    this.update = update;
    this.now = now;
    this.rounds = 0;
  }

  /** Lets the next transaction keep the large value of its result, if the item had it before. */
  void keepWith(ValueKeeper keeper) {
    this.keeper = keeper;
  }

  /** Forgets the item and the update, which may hold a large value. */
  void clear() {
    key = NO_KEY;
    update = current -> current;
    result = null;
    found = null;
    foundLive = null;
    wantsChunks = null;
    keeper = null;
    published = null;
    unpublished = null;
    endPrepared();
  }

  private void endPrepared() {
    ChunkWriter former = prepared;
    prepared = null;
    preparedBytes = null;
    if (former != null) {
      former.close();
    }
  }

  /**
   * Does what the transaction needs before it can run, if it has found that out: takes numbers,
   * writes a large value, keeps one, or makes room. May wait.
   *
   * @return whether the transaction is to run again
   * @throws io.howdah.server.cache.CacheBusyException if too many large values are being read
   * @throws CacheFullException if there is no room
   */
  boolean provide() {
    byte[] value = wantsChunks;
    LargeValue kept = wantsKept;
    if (value != null) {
      endPrepared();
      ChunkWriter writer = store.writer(newNumber(), value.length);
      prepared = writer;
      preparedBytes = value;
      writer.add(ByteBuffer.wrap(value));
    } else if (kept != null && keeper != null) {
      keeper.keep(kept);
    } else if (wantsNumbers) {
      store.numbers().refill(block);
    } else if (wantsRoom > 0) {
      if (rounds == MAX_ROUNDS) {
        throw new CacheFullException("others have taken the room for the item");
      }
      rounds++;
      store.requireRoom(wantsRoom);
    }
    return value != null || kept != null || wantsNumbers || wantsRoom > 0;
  }

  /** Returns a number that nobody got before. May wait. */
  long newNumber() {
    long number = store.numbers().draw(block, 0, 0);
    while (number == Numbering.NONE) {
      store.numbers().refill(block);
      number = store.numbers().draw(block, 0, 0);
    }
    return number;
  }

  /** Returns the item that was there before, gone or not, or null. */
  @Nullable StoredItem found() {
    return found;
  }

  /** Returns the item that was there before for commands, or null. */
  @Nullable Item foundLive() {
    return foundLive;
  }

  /** Returns the item that is there now, or null. */
  @Nullable Item result() {
    return result;
  }

  /** Returns whether an item was put. */
  boolean isWritten() {
    return isWritten;
  }

  /** Returns whether a new item was put, with a value of its own. */
  boolean isNewValue() {
    return isNewValue;
  }

  /** Returns whether an item was put whose value was changed in its place. */
  boolean isChangedInPlace() {
    return isChangedInPlace;
  }

  /** Returns by how much the bytes of all items have grown. */
  long addedBytes() {
    return addedBytes;
  }

  /** Returns the large value that an item was given, or null. */
  @Nullable LargeValue published() {
    return published;
  }

  /** Returns the large value that became pending, or null. */
  @Nullable LargeValue unpublished() {
    return unpublished;
  }

  @Override
  public void run(Tx tx) {
    result = null;
    isWritten = false;
    isNewValue = false;
    isChangedInPlace = false;
    wantsNumbers = false;
    wantsChunks = null;
    wantsKept = null;
    wantsRoom = 0;
    addedBytes = 0;
    published = null;
    unpublished = null;
    StoredItem old = items.get(tx, key);
    found = old;
    long mark;
    Item current;
    Item item;
    long birth;
    do {
      mark = store.mark();
      current = old == null ? null : old.live(mark, now);
      foundLive = current;
      item = update.apply(current);
      birth = old == null ? Numbering.NONE : old.birth();
      if (item != null && (current == null || item.cas() != current.cas())) {
        birth = store.numbers().draw(block, mark, old == null ? 0 : old.item().cas());
        if (birth == Numbering.NONE) {
          wantsNumbers = true;
          return;
        }
      }
      // A number above the mark of a flush is drawn after the mark was shown: so look again.
    } while (mark != store.mark());
    store.restOnFlush(tx);
    if (wantsKept(old, item)) {
      return;
    }
    if (item == null) {
      remove(tx, old);
    } else if (item == current) {
      result = item;
    } else {
      Item numbered = item.cas() == Item.NEW_CAS ? item.withCas(birth) : item;
      result = numbered;
      if (item.isExpired(now)) {
        remove(tx, old);
      } else {
        StoredItem stored = stored(numbered, birth);
        if (stored != null && put(tx, old, stored)) {
          boolean hasOtherValue = current == null || !item.keepsValueOf(current);
          isChangedInPlace = hasOtherValue && item.isChangedInPlace();
          isNewValue = hasOtherValue && !isChangedInPlace;
        }
      }
    }
  }

  /** Returns whether the large value that an item has, and had before, has to be kept first. */
  private boolean wantsKept(@Nullable StoredItem old, @Nullable Item item) {
    ValueKeeper keeper = this.keeper;
    LargeValue large = item == null ? null : item.large();
    if (keeper == null || large == null || !isSame(large, old) || keeper.keeps(large)) {
      return false;
    }
    wantsKept = large;
    return true;
  }

  private static boolean isSame(LargeValue value, @Nullable StoredItem old) {
    return old != null && value.equals(old.large());
  }

  /** Returns the item to be put, or null if its large value has to be written first. */
  private @Nullable StoredItem stored(Item item, long birth) {
    if (item.large() != null) {
      return new StoredItem(item, birth);
    }
    byte[] value = item.value();
    if (!store.values().isLarge(value.length)) {
      return new StoredItem(item, birth);
    }
    ChunkWriter ready = prepared;
    if (ready == null || !Arrays.equals(preparedBytes, value)) {
      wantsChunks = value;
      return null;
    }
    return new StoredItem(item.withLarge(ready.value(), item.cas()), birth);
  }

  private long bytes(StoredItem item) {
    return StoredItem.bytes(key, item) + valueBytes(item.large());
  }

  private long valueBytes(@Nullable LargeValue value) {
    return value == null ? 0 : store.values().bytes(value.length());
  }

  /** Puts an item; returns false if room has to be made for it first. */
  private boolean put(Tx tx, @Nullable StoredItem old, StoredItem item) {
    long added = bytes(item) - (old == null ? 0 : bytes(old));
    LargeValue value = item.large();
    boolean isNewValue = value != null && !isSame(value, old);
    long room = added - (isNewValue ? valueBytes(value) : 0); // a pending value has its room
    if (room > 0 && !store.hasRoom(room)) {
      wantsRoom = room;
      return false;
    }
    addedBytes = added;
    items.put(tx, key, item);
    if (value != null && isNewValue) {
      store.values().publish(tx, value.id());
      published = value;
    }
    if (value == null || isNewValue) {
      unpublish(tx, old);
    }
    isWritten = true;
    count(tx);
    return true;
  }

  private void remove(Tx tx, @Nullable StoredItem old) {
    if (old != null) {
      items.remove(tx, key);
      unpublish(tx, old);
      addedBytes = -bytes(old);
      count(tx);
    }
  }

  private void unpublish(Tx tx, @Nullable StoredItem old) {
    LargeValue value = old == null ? null : old.large();
    if (value != null) {
      store.values().unpublish(tx, value);
      unpublished = value;
    }
  }

  private void count(Tx tx) {
    if (addedBytes != 0) {
      bytes.add(tx, addedBytes);
    }
  }
}
