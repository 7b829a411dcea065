package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;

/** Counts the bytes of all items in a store. */
final class ItemBytes {

  private ItemBytes() {}

  static long of(Store store, ItemStore itemStore) {
    PersistentMap<byte[], StoredItem> items =
        store.map("server.items", Codec.bytes(), StoredItem.CODEC);
    return store.read(
        tx ->
            items
                .entries(tx)
                .mapToLong(
                    entry ->
                        StoredItem.bytes(entry.getKey(), entry.getValue())
                            + (entry.getValue().large() == null
                                ? 0
                                : itemStore.values().bytes(entry.getValue().item().valueBytes())))
                .sum());
  }
}
