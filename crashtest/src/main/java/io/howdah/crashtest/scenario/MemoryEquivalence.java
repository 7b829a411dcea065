package io.howdah.crashtest.scenario;

import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.recovery.RecoveredStore;
import io.howdah.checkpoint.recovery.RecoveryOptions;
import io.howdah.checkpoint.recovery.StoreRecovery;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import io.howdah.core.HowdahException;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Judges memory that has outlived its process: an opening that uses it must come to the same words,
 * LSNs and outcome as one that recovers from the files, and must mark each page dirty that differs
 * from the image.
 */
public final class MemoryEquivalence {

  private static final int PAGE_BYTES = 4096;

  private MemoryEquivalence() {}

  /**
   * Recovers copies of a disk in both ways and compares them. The disk is not changed.
   *
   * @return whether there was memory that could be used
   * @throws Violation if the two differ
   */
  public static boolean judge(SimulatedDisk disk) {
    if (disk.fork().storage().list("").stream().noneMatch(SuperblockFile.NAME::equals)) {
      return false;
    }
    SimulatedDisk attachedDisk = disk.fork();
    try (Found attached = recover(attachedDisk, Backing.SHARED);
        Found fresh = recover(disk.fork(), Backing.MAPPED)) {
      if (attached == null || fresh == null) {
        if (attached != null || fresh != null) {
          throw new Violation("memory of the process before decides whether the store opens");
        }
        return false;
      }
      if (!(attached.store.report().memory() instanceof MemoryOrigin.Attached)) {
        return false;
      }
      requireEqual("outcome", fresh.store.report().outcome(), attached.store.report().outcome());
      requireEqual("largest LSN", fresh.store.report().lsn(), attached.store.report().lsn());
      requireEqual("last LSN", fresh.store.lastLsn(), attached.store.lastLsn());
      requireEqual(
          "base LSN", fresh.store.logStart().baseLsn(), attached.store.logStart().baseLsn());
      requireSameWords(fresh, attached, attachedDisk.contents(ImageFile.NAME));
      return true;
    }
  }

  private static @Nullable Found recover(SimulatedDisk disk, Backing backing) {
    RecoveryOptions how = RecoveryOptions.DEFAULTS;
    Storage storage = disk.storage();
    SuperblockFile superblock = null;
    try {
      superblock = SuperblockFile.open(storage);
      RecoveredStore store =
          StoreRecovery.recover(
              storage,
              Execution.system(),
              superblock,
              new RecoveryOptions(
                  backing,
                  Long.MAX_VALUE,
                  how.limitLsn(),
                  how.stashBytes(),
                  false,
                  Long.MAX_VALUE,
                  // Any summary of the log is used: an attached opening skips what is before it.
                  0));
      store.replay().finish();
      return new Found(superblock, store);
    } catch (HowdahException e) {
      if (superblock != null) {
        superblock.close();
      }
      return null; // the scenario judges whether a store may be refused
    }
  }

  private static void requireSameWords(Found fresh, Found attached, byte[] image) {
    long length = fresh.store.region().capacityBytes();
    requireEqual("capacity", length, attached.store.region().capacityBytes());
    ByteBuffer expected = ByteBuffer.allocate(PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer found = ByteBuffer.allocate(PAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (long page = 0; page < length / PAGE_BYTES; page++) {
      long from = page * PAGE_BYTES;
      fresh.store.region().copyTo(from, expected.clear());
      attached.store.region().copyTo(from, found.clear());
      for (int at = 0; at < PAGE_BYTES; at += Long.BYTES) {
        if (expected.getLong(at) != found.getLong(at)) {
          throw new Violation(
              "memory of the process before has "
                  + found.getLong(at)
                  + " at address "
                  + (from + at)
                  + ", recovery "
                  + expected.getLong(at));
        }
      }
      boolean differs = !found.rewind().equals(ByteBuffer.wrap(image, (int) from, PAGE_BYTES));
      if (differs && attached.store.dirty().next(page) != page) {
        throw new Violation("page " + page + " differs from the image and is not marked dirty");
      }
    }
  }

  private static void requireEqual(String what, Object expected, Object found) {
    if (!Objects.equals(expected, found)) {
      throw new Violation(
          what + ": " + expected + " by recovery, " + found + " with memory of the process before");
    }
  }

  /** A recovered store, for as long as it is compared. */
  private record Found(SuperblockFile superblock, RecoveredStore store) implements AutoCloseable {

    @Override
    public void close() {
      store.replay().close();
      store.dirty().close();
      store.region().close();
      superblock.close();
    }
  }
}
