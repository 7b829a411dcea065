package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;

/** Replays words into a region at once, on the calling thread, and marks their pages dirty. */
final class RegionReplay implements RedoSink {

  private final Region region;
  private final DirtyPages dirty;

  RegionReplay(Region region, DirtyPages dirty) {
    this.region = region;
    this.dirty = dirty;
  }

  @Override
  public void redo(ByteBuffer source, int from, int to) {
    for (int at = from; at < to; ) {
      long entry = source.getLong(at);
      int run = RedoRecordLayout.entryRun(entry);
      redo(RedoRecordLayout.entryAddress(entry), source, at + Long.BYTES, run);
      at += Long.BYTES + run * Region.WORD_BYTES;
    }
  }

  /** Replays a run of words, at least one. */
  void redo(long address, ByteBuffer source, int at, int words) {
    // Replayed pages differ from the image: unmarked, the next checkpoint would leave them out and
    // trim the log that has them (docs/protocol.md, R17).
    if (words == 1) {
      region.setLong(address, source.getLong(at));
      dirty.mark(address);
      return;
    }
    int lengthBytes = words * Region.WORD_BYTES;
    region.copyFrom(address, source.duplicate().limit(at + lengthBytes).position(at));
    dirty.mark(address, lengthBytes);
  }
}
