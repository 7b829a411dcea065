package io.howdah.peers;

import io.howdah.jmh.peers.PeerKeys;
import io.howdah.jmh.peers.PeerSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongFunction;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import org.jspecify.annotations.Nullable;

/** Chronicle Map in a file. It has neither transactions nor ranges, and nothing forces its file. */
final class ChroniclePeer<K> implements Peer, Peer.Session {

  /** Entries beside those of the workloads: it takes no more than it was created for. */
  private static final long SPARE_ENTRIES = 10_000;

  private final ChronicleMap<K, byte[]> map;
  private final LongFunction<K> keyOf;

  ChroniclePeer(Path folder, PeerSize size, Class<K> type, LongFunction<K> keyOf)
      throws IOException {
    this.keyOf = keyOf;
    ChronicleMapBuilder<K, byte[]> builder =
        ChronicleMap.of(type, byte[].class)
            .name("entries")
            .entries(size.entries() + SPARE_ENTRIES)
            .averageValueSize(size.valueBytes());
    if (size.keys() == PeerKeys.STRING) {
      builder.averageKeySize(size.keys().bytes());
    }
    map = builder.createPersistedTo(folder.resolve("entries.dat").toFile());
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
    throw new UnsupportedOperationException("Chronicle Map has no ranges");
  }

  /** Puts one after the other: a kill, and other threads, see some of them. */
  @Override
  public void put(long[] keys, byte[][] values, int count) {
    for (int i = 0; i < count; i++) {
      map.put(keyOf.apply(keys[i]), values[i]);
    }
  }

  @Override
  public void close() {
    map.close();
  }
}
