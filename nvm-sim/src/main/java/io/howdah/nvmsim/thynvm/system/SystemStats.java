package io.howdah.nvmsim.thynvm.system;

/**
 * What a memory system did. Blocks are counted by the rule of the paper's Figure 8: all that the
 * caches write back, whether a system collects it in DRAM or not, and what the system writes for
 * checkpoints and migration. Every figure and table of written bytes uses {@link
 * #writtenDataBlocks}.
 *
 * @param cpuBlocks blocks that the caches wrote back
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

  /**
   * All write-backs, checkpoints and migration. The backups of the tables are not in it: the
   * authors' program charges their time and does not count them as writes.
   */
  public long writtenDataBlocks() {
    return cpuBlocks + checkpointBlocks - tableBlocks + migrationBlocks;
  }

  /** What was done between an earlier moment and this one. */
  public SystemStats since(SystemStats earlier) {
    return new SystemStats(
        cpuBlocks - earlier.cpuBlocks,
        checkpointBlocks - earlier.checkpointBlocks,
        tableBlocks - earlier.tableBlocks,
        migrationBlocks - earlier.migrationBlocks,
        checkpoints - earlier.checkpoints,
        flushStallPs - earlier.flushStallPs,
        waitStallPs - earlier.waitStallPs);
  }
}
