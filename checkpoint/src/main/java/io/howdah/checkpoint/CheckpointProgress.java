package io.howdah.checkpoint;

/**
 * Is told what a checkpoint does, as it does it: to count, to slow it down, and to break it off by
 * an exception. Called by the thread that takes the checkpoint.
 */
public interface CheckpointProgress {

  /** Neither counts nor waits. */
  CheckpointProgress NONE = new CheckpointProgress() {};

  /**
   * A dirty page was copied.
   *
   * @param lines that differ from the image, or all
   * @param whole whether it goes as a whole
   */
  default void copied(int lines, boolean whole) {}

  /** So many bytes were handed to writes of the journal. */
  default void journaled(long bytes) {}

  /** So many bytes were handed to a write of the image. */
  default void folded(long bytes) {}
}
