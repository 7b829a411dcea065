package io.howdah.nvmsim.thynvm.workload;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.thynvm.system.Core;
import java.util.Locale;

/** The three access patterns of §5.1, with the authors' arguments for a scale of 1. */
public enum MicroBenchmark {
  /** Per step 49,152 random reads and writes in 16 MB that no earlier step used. */
  RANDOM {
    @Override
    public void run(Core core, int scale, long seed) {
      SplitMix random = new SplitMix(seed);
      for (int step = 0; step < 32 * scale; step++) {
        long base = (long) step * WINDOW_BLOCKS;
        for (int i = 0; i < 49_152; i++) {
          touch(core, random, base, WINDOW_BLOCKS);
        }
      }
    }
  },
  /** Writes 96 MB once from end to end; the reads are random, as in the authors' program. */
  STREAMING {
    @Override
    public void run(Core core, int scale, long seed) {
      SplitMix random = new SplitMix(seed);
      int blocks = scale * 96 * BLOCKS_PER_MB;
      for (int i = 0; i < blocks; i++) {
        core.work(LOOP_INSTRUCTIONS + RANDOM_INSTRUCTIONS);
        core.load(address(random.below(blocks)));
        core.store(address(i));
      }
    }
  },
  /**
   * 16 MB that move by 2048 blocks a step. In a step all blocks are written and then all are read,
   * twice. Before, each 2048 blocks are initialized in the same way.
   *
   * <p>This is the last of the authors' three programs of that name. The text speaks of random
   * accesses, as the two older ones make, but the published waiting of Journal on it, 35 %, is not
   * theirs (docs/reproduction.md).
   */
  SLIDING {
    @Override
    public void run(Core core, int scale, long seed) {
      for (int base = 0; base < WINDOW_BLOCKS; base += SHIFT_BLOCKS) {
        sweepTwice(core, base, SHIFT_BLOCKS);
      }
      for (int step = 1; step <= 3 * scale; step++) {
        sweepTwice(core, (long) step * SHIFT_BLOCKS, WINDOW_BLOCKS);
      }
    }
  };

  /** Instructions of a random number and its remainder. */
  public static final int RANDOM_INSTRUCTIONS = 62;

  /** Further instructions of a round, which reads one block and writes one. */
  public static final int LOOP_INSTRUCTIONS = 56;

  private static final int BLOCKS_PER_MB = 1 << 14;
  private static final int WINDOW_BLOCKS = 16 * BLOCKS_PER_MB;
  private static final int SHIFT_BLOCKS = 2048;
  private static final int FIELD_OFFSET = 32;

  /** Runs it; the whole run is measured. */
  public abstract void run(Core core, int scale, long seed);

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static long address(long block) {
    return block * 64 + FIELD_OFFSET;
  }

  private static void sweepTwice(Core core, long base, int blocks) {
    for (int sweep = 0; sweep < 2; sweep++) {
      for (int i = 0; i < blocks; i++) {
        core.work(LOOP_INSTRUCTIONS / 2);
        core.store(address(base + i));
      }
      for (int i = 0; i < blocks; i++) {
        core.work(LOOP_INSTRUCTIONS / 2);
        core.load(address(base + i));
      }
    }
  }

  private static void touch(Core core, SplitMix random, long base, int blocks) {
    core.work(LOOP_INSTRUCTIONS + 2 * RANDOM_INSTRUCTIONS);
    core.load(address(base + random.below(blocks)));
    core.store(address(base + random.below(blocks)));
  }
}
