package io.howdah.checkpoint;

import java.nio.ByteBuffer;

/**
 * The marked pages, as zeros. They contain no block, so their contents in the region are unused.
 */
record ZeroPages(DirtyPages dirty) implements PageSource {

  @Override
  public long next(long fromPage) {
    return dirty.next(fromPage);
  }

  @Override
  public void copy(long page, ByteBuffer target) {
    for (int at = 0; at < dirty.pageBytes(); at += Long.BYTES) {
      target.putLong(at, 0);
    }
    target.position(dirty.pageBytes());
  }
}
