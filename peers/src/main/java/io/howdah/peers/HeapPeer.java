package io.howdah.peers;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Maps of the Java library: what the same calls cost without transactions and without a disk. */
final class HeapPeer<K extends Comparable<K>> implements Peer, Peer.Session {

  private final Map<K, byte[]> map;
  private final LongFunction<K> keyOf;
  private final ToLongFunction<K> keyPart;

  HeapPeer(boolean sorted, LongFunction<K> keyOf, ToLongFunction<K> keyPart) {
    this.keyPart = keyPart;
    this.keyOf = keyOf;
    map = sorted ? new ConcurrentSkipListMap<>() : new ConcurrentHashMap<>();
  }

  @Override
  public Session session() {
    return this;
  }

  @Override
  public byte @Nullable [] get(long key) {
    byte[] value = map.get(keyOf.apply(key));
    return value == null ? null : value.clone();
  }

  @Override
  public long scan(long from, int entries) {
    if (!(map instanceof ConcurrentSkipListMap<K, byte[]> sorted)) {
      throw new UnsupportedOperationException("a hash map has no ranges");
    }
    long sum = 0;
    int left = entries;
    for (Map.Entry<K, byte[]> entry : sorted.tailMap(keyOf.apply(from)).entrySet()) {
      sum += keyPart.applyAsLong(entry.getKey()) + KeyForm.part(entry.getValue().clone());
      if (--left == 0) {
        break;
      }
    }
    return sum;
  }

  @Override
  public void put(long[] keys, byte[][] values, int count) {
    for (int i = 0; i < count; i++) {
      map.put(keyOf.apply(keys[i]), values[i].clone());
    }
  }

  @Override
  public void close() {}
}
