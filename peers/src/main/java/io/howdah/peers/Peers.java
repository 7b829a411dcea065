package io.howdah.peers;

import io.howdah.codec.Codec;
import io.howdah.jmh.peers.PeerKeys;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerSize;
import java.nio.file.Path;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;
import org.mapdb.Serializer;

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
    PeerKeys keys = size.keys();
    return switch (kind) {
      case LMDB -> new LmdbPeer(folder, sync, maxBytes, keys);
      case ROCKSDB -> new RocksPeer(folder, sync, keys);
      case XODUS -> new XodusPeer(folder, sync, keys);
      case JE -> new JePeer(folder, sync, keys);
      case HOWDAH, HOWDAH_HASH -> {
        boolean sorted = kind == PeerKind.HOWDAH;
        yield switch (keys) {
          case LONG ->
              new HowdahPeer<>(
                  folder, sync, maxBytes, sorted, Codec.int64(), number -> number, KeyForm::part);
          case STRING ->
              new HowdahPeer<>(
                  folder, sync, maxBytes, sorted, Codec.utf8(), KeyForm::text, KeyForm::part);
        };
      }
      case MVSTORE ->
          switch (keys) {
            case LONG ->
                new MvStorePeer<>(
                    folder, sync, LongDataType.INSTANCE, number -> number, KeyForm::part);
            case STRING ->
                new MvStorePeer<>(
                    folder, sync, StringDataType.INSTANCE, KeyForm::text, KeyForm::part);
          };
      case MAPDB ->
          switch (keys) {
            case LONG -> new MapDbPeer<>(folder, Serializer.LONG, number -> number, KeyForm::part);
            case STRING -> new MapDbPeer<>(folder, Serializer.STRING, KeyForm::text, KeyForm::part);
          };
      case CHRONICLE ->
          switch (keys) {
            case LONG -> new ChroniclePeer<>(folder, size, Long.class, number -> number);
            case STRING -> new ChroniclePeer<>(folder, size, String.class, KeyForm::text);
          };
      case HEAP, HEAP_HASH -> {
        boolean sorted = kind == PeerKind.HEAP;
        yield switch (keys) {
          case LONG -> new HeapPeer<Long>(sorted, number -> number, KeyForm::part);
          case STRING -> new HeapPeer<String>(sorted, KeyForm::text, KeyForm::part);
        };
      }
    };
  }
}
