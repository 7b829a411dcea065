package io.howdah.checkpoint;

import java.nio.ByteBuffer;

/** Which pages a checkpoint writes, and what they hold. Used by the thread that takes it. */
sealed interface PageSource permits MarkedPages, ZeroPages {

  /** Returns the first page from an index on that is to be written, or -1. */
  long next(long fromPage);

  /**
   * Copies a page.
   *
   * @param target filled with its bytes
   */
  void copy(long page, ByteBuffer target);
}
