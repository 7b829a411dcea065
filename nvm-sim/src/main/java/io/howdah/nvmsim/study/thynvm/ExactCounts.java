package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.thynvm.control.AddressSpace;
import io.howdah.nvmsim.thynvm.control.Admission;
import io.howdah.nvmsim.thynvm.control.ArtifactController;
import io.howdah.nvmsim.thynvm.control.Counters;
import io.howdah.nvmsim.thynvm.control.DataPath;
import io.howdah.nvmsim.thynvm.control.Purpose;

/**
 * Counts of the authors' controller, driven directly by whole-block stores without caches and
 * timing. A checkpoint lasts for a number of stores: the one that ended the epoch and the next
 * ones.
 *
 * @param pattern which blocks are stored to
 * @param stores number of stores
 * @param overlap stores behind the one that ended an epoch until its checkpoint is complete; 0: it
 *     completes at once
 * @param blockEntries BTT entries
 * @param pages PTT entries
 * @param seed of the generator
 * @param quirks with the peculiarities of the authors' program
 */
record ExactCounts(
    Pattern pattern,
    long stores,
    long overlap,
    int blockEntries,
    int pages,
    long seed,
    boolean quirks) {
  private static final long SPACE_BLOCKS = (2L << 30) / AddressSpace.BLOCK_LENGTH;

  /** The block of the i-th store. */
  @FunctionalInterface
  public interface Pattern {
    /** Uniform over 64 MB. */
    Pattern RANDOM = (_, u) -> u & ((1 << 20) - 1);

    /** Sequential over 96 MB, again and again. */
    Pattern STREAMING = (i, _) -> i % 1_572_864;

    /** Uniform over 16 MB that move by 2048 blocks every 65,536 stores. */
    Pattern SLIDING = (i, u) -> 2048 * (i / 65_536) + (u & ((1 << 18) - 1));

    /** Returns the block of store {@code i}, given a random number. */
    long block(long i, long random);
  }

  /** The published set-up: BTT 2048, 16 MB of DRAM, seed 42, 2,000,000 stores. */
  public static ExactCounts published(Pattern pattern, long overlap) {
    return new ExactCounts(pattern, 2_000_000, overlap, 2048, 4096, 42, true);
  }

  /**
   * What the controller counted.
   *
   * @param epochs that ended
   * @param pagesToDram pages promoted
   * @param copies blocks copied to their home
   * @param swaps blocks exchanged with their home
   * @param checkpointBlocks blocks written by checkpoints
   * @param migrationBlocks blocks moved between DRAM and NVM
   */
  public record Counts(
      long epochs,
      long pagesToDram,
      long copies,
      long swaps,
      long checkpointBlocks,
      long migrationBlocks) {}

  /** Runs it. */
  public Counts run() {
    AddressSpace space =
        new AddressSpace(
            SPACE_BLOCKS,
            2 * blockEntries,
            ArtifactController.capacity(pages, true),
            AddressSpace.PAGE_BLOCKS,
            0,
            blockEntries);
    ArtifactController controller =
        new ArtifactController(space, blockEntries, pages, quirks, new Nowhere());
    SplitMix random = new SplitMix(seed);
    long left = 0;
    for (long i = 0; i < stores; i++) {
      long block = pattern.block(i, random.next());
      if (controller.isCheckpointing() && left-- == 0) {
        controller.completeCheckpoint();
      }
      Admission admission = controller.admit(block);
      while (admission != Admission.ACCEPT) {
        if (admission == Admission.AWAIT_CHECKPOINT) {
          controller.completeCheckpoint();
        } else {
          controller.endEpoch();
          left = overlap;
          if (overlap == 0) {
            controller.completeCheckpoint();
          }
        }
        admission = controller.admit(block);
      }
      controller.store(block, true);
    }
    Counters found = controller.counters();
    return new Counts(
        found.epochs(),
        found.pagesToDram(),
        found.copies(),
        found.swaps(),
        found.checkpointBlocks(),
        found.migrationBlocks());
  }

  /** Counts need no data. */
  private static final class Nowhere implements DataPath {
    @Override
    public void copy(long from, long to, Purpose purpose) {}

    @Override
    public void writeBack(long from, long to, Purpose purpose) {}

    @Override
    public void drain() {}

    @Override
    public void swap(long slot, long home, long savedIn, long epoch) {}

    @Override
    public void backUpBlocks(long epoch) {}

    @Override
    public void backUpPages(long epoch) {}
  }
}
