package io.howdah.log.recovery;

import java.nio.ByteBuffer;

/**
 * Takes the after-images that a log replays, those of a smaller LSN before those of a larger.
 * Called by one thread.
 */
@FunctionalInterface
public interface RedoSink {

  /**
   * Replays the entries of one record ({@link io.howdah.core.layout.RedoRecordLayout}), in their
   * order.
   *
   * @param source little-endian; valid during the call only
   * @param from where in {@code source} the first entry starts
   * @param to where the last one ends; whole entries fill what lies between, at most a record's
   *     length, and every word of them was checked to lie within the region
   */
  void redo(ByteBuffer source, int from, int to);
}
