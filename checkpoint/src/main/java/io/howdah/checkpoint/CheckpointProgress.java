package io.howdah.checkpoint;

/**
 * Notified of the progress of a checkpoint. An implementation counts, slows the checkpoint down, or
 * cancels it by an exception. Called by the thread that takes the checkpoint.
 */
public interface CheckpointProgress {

  /** Neither counts nor waits. */
  CheckpointProgress NONE = new CheckpointProgress() {};

  /**
   * A dirty page was copied.
   *
   * @param lines number of lines that differ from the image, or all lines
   * @param whole whether the whole page is written
   */
  default void copied(int lines, boolean whole) {}

  /** {@code bytes} were passed to a write of the journal. */
  default void journaled(long bytes) {}

  /** {@code bytes} were passed to a write of the image. */
  default void folded(long bytes) {}
}
