package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import java.nio.ByteBuffer;

/** Replays words into a region, on the calling thread, and marks their pages dirty. Thread-safe. */
final class RegionReplay {

  private final Region region;
  private final DirtyPages dirty;

  /** No checkpoint turns the round before all is replayed. */
  private final long map;

  private final long pageBytes;

  RegionReplay(Region region, DirtyPages dirty) {
    this.region = region;
    this.dirty = dirty;
    this.map = dirty.currentMap();
    this.pageBytes = dirty.pageBytes();
  }

  /** Replays a run of words, at least one. */
  void redo(long address, ByteBuffer source, int at, int words) {
    // Replayed pages differ from the image: unmarked, the next checkpoint would leave them out and
    // trim the log that has them (docs/protocol.md, R17).
    if (words == 1) {
      region.setLong(address, source.getLong(at));
      dirty.markIn(map, address);
      return;
    }
    int lengthBytes = words * Region.WORD_BYTES;
    region.copyFrom(address, source.duplicate().limit(at + lengthBytes).position(at));
    long end = address + lengthBytes;
    for (long page = address; page < end; page = (page & -pageBytes) + pageBytes) {
      dirty.markIn(map, page);
    }
  }
}
