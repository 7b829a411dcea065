package io.howdah.peers;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;
import org.mapdb.serializer.GroupSerializer;

/** MapDB with its write-ahead log. It has one transaction for all threads. */
final class MapDbPeer<K> implements Peer, Peer.Session {

  private final DB db;
  private final ConcurrentNavigableMap<K, byte[]> map;
  private final LongFunction<K> keyOf;
  private final ToLongFunction<K> keyPart;

  MapDbPeer(
      Path folder, GroupSerializer<K> keys, LongFunction<K> keyOf, ToLongFunction<K> keyPart) {
    this.keyOf = keyOf;
    this.keyPart = keyPart;
    db =
        DBMaker.fileDB(folder.resolve("store.db").toFile())
            .fileMmapEnableIfSupported()
            .transactionEnable()
            .make();
    map = db.treeMap("entries", keys, Serializer.BYTE_ARRAY).createOrOpen();
  }

  @Override
  public Session session() {
    return this;
  }

  @Override
  public byte @Nullable [] get(long key) {
    return map.get(keyOf.apply(key));
  }

  @Override
  public long scan(long from, int entries) {
    Iterator<Map.Entry<K, byte[]>> found = map.tailMap(keyOf.apply(from)).entrySet().iterator();
    long sum = 0;
    for (int left = entries; left > 0 && found.hasNext(); left--) {
      Map.Entry<K, byte[]> entry = found.next();
      sum += keyPart.applyAsLong(entry.getKey()) + KeyForm.part(entry.getValue());
    }
    return sum;
  }

  /** Its commit takes along what other threads have put; a lock keeps transactions whole. */
  @Override
  public synchronized void put(long[] keys, byte[][] values, int count) {
    for (int i = 0; i < count; i++) {
      map.put(keyOf.apply(keys[i]), values[i]);
    }
    db.commit();
  }

  @Override
  public void close() {
    db.close();
  }
}
