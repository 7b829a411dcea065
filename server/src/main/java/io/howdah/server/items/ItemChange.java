package io.howdah.server.items;

import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentMap;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemUpdate;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import org.jspecify.annotations.Nullable;

/**
 * The transaction that changes the item under one key. A connection has one such object and uses it
 * for one command after the other. Its results are those of the last attempt. For one thread.
 */
final class ItemChange implements TxBody<RuntimeException> {

  private static final byte[] NO_KEY = {};

  private final PersistentMap<byte[], StoredItem> items;
  private final PersistentCounter bytes;
  private final ItemStore store;
  private final Numbering.Block block = new Numbering.Block();

  private byte[] key = NO_KEY;
  private ItemUpdate update = current -> current;
  private long now;

  private @Nullable Item result;
  private boolean isWritten;
  private boolean wantsNumbers;
  private byte @Nullable [] wantsChunks;
  private long addedBytes;
  private long unpublished;

  /** The large value that was written for the command, or null. */
  private LargeValues.@Nullable Prepared prepared;

  ItemChange(ItemStore store, PersistentMap<byte[], StoredItem> items, PersistentCounter bytes) {
    this.store = store;
    this.items = items;
    this.bytes = bytes;
  }

  /** Sets what the next transaction does. */
  void prepare(byte[] key, ItemUpdate update, long now) {
    this.key = key;
    this.update = update;
    this.now = now;
  }

  /** Forgets the item and the update, which may hold a large value. */
  void clear() {
    key = NO_KEY;
    update = current -> current;
    result = null;
    wantsChunks = null;
    LargeValues.Prepared unused = prepared;
    if (unused != null) {
      prepared = null;
      unused.end();
    }
  }

  /**
   * Does what the transaction needs before it can run, if it has found that out: takes numbers, or
   * writes a large value. May wait.
   *
   * @return whether the transaction is to run again
   */
  boolean provide() {
    byte[] value = wantsChunks;
    if (value != null) {
      LargeValues.Prepared former = prepared;
      prepared = null;
      if (former != null) {
        former.end();
      }
      prepared = new LargeValues.Prepared(store.values(), newNumber(), value);
    } else if (wantsNumbers) {
      store.numbers().refill(block);
    }
    return value != null || wantsNumbers;
  }

  private long newNumber() {
    long number = store.numbers().draw(block, 0, 0);
    while (number == Numbering.NONE) {
      store.numbers().refill(block);
      number = store.numbers().draw(block, 0, 0);
    }
    return number;
  }

  /** Returns the item that is there now, or null. */
  @Nullable Item result() {
    return result;
  }

  /** Returns whether an item was put. */
  boolean isWritten() {
    return isWritten;
  }

  /** Returns by how much the bytes of all items have grown. */
  long addedBytes() {
    return addedBytes;
  }

  /** Returns the id of the large value that became pending, or 0. */
  long unpublished() {
    return unpublished;
  }

  @Override
  public void run(Tx tx) {
    result = null;
    isWritten = false;
    wantsNumbers = false;
    wantsChunks = null;
    addedBytes = 0;
    unpublished = 0;
    StoredItem old = store.find(tx, key);
    long mark;
    Item current;
    Item item;
    long birth;
    do {
      mark = store.mark();
      current = old == null ? null : old.live(mark, now);
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
        StoredItem stored = stored(old, numbered, birth);
        if (stored != null) {
          put(tx, old, stored);
        }
      }
    }
    if (result != null && old != null && old.isLarge() && result.sharesValueOf(old.item())) {
      result.value(); // within the transaction, which ends
    }
  }

  /** Returns the item to be put, or null if its large value has to be written first. */
  private @Nullable StoredItem stored(@Nullable StoredItem old, Item item, long birth) {
    if (old != null && old.isLarge() && item.sharesValueOf(old.item())) {
      return new StoredItem(item, birth, old.valueId(), old.valueBytes());
    }
    byte[] value = item.value();
    if (!store.values().isLarge(value.length)) {
      return new StoredItem(item, birth);
    }
    LargeValues.Prepared ready = prepared;
    if (ready == null || !ready.is(value)) {
      wantsChunks = value;
      return null;
    }
    return new StoredItem(item, birth, ready.id(), value.length);
  }

  private long bytes(StoredItem item) {
    return StoredItem.bytes(key, item) + store.values().bytes(item.valueBytes());
  }

  private void put(Tx tx, @Nullable StoredItem old, StoredItem item) {
    addedBytes = bytes(item) - (old == null ? 0 : bytes(old));
    if (addedBytes > 0) {
      store.requireRoom(addedBytes);
    }
    items.put(tx, key, item);
    long oldValue = old == null ? 0 : old.valueId();
    if (item.valueId() != oldValue) {
      if (item.isLarge()) {
        store.values().publish(tx, item.valueId());
      }
      unpublish(tx, old);
    }
    isWritten = true;
    count(tx);
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
    if (old != null && old.isLarge()) {
      store.values().unpublish(tx, old.valueId(), old.valueBytes());
      unpublished = old.valueId();
    }
  }

  private void count(Tx tx) {
    if (addedBytes != 0) {
      bytes.add(tx, addedBytes);
    }
  }
}
