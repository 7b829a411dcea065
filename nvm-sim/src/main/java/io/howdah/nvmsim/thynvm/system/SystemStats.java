package io.howdah.nvmsim.thynvm.system;

/**
 * What a memory system did.
 *
 * @param cpuBlocks blocks that the caches wrote back
 * @param checkpointBlocks blocks written to NVM for checkpoints
 * @param migrationBlocks blocks written to NVM to move pages between the schemes
 * @param checkpoints checkpoints taken
 * @param flushStallPs the core waited for a checkpoint to begin: tables, caches, all of it if the
 *     system stops for checkpoints
 * @param waitStallPs the core waited for a checkpoint in progress
 */
public record SystemStats(
    long cpuBlocks,
    long checkpointBlocks,
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

  public long nvmBlocks() {
    return cpuBlocks + checkpointBlocks + migrationBlocks;
  }

  /** What was done between an earlier moment and this one. */
  public SystemStats since(SystemStats earlier) {
    return new SystemStats(
        cpuBlocks - earlier.cpuBlocks,
        checkpointBlocks - earlier.checkpointBlocks,
        migrationBlocks - earlier.migrationBlocks,
        checkpoints - earlier.checkpoints,
        flushStallPs - earlier.flushStallPs,
        waitStallPs - earlier.waitStallPs);
  }
}
