package io.howdah.nvmsim.thynvm.system;

/**
 * What a memory system did.
 *
 * @param cpuBlocks blocks that the caches wrote back
 * @param nvmCpuBlocks those of them that went to NVM, not to DRAM
 * @param checkpointBlocks blocks written to NVM for checkpoints
 * @param tableBlocks those of them that back up tables
 * @param migrationBlocks blocks written to NVM to move pages between the schemes
 * @param checkpoints checkpoints taken
 * @param flushStallPs the core waited for a checkpoint to begin: tables, caches, all of it if the
 *     system stops for checkpoints
 * @param waitStallPs the core waited for a checkpoint in progress
 */
public record SystemStats(
    long cpuBlocks,
    long nvmCpuBlocks,
    long checkpointBlocks,
    long tableBlocks,
    long migrationBlocks,
    long checkpoints,
    long flushStallPs,
    long waitStallPs) {
  private static final double BYTES_PER_MB = 1e6;
  private static final int BLOCK_LENGTH = 64;

  public static double megabytes(long blocks) {
    return blocks * BLOCK_LENGTH / BYTES_PER_MB;
  }

  public long stallPs() {
    return flushStallPs + waitStallPs;
  }

  /** What was written to NVM. */
  public long nvmBlocks() {
    return nvmCpuBlocks + checkpointBlocks + migrationBlocks;
  }

  /** The same without the tables, as the authors' program counts writes for the figures. */
  public long nvmDataBlocks() {
    return nvmBlocks() - tableBlocks;
  }

  /** What was done between an earlier moment and this one. */
  public SystemStats since(SystemStats earlier) {
    return new SystemStats(
        cpuBlocks - earlier.cpuBlocks,
        nvmCpuBlocks - earlier.nvmCpuBlocks,
        checkpointBlocks - earlier.checkpointBlocks,
        tableBlocks - earlier.tableBlocks,
        migrationBlocks - earlier.migrationBlocks,
        checkpoints - earlier.checkpoints,
        flushStallPs - earlier.flushStallPs,
        waitStallPs - earlier.waitStallPs);
  }
}
