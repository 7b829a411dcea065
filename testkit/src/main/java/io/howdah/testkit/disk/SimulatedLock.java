package io.howdah.testkit.disk;

import io.howdah.core.storage.StorageLock;

/** The lock of a simulated directory; gone with its process. */
final class SimulatedLock implements StorageLock {

  private final SimulatedDisk disk;
  private final FileSystem where;
  private final Incarnation process;
  private final String owner;

  SimulatedLock(SimulatedDisk disk, FileSystem where, Incarnation process, String owner) {
    this.disk = disk;
    this.where = where;
    this.process = process;
    this.owner = owner;
  }

  String owner() {
    return owner;
  }

  @Override
  public boolean isHeld() {
    process.checkAlive();
    return disk.holds(where, this);
  }

  @Override
  public void close() {
    process.checkAlive();
    disk.release(where, this);
  }
}
