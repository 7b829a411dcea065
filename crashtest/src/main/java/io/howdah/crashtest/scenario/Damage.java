package io.howdah.crashtest.scenario;

import io.howdah.testkit.disk.SimulatedDisk;
import java.util.SplittableRandom;

/** What may happen to a file while nobody has it open. */
final class Damage {

  private static final int FLIPS_IN_A_ROW = 8;

  private Damage() {}

  /** Removes a file, cuts it short, or flips bits in it. */
  static void any(SimulatedDisk disk, String file, SplittableRandom random) {
    byte[] contents = disk.contents(file);
    switch (contents.length == 0 ? 0 : random.nextInt(8)) {
      case 0 -> disk.remove(file);
      case 1 -> disk.truncate(file, random.nextInt(contents.length + 1));
      default -> {
        int offset = written(contents, random);
        for (int i = random.nextInt(3) == 0 ? FLIPS_IN_A_ROW : 1; i > 0; i--) {
          if (offset < contents.length) {
            disk.flipBit(file, offset++, random.nextInt(8));
          }
        }
      }
    }
  }

  /** Returns an offset, most often one where something stands: most of a file is zeros. */
  private static int written(byte[] contents, SplittableRandom random) {
    int offset = random.nextInt(contents.length);
    for (int i = 0; i < 10_000 && contents[offset] == 0; i++) {
      offset = random.nextInt(contents.length);
    }
    return offset;
  }
}
