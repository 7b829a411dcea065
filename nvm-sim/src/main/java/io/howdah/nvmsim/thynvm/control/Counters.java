package io.howdah.nvmsim.thynvm.control;

/** What a controller did since its start. */
public final class Counters {
  private long epochs;
  private long pagesToDram;
  private long pagesToNvm;
  private long copies;
  private long swaps;
  private long migrationBlocks;
  private long checkpointBlocks;

  /** For the controller. */
  Counters() {}

  void epoch() {
    epochs++;
  }

  void pageToDram() {
    pagesToDram++;
  }

  void pageToNvm() {
    pagesToNvm++;
  }

  void copy() {
    copies++;
  }

  void swap() {
    swaps++;
  }

  void checkpointBlocks(long blocks) {
    checkpointBlocks += blocks;
  }

  void migrationBlocks(long blocks) {
    migrationBlocks += blocks;
    checkpointBlocks += blocks;
  }

  /** Epochs that ended. */
  public long epochs() {
    return epochs;
  }

  public long pagesToDram() {
    return pagesToDram;
  }

  public long pagesToNvm() {
    return pagesToNvm;
  }

  /** Blocks copied to make room, to flush, to migrate, or because a store was partial. */
  public long copies() {
    return copies;
  }

  /** Clean blocks exchanged with Home while a checkpoint was in progress. */
  public long swaps() {
    return swaps;
  }

  /** Blocks that checkpoints wrote in the background, migration included. */
  public long checkpointBlocks() {
    return checkpointBlocks;
  }

  /** Those of {@link #checkpointBlocks} that moved a page between the schemes. */
  public long migrationBlocks() {
    return migrationBlocks;
  }
}
