package io.howdah.log.recovery;

import java.nio.ByteBuffer;

/**
 * Takes the words that a log replays, those of a smaller LSN before those of a larger. Called by
 * one thread.
 */
@FunctionalInterface
public interface RedoSink {

  /**
   * Replays a run of words.
   *
   * @param address of the first word in the region; the whole run was checked to lie within
   * @param source little-endian; valid during the call only
   * @param at where in {@code source} the words start
   * @param words how many, at least 1
   */
  void redo(long address, ByteBuffer source, int at, int words);
}
