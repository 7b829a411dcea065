package io.howdah.nvmsim.thynvm.system;

/**
 * Latencies of the two memories behind one channel, in nanoseconds.
 *
 * @param name of the preset
 * @param dramHitNs access to an open DRAM row
 * @param dramMissNs access to another DRAM row
 * @param nvmHitNs access to an open NVM row
 * @param nvmReadNs read of another NVM row
 * @param nvmWriteNs write to another NVM row, until the row is clean again
 * @param busNs a block on the channel
 * @param tableNs a look-up in a table; a read asks the BTT first, then the PTT
 * @param moveNs a block of a copy that the controller makes, at the bank that takes it
 * @param writesOccupyBanks whether a bank that writes keeps reads waiting
 * @param hashedBanks whether the number of a bank is combined with all bits of the row by XOR, so
 *     that rows at a distance of a power of two lie in different banks
 */
public record MemoryTiming(
    String name,
    int dramHitNs,
    int dramMissNs,
    int nvmHitNs,
    int nvmReadNs,
    int nvmWriteNs,
    int busNs,
    int tableNs,
    int moveNs,
    boolean writesOccupyBanks,
    boolean hashedBanks) {
  /** Table 2 of the paper. Rows that were written are written back as soon as their bank idles. */
  public static final MemoryTiming PAPER =
      new MemoryTiming("paper", 40, 80, 40, 128, 368, 5, 3, 40, true, false);

  /** As the authors' program: what the core does not wait for takes no time at the bank. */
  public static final MemoryTiming ARTIFACT =
      new MemoryTiming("artifact", 40, 80, 40, 128, 368, 5, 3, 40, false, false);

  /** The emulator of persistent memory that pmemcached was measured on. */
  public static final MemoryTiming PMEP =
      new MemoryTiming("pmep", 60, 100, 300, 300, 100, 5, 3, 100, true, false);

  /**
   * DRAM, and checkpoints by system calls to files, as Howdah takes them: a changed line by itself
   * costs a call of some 3 µs, a line beside the last one next to nothing, a page as a whole 21 µs
   * in one call, a block of it 330 ns (docs/nvm-sim-howdah.md has the measurement). Reads are of
   * DRAM.
   */
  public static final MemoryTiming SOFTWARE =
      new MemoryTiming("software", 40, 80, 40, 80, 3000, 5, 3, 330, true, false);

  /** The same memory with hashed banks; its name has {@code , hashed banks} at the end. */
  public MemoryTiming withHashedBanks() {
    return new MemoryTiming(
        name + ", hashed banks",
        dramHitNs,
        dramMissNs,
        nvmHitNs,
        nvmReadNs,
        nvmWriteNs,
        busNs,
        tableNs,
        moveNs,
        writesOccupyBanks,
        true);
  }

  private static final int MAX_NS = 1_000_000;

  public MemoryTiming {
    int[] all = {dramHitNs, dramMissNs, nvmHitNs, nvmReadNs, nvmWriteNs, busNs, tableNs, moveNs};
    for (int ns : all) {
      if (ns < 0 || ns > MAX_NS) {
        throw new IllegalArgumentException("a latency must be 0 to " + MAX_NS + " ns: " + ns);
      }
    }
  }
}
