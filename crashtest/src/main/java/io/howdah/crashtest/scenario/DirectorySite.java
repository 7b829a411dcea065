package io.howdah.crashtest.scenario;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveTarget;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import java.time.Duration;
import java.util.SplittableRandom;

/** A directory of another machine, which may lose power when the process ends. */
final class DirectorySite implements ArchiveSite {

  private final SimulatedDisk disk;

  DirectorySite(SimulatedDisk disk) {
    this.disk = disk;
  }

  @Override
  public Archive archive() {
    return Archive.to(() -> ArchiveTarget.over(disk.storage()), Duration.ofMillis(10));
  }

  @Override
  public long operations() {
    return disk.operations();
  }

  @Override
  public void crashAtOperation(long number, CrashMoment moment) {
    disk.crashAtOperation(number, moment);
  }

  @Override
  public void setAway(boolean away) {
    disk.setReadOnly(away);
  }

  @Override
  public void die(SplittableRandom random) {
    die(disk, random);
  }

  /** Ends the process that uses a disk, or the power of its machine. */
  static void die(SimulatedDisk disk, SplittableRandom random) {
    disk.crashAtOperation(Long.MAX_VALUE, CrashMoment.BEFORE);
    switch (random.nextInt(4)) {
      case 0 -> disk.kill();
      case 1 -> disk.powerCut(CrashChoice.KEEP_ALL);
      case 2 -> disk.powerCut(CrashChoice.LOSE_ALL);
      default ->
          disk.powerCut(disk.crashStates().choice(random.nextLong(disk.crashStates().count())));
    }
  }
}
