package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import org.junit.jupiter.api.Test;

/**
 * The superblock that makes a checkpoint count is in the page cache, but the force of it failed.
 * The next opening reads it from there and folds the journal into the image; a power cut within
 * that brings the superblock from before back.
 */
class UncertainSuperblockTest {

  private static final HandStore.Setup SETUP = new HandStore.Setup(2, true, 1L << 40);
  private static final long FIRST = 8192;
  private static final long LAST = 16384;
  private static final int CHOICES = 3;

  private long nonce = 1;

  private HandStore open(SimulatedDisk disk) {
    return HandStore.open(disk.storage(), new SoloExecution(), SETUP, nonce++);
  }

  private static void commitAll(HandStore store, long value) {
    for (long address = FIRST; address <= LAST; address += 2048) {
      store.commit(0, address, value);
    }
    store.log.flush();
  }

  /** A store whose process ended when the first force of a superblock failed. */
  private SimulatedDisk stopped() {
    SimulatedDisk disk = SimulatedDisk.seeded(6);
    HandStore.create(disk.storage(), SETUP);
    HandStore store = open(disk);
    commitAll(store, 1);
    store.closeCleanly();
    HandStore next = open(disk);
    commitAll(next, 2);
    disk.inject(Fault.onNth(Operation.FORCE, 1).in(SuperblockFile.NAME));
    assertThatThrownBy(
            () ->
                new Checkpointer(next.storage, next.superblock)
                    .journal(next.region(), next.dirty(), next.log.clock()))
        .isInstanceOf(StorageException.class);
    disk.kill();
    return disk;
  }

  @Test
  void aPowerCutWithinTheFoldLosesNothing() {
    SimulatedDisk stopped = stopped();
    long folded = 0;
    for (long n = 1; ; n++) {
      SimulatedDisk disk = stopped.fork();
      disk.crashAtOperation(n, CrashMoment.AFTER);
      try {
        folded = Math.max(folded, open(disk).recovered.report().foldedPages());
        break;
      } catch (SimulatedCrash e) {
        // That is what it is to do.
      }
      for (CrashChoice choice : disk.crashStates().choices(CHOICES)) {
        SimulatedDisk left = disk.fork();
        left.powerCut(choice);
        HandStore store = open(left);
        for (long address = FIRST; address <= LAST; address += 2048) {
          assertThat(store.region().getLong(address))
              .as("address %d, cut after operation %d, %s", address, n, choice)
              .isEqualTo(2);
        }
      }
    }
    assertThat(folded).isPositive();
  }
}
