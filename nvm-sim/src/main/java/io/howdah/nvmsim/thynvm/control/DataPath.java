package io.howdah.nvmsim.thynvm.control;

/**
 * Where data goes. Places are block indexes of the {@link AddressSpace}. Writes to NVM become
 * durable in any order, up to the next {@link #drain}.
 */
public interface DataPath {
  /** Copies a block at once: what reads the new place sees it from now on. */
  void copy(long from, long to, Purpose purpose);

  /** Copies a block in the background, as part of the checkpoint in progress. */
  void writeBack(long from, long to, Purpose purpose);

  /** All NVM writes so far are durable before any later one. */
  void drain();

  /**
   * A visible block moves from its slot to Home while recovery still needs what Home holds: that is
   * saved in another slot first, and a record tells recovery to put it back.
   */
  void swap(long slot, long home, long savedIn, long epoch);

  /** Writes the table's image of a checkpoint to the backup region. */
  void backUpBlocks(long epoch);

  /** As {@link #backUpBlocks}, for the PTT. */
  void backUpPages(long epoch);
}
