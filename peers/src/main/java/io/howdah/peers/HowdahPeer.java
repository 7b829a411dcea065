package io.howdah.peers;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.LoadOptions;
import io.howdah.collections.LoadResult;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Howdah, as its users use it: a map and lambdas. Asynchronous reads do not wait for what they have
 * read either.
 */
final class HowdahPeer<K> implements Peer {

  private final Store store;
  private final TxOptions how;
  private final boolean sync;
  private final boolean sorted;
  private final OrderedCodec<K> codec;
  private final LongFunction<K> keyOf;
  private final ToLongFunction<K> keyPart;

  HowdahPeer(
      Path folder,
      boolean sync,
      long maxBytes,
      boolean sorted,
      OrderedCodec<K> codec,
      LongFunction<K> keyOf,
      ToLongFunction<K> keyPart) {
    this.codec = codec;
    this.keyPart = keyPart;
    this.keyOf = keyOf;
    store = Store.open(folder, StoreOptions.defaults().withMaxSize(maxBytes));
    how = sync ? TxOptions.sync() : TxOptions.async();
    this.sync = sync;
    this.sorted = sorted;
  }

  @Override
  public Session session() {
    return sorted ? new Sorted() : new Hashed();
  }

  private void put(KeyedCollection<K, byte[]> map, long[] keys, byte[][] values, int count) {
    if (count == 1) {
      store.run(how, tx -> map.put(tx, keyOf.apply(keys[0]), values[0]));
      return;
    }
    List<Map.Entry<K, byte[]>> batch = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      batch.add(Map.entry(keyOf.apply(keys[i]), values[i]));
    }
    store.run(how, tx -> map.putAll(tx, batch));
  }

  private static final class Ascending<K> implements Iterator<Map.Entry<K, byte[]>> {
    private final LongFunction<K> keyOf;
    private final Supplier<byte[]> values;
    private final long end;
    private long next;

    Ascending(long first, long end, LongFunction<K> keyOf, Supplier<byte[]> values) {
      this.next = first;
      this.end = end;
      this.keyOf = keyOf;
      this.values = values;
    }

    @Override
    public boolean hasNext() {
      return next < end;
    }

    @Override
    public Map.Entry<K, byte[]> next() {
      return Map.entry(keyOf.apply(next++), values.get());
    }
  }

  private final class Sorted implements Session {
    private final PersistentSortedMap<K, byte[]> map =
        store.sortedMap("entries", codec, Codec.bytes());

    @Override
    public byte @Nullable [] get(long key) {
      return store.read(how, tx -> Optional.ofNullable(map.get(tx, keyOf.apply(key)))).orElse(null);
    }

    @Override
    public long scan(long from, int entries) {
      long[] found = new long[2];
      store.read(
          how,
          tx -> {
            found[0] = 0;
            found[1] = 0;
            map.scan(
                tx,
                keyOf.apply(from),
                null,
                (key, value) -> {
                  found[0] += keyPart.applyAsLong(key) + KeyForm.part(value);
                  return ++found[1] < entries;
                });
            return true;
          });
      return found[0];
    }

    @Override
    public void put(long[] keys, byte[][] values, int count) {
      HowdahPeer.this.put(map, keys, values, count);
    }

    @Override
    public void putAscending(long first, long count, Supplier<byte[]> values) {
      LoadOptions options =
          LoadOptions.defaults().withDurability(sync ? Durability.SYNC : Durability.ASYNC);
      LoadResult _ = map.load(new Ascending<>(first, first + count, keyOf, values), options);
    }
  }

  private final class Hashed implements Session {
    private final PersistentMap<K, byte[]> map = store.map("entries", codec, Codec.bytes());

    @Override
    public byte @Nullable [] get(long key) {
      return store.read(how, tx -> Optional.ofNullable(map.get(tx, keyOf.apply(key)))).orElse(null);
    }

    @Override
    public long scan(long from, int entries) {
      throw new UnsupportedOperationException("a hash map has no ranges");
    }

    @Override
    public void put(long[] keys, byte[][] values, int count) {
      HowdahPeer.this.put(map, keys, values, count);
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
