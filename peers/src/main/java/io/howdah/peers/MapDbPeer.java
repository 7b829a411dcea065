package io.howdah.peers;

import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.ConcurrentNavigableMap;
import org.jspecify.annotations.Nullable;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/** MapDB with its write-ahead log. It has one transaction for all threads. */
final class MapDbPeer implements Peer, Peer.Session {

  private final DB db;
  private final ConcurrentNavigableMap<Long, byte[]> map;

  MapDbPeer(Path folder) {
    db =
        DBMaker.fileDB(folder.resolve("store.db").toFile())
            .fileMmapEnableIfSupported()
            .transactionEnable()
            .make();
    map = db.treeMap("entries", Serializer.LONG, Serializer.BYTE_ARRAY).createOrOpen();
  }

  @Override
  public Session session() {
    return this;
  }

  @Override
  public byte @Nullable [] get(long key) {
    return map.get(key);
  }

  @Override
  public long scan(long from, int entries) {
    Iterator<byte[]> found = map.tailMap(from).values().iterator();
    long bytes = 0;
    for (int left = entries; left > 0 && found.hasNext(); left--) {
      bytes += found.next().length;
    }
    return bytes;
  }

  /** Its commit takes along what other threads have put; a lock keeps transactions whole. */
  @Override
  public synchronized void put(long[] keys, byte[][] values, int count) {
    for (int i = 0; i < count; i++) {
      map.put(keys[i], values[i]);
    }
    db.commit();
  }

  @Override
  public void close() {
    db.close();
  }
}
