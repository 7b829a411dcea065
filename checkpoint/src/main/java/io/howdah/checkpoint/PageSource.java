package io.howdah.checkpoint;

import java.nio.ByteBuffer;

/** The pages that a checkpoint writes, and their contents. Used by the checkpoint's thread. */
sealed interface PageSource permits MarkedPages, ZeroPages {

  /** Returns the first page to write from an index on, or -1. */
  long next(long fromPage);

  /**
   * Copies a page.
   *
   * @param target filled with its bytes
   */
  void copy(long page, ByteBuffer target);
}
