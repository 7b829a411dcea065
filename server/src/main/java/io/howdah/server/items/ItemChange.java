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
 *
 * <p>An attempt may find that it needs something which no transaction can provide: numbers, the
 * chunks of a large value, a reader's hold on one, or free memory. It then commits nothing and sets
 * the field that says so; {@link #provide} does it between two transactions.
 */
final class ItemChange implements TxBody<RuntimeException> {

  private static final byte[] NO_KEY = {};

  /** How often one change frees memory at most: other changes may use what it has freed. */
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
  private boolean needsNumbers;

  /** The value whose chunks have to be written before the transaction can run, or null. */
  private byte @Nullable [] needsChunks;

  /** Bytes that have to be free before the transaction can run; 0 for none. */
  private long neededRoom;

  /** How often this change has freed memory. */
  private int rounds;

  private long addedBytes;
  private @Nullable LargeValue published;
  private @Nullable LargeValue unpublished;

  /** Keeps the large value of the result readable; null if the command does not read it. */
  private @Nullable ValueKeeper keeper;

  /** The large value that has to be kept before the transaction can run, or null. */
  private @Nullable LargeValue needsKept;

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
    needsChunks = null;
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
   * Provides what the last attempt has found that it needs: takes numbers, writes the chunks of a
   * large value, keeps one, or frees memory. May wait.
   *
   * @return whether the transaction is to run again
   * @throws io.howdah.server.cache.CacheBusyException if too many large values are being read
   * @throws CacheFullException if there is no room
   */
  boolean provide() {
    byte[] value = needsChunks;
    LargeValue kept = needsKept;
    if (value != null) {
      endPrepared();
      ChunkWriter writer = store.writer(newNumber(), value.length);
      prepared = writer;
      preparedBytes = value;
      writer.add(ByteBuffer.wrap(value));
    } else if (kept != null && keeper != null) {
      keeper.keep(kept);
    } else if (needsNumbers) {
      store.numbers().refill(block);
    } else if (neededRoom > 0) {
      if (rounds == MAX_ROUNDS) {
        throw new CacheFullException("other commands have taken the room for the item");
      }
      rounds++;
      store.requireRoom(neededRoom);
    }
    return value != null || kept != null || needsNumbers || neededRoom > 0;
  }

  /** Returns a number that was never returned before. May wait. */
  long newNumber() {
    long number = store.numbers().draw(block, 0, 0);
    while (number == Numbering.NONE) {
      store.numbers().refill(block);
      number = store.numbers().draw(block, 0, 0);
    }
    return number;
  }

  /**
   * Returns the stored item that the change found, also if it has expired or was flushed; or null.
   */
  @Nullable StoredItem found() {
    return found;
  }

  /** Returns the item that commands would have found before the change, or null. */
  @Nullable Item foundLive() {
    return foundLive;
  }

  /** Returns the item after the change, or null if there is none. */
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
    needsNumbers = false;
    needsChunks = null;
    needsKept = null;
    neededRoom = 0;
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
          needsNumbers = true;
          return;
        }
      }
      // A flush may have set its mark since: a number drawn after that is above the mark. Read it
      // again.
    } while (mark != store.mark());
    store.restOnFlush(tx);
    if (mustKeepFirst(old, item)) {
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
  private boolean mustKeepFirst(@Nullable StoredItem old, @Nullable Item item) {
    ValueKeeper keeper = this.keeper;
    LargeValue large = item == null ? null : item.large();
    if (keeper == null || large == null || !isSame(large, old) || keeper.keeps(large)) {
      return false;
    }
    needsKept = large;
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
      needsChunks = value;
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

  /** Puts an item; returns false if memory has to be freed for it first. */
  private boolean put(Tx tx, @Nullable StoredItem old, StoredItem item) {
    long added = bytes(item) - (old == null ? 0 : bytes(old));
    LargeValue value = item.large();
    boolean isNewValue = value != null && !isSame(value, old);
    long room = added - (isNewValue ? valueBytes(value) : 0); // a pending value has its room
    if (room > 0 && !store.hasRoom(room)) {
      neededRoom = room;
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
