package io.howdah.replica.snapshot;

import io.howdah.checkpoint.BaseStart;
import io.howdah.core.superblock.Superblock;
import java.nio.ByteBuffer;

/**
 * The image of a member, page by page, while the member runs and makes checkpoints. Methods throw
 * {@link io.howdah.core.HowdahException} when the member changes its role.
 */
public interface SnapshotPages {

  /** Makes a checkpoint, and returns the state after it. */
  BaseStart start();

  /**
   * Reads whole pages of the image, each after verifying its checksum.
   *
   * @return whether they were read; false while a checkpoint is not folded
   */
  boolean readPages(long address, ByteBuffer pages);

  /** Returns the state after the newest checkpoint. */
  Superblock state();
}
