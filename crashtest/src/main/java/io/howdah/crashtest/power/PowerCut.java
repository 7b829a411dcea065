package io.howdah.crashtest.power;

import io.howdah.core.HowdahException;
import io.howdah.crashtest.kill.Death;
import io.howdah.crashtest.kill.Sabotage;
import io.howdah.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Ends children by a cut of their disk's power. The memory of the machine goes with it: the rings
 * are removed. For one thread.
 */
final class PowerCut implements Death {

  private final LossyDisk disk;
  private final SplittableRandom random;

  /**
   * Creates one.
   *
   * @param disk holds the store
   * @param seed of what is written back before a cut
   */
  PowerCut(LossyDisk disk, long seed) {
    this.disk = disk;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public boolean losesUnforced() {
    return true;
  }

  @Override
  public void strike(ChildJvm child, Path store) throws IOException, InterruptedException {
    disk.cut(random);
    child.kill();
    disk.restart();
    try {
      Sabotage.removeRings(store);
    } catch (HowdahException e) {
      // The superblock names the rings. If it is lost, the next opening finds that, and no rings.
    }
  }
}
