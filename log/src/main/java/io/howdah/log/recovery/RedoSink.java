package io.howdah.log.recovery;

import java.nio.ByteBuffer;

/**
 * Receives the after-images that a recovery replays, in the order of LSNs. Called by one thread.
 */
@FunctionalInterface
public interface RedoSink {

  /**
   * Replays the entries of one record ({@link io.howdah.core.layout.RedoRecordLayout}), in their
   * order.
   *
   * @param source little-endian; valid during the call only
   * @param from index in {@code source} of the first entry
   * @param to index after the last entry. Whole entries fill the range, which is at most as long as
   *     a record, and all their words are inside the region
   */
  void redo(ByteBuffer source, int from, int to);
}
