package io.howdah.nvmsim.thynvm.system;

/**
 * What a run took.
 *
 * @param elapsedPs time
 * @param instructions all of them
 * @param accesses loads and stores
 * @param requests reads and writes beyond the last cache level, the warm-up's included
 * @param operations what the program counted
 * @param stats of the memory system
 */
public record CoreResult(
    long elapsedPs,
    long instructions,
    long accesses,
    long requests,
    long operations,
    SystemStats stats) {
  private static final double PS_PER_SEC = 1e12;

  /** Share of the time the core waited for checkpoints. */
  public double checkpointShare() {
    return (double) stats.stallPs() / elapsedPs;
  }

  /** Per second of simulated time. */
  public double perSec(long count) {
    return count * PS_PER_SEC / elapsedPs;
  }

  /** Of data written, see {@link SystemStats#writtenDataBlocks}. */
  public double megabytesPerSec() {
    return perSec(1) * SystemStats.megabytes(stats.writtenDataBlocks());
  }
}
