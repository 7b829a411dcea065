package io.howdah.peers;

import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerSize;
import java.nio.file.Path;

/** Opens stores. */
final class Peers {

  private static final long MIN_BYTES = 1L << 28;

  /** Room for what a store keeps of old versions, where the room is fixed when it is opened. */
  private static final int ROOM = 16;

  private Peers() {}

  /**
   * Opens a store, or makes it.
   *
   * @param sync whether each commit is to survive a power failure
   * @param size of what it will hold
   */
  static Peer open(PeerKind kind, Path folder, boolean sync, PeerSize size) throws Exception {
    long maxBytes = Math.max(MIN_BYTES, ROOM * size.bytes());
    return switch (kind) {
      case HOWDAH -> new HowdahPeer(folder, sync, maxBytes, true);
      case HOWDAH_HASH -> new HowdahPeer(folder, sync, maxBytes, false);
      case MVSTORE -> new MvStorePeer(folder, sync);
      case MAPDB -> new MapDbPeer(folder);
      case LMDB -> new LmdbPeer(folder, sync, maxBytes);
      case ROCKSDB -> new RocksPeer(folder, sync);
      case XODUS -> new XodusPeer(folder, sync);
      case JE -> new JePeer(folder, sync);
      case CHRONICLE -> new ChroniclePeer(folder, size);
      case HEAP -> new HeapPeer(true);
      case HEAP_HASH -> new HeapPeer(false);
    };
  }
}
