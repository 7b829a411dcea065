package io.howdah.checkpoint;

import java.nio.ByteBuffer;

/** Which pages a checkpoint copies, and how. Used by the thread that takes it. */
public interface PageSource {

  /** Returns the first page from an index on that is to be copied, or -1. */
  long next(long fromPage);

  /**
   * Copies a page.
   *
   * @param target filled with its bytes
   */
  void copy(long page, ByteBuffer target);
}
