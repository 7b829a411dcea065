package io.howdah.nvmsim.thynvm.system;

import io.howdah.nvmsim.thynvm.SchemePolicy;
import io.howdah.nvmsim.thynvm.control.AddressSpace;
import io.howdah.nvmsim.thynvm.control.ArtifactController;
import io.howdah.nvmsim.thynvm.control.PaperController;
import io.howdah.nvmsim.thynvm.table.BlockTable;
import io.howdah.nvmsim.thynvm.table.PageTable;

/**
 * Sizes and variant of ThyNVM.
 *
 * @param artifact the authors' program instead of the paper's text
 * @param blockEntries BTT entries
 * @param dramPages pages of DRAM; the PTT has as many entries
 * @param epochPs longest epoch
 * @param overlap whether execution goes on while an epoch is checkpointed
 * @param tablesInBackground whether the tables' backup goes on beside execution like the data
 *     (§4.2, Figure 6b); otherwise the core waits for it, as in the authors' program
 * @param boundedFlush whether an epoch ends while the BTT can take every changed line of the caches
 * @param policy choice of schemes, for the paper's text
 */
public record ThyNvmSetting(
    boolean artifact,
    int blockEntries,
    int dramPages,
    long epochPs,
    boolean overlap,
    boolean tablesInBackground,
    boolean boundedFlush,
    SchemePolicy policy) {
  /** Physical address space: 2 GB. */
  public static final long HOME_BLOCKS = (2L << 30) / AddressSpace.BLOCK_LENGTH;

  /** An entry takes a word of NVM, as in the authors' program; the text has no format. */
  private static final int BACKUP_ENTRY_BYTES = 8;

  private static final int PAPER_BLOCK_ENTRIES = 2048;
  private static final int PAPER_PAGES = 4096;
  private static final long PAPER_EPOCH_PS = 10_000_000_000L;

  /** The paper's sizes: BTT 2048, 16 MB of DRAM, 10 ms. */
  public static final ThyNvmSetting PAPER =
      new ThyNvmSetting(
          false,
          PAPER_BLOCK_ENTRIES,
          PAPER_PAGES,
          PAPER_EPOCH_PS,
          true,
          false,
          true,
          SchemePolicy.PAPER);

  /** The same sizes in the authors' program, which has no limit of time. */
  public static final ThyNvmSetting ARTIFACT =
      new ThyNvmSetting(
          true,
          PAPER_BLOCK_ENTRIES,
          PAPER_PAGES,
          Long.MAX_VALUE,
          true,
          false,
          true,
          SchemePolicy.PAPER);

  public ThyNvmSetting {
    if (blockEntries < 1 || dramPages < 0 || epochPs < 1) {
      throw new IllegalArgumentException(
          "tables and epochs must not be empty: " + blockEntries + ", " + dramPages);
    }
  }

  public ThyNvmSetting withBlockEntries(int entries) {
    return new ThyNvmSetting(
        artifact, entries, dramPages, epochPs, overlap, tablesInBackground, boundedFlush, policy);
  }

  public ThyNvmSetting withDramPages(int pages) {
    return new ThyNvmSetting(
        artifact, blockEntries, pages, epochPs, overlap, tablesInBackground, boundedFlush, policy);
  }

  public ThyNvmSetting withEpochPs(long ps) {
    return new ThyNvmSetting(
        artifact, blockEntries, dramPages, ps, overlap, tablesInBackground, boundedFlush, policy);
  }

  /** The core waits until the whole checkpoint is written (Figure 3a). */
  public ThyNvmSetting withoutOverlap() {
    return new ThyNvmSetting(
        artifact,
        blockEntries,
        dramPages,
        epochPs,
        false,
        tablesInBackground,
        boundedFlush,
        policy);
  }

  /** The core does not wait for the tables' backup. */
  public ThyNvmSetting withTablesInBackground() {
    return new ThyNvmSetting(
        artifact, blockEntries, dramPages, epochPs, overlap, true, boundedFlush, policy);
  }

  /** The flush of the caches may need more entries than the BTT has, and so several epochs. */
  public ThyNvmSetting withUnboundedFlush() {
    return new ThyNvmSetting(
        artifact, blockEntries, dramPages, epochPs, overlap, tablesInBackground, false, policy);
  }

  public ThyNvmSetting with(SchemePolicy other) {
    return new ThyNvmSetting(
        artifact,
        blockEntries,
        dramPages,
        epochPs,
        overlap,
        tablesInBackground,
        boundedFlush,
        other);
  }

  /** Bytes of both tables in the controller, bit by bit as in Figure 5. */
  public long tableBytes() {
    return ((long) blockEntries * BlockTable.ENTRY_BITS + (long) dramPages * PageTable.ENTRY_BITS)
        / Byte.SIZE;
  }

  /** Bytes of both tables in NVM, which each checkpoint writes. */
  public long backupBytes() {
    return (long) BACKUP_ENTRY_BYTES * (blockEntries + dramPages);
  }

  /** Creates the system, with nothing in its tables. */
  public ThyNvmSystem system(MemoryTiming timing) {
    if (artifact) {
      AddressSpace space =
          new AddressSpace(
              HOME_BLOCKS,
              2 * blockEntries,
              ArtifactController.capacity(dramPages, true),
              AddressSpace.PAGE_BLOCKS,
              0,
              blockEntries);
      return new ThyNvmSystem(
          timing, this, path -> new ArtifactController(space, blockEntries, dramPages, true, path));
    }
    AddressSpace space =
        PaperController.space(HOME_BLOCKS, blockEntries, dramPages, AddressSpace.PAGE_BLOCKS);
    return new ThyNvmSystem(
        timing, this, path -> new PaperController(space, blockEntries, policy, path));
  }
}
