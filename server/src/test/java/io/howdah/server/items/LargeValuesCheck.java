package io.howdah.server.items;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.server.cache.Cache;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ValueReader;
import io.howdah.txn.Tx;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Objects;
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
        .map(StoredItem::large)
        .filter(Objects::nonNull)
        .forEach(value -> assertThat(used.add(value.id())).as("one item has it").isTrue());
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

  /** Returns the value of an item that was just read, large or not. */
  static byte[] valueOf(Cache cache, Item item) {
    if (item.large() == null) {
      return item.value();
    }
    ByteBuffer value = ByteBuffer.allocate(item.valueBytes());
    try (ValueReader reader = cache.reader()) {
      for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
        value.put(piece);
      }
    }
    assertThat(value.hasRemaining()).isFalse();
    return value.array();
  }

  /** Every chunk is that of an item's value, once the background had its turn. */
  static void nothingIsPending(Store store, ItemStore items) {
    items.values().freeSome();
    everyChunkHasAnOwner(store, items);
    assertThat(store.read(items.values()::pending)).isEmpty();
    assertThat(items.values().pendingBytes()).isZero();
    assertThat(items.values().held()).isZero();
  }
}
