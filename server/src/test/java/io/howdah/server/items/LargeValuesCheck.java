package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Tx;
import java.util.HashSet;
import java.util.Set;

/** Checks the invariant of {@link LargeValues}. */
final class LargeValuesCheck {

  private LargeValuesCheck() {}

  private static Set<Long> usedIds(Store store, Tx tx) {
    PersistentMap<byte[], StoredItem> items =
        store.map("server.items", Codec.bytes(), StoredItem.CODEC);
    Set<Long> used = new HashSet<>();
    items
        .values(tx)
        .filter(StoredItem::isLarge)
        .forEach(item -> assertThat(used.add(item.valueId())).as("one item has it").isTrue());
    return used;
  }

  /** Every chunk is that of an item's value or of a pending one, and no value is both. */
  static void everyChunkHasAnOwner(Store store, ItemStore items) {
    Set<Long> used = store.read(tx -> usedIds(store, tx));
    Set<Long> pending = store.read(tx -> items.values().pending(tx).keySet());
    Set<Long> owners = store.read(items.values()::owners);
    assertThat(pending.stream().filter(used::contains)).isEmpty();
    Set<Long> all = new HashSet<>(used);
    all.addAll(pending);
    assertThat(owners).isEqualTo(all);
  }

  /** Every chunk is that of an item's value. */
  static void nothingIsPending(Store store, ItemStore items) {
    everyChunkHasAnOwner(store, items);
    assertThat(store.read(items.values()::pending)).isEmpty();
  }
}
