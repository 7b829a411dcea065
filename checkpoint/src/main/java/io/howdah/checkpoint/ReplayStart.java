package io.howdah.checkpoint;

import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockBuilder;
import java.util.function.UnaryOperator;

/**
 * Where a replay has to start for the image of a checkpoint, if the log is not in the store's
 * files. Called by the thread that makes checkpoints.
 */
public interface ReplayStart {

  /** For a log in the store's own files: the checkpoint's LSNs say everything. */
  ReplayStart OF_FILES =
      new ReplayStart() {
        @Override
        public UnaryOperator<SuperblockBuilder> take() {
          return UnaryOperator.identity();
        }

        @Override
        public void folded(Superblock superblock) {}
      };

  /**
   * Takes the place of which the log up to it has only records whose words are in the region.
   * Called before the checkpoint reads the LSN above which recovery replays.
   *
   * @return writes the place into the superblock of the checkpoint, once that is folded
   */
  UnaryOperator<SuperblockBuilder> take();

  /** Tells that the superblock with the place is durable. */
  void folded(Superblock superblock);
}
