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
  private long addedBytes;

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
  }

  Numbering.Block block() {
    return block;
  }

  /** Returns the item that is there now, or null. */
  @Nullable Item result() {
    return result;
  }

  /** Returns whether an item was put. */
  boolean isWritten() {
    return isWritten;
  }

  /** Returns whether nothing was done for want of a number. */
  boolean wantsNumbers() {
    return wantsNumbers;
  }

  /** Returns by how much the bytes of all items have grown. */
  long addedBytes() {
    return addedBytes;
  }

  @Override
  public void run(Tx tx) {
    result = null;
    isWritten = false;
    wantsNumbers = false;
    addedBytes = 0;
    StoredItem old = items.get(tx, key);
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
        put(tx, old, new StoredItem(numbered, birth));
      }
    }
  }

  private void put(Tx tx, @Nullable StoredItem old, StoredItem item) {
    addedBytes = StoredItem.bytes(key, item) - (old == null ? 0 : StoredItem.bytes(key, old));
    if (addedBytes > 0) {
      store.requireRoom(addedBytes);
    }
    items.put(tx, key, item);
    isWritten = true;
    count(tx);
  }

  private void remove(Tx tx, @Nullable StoredItem old) {
    if (old != null) {
      items.remove(tx, key);
      addedBytes = -StoredItem.bytes(key, old);
      count(tx);
    }
  }

  private void count(Tx tx) {
    if (addedBytes != 0) {
      bytes.add(tx, addedBytes);
    }
  }
}
