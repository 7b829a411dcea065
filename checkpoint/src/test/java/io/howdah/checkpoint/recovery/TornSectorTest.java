package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.Granularity;
import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.ImageSums;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Power cuts while a journal is written to its places in the image, and what each leaves in the
 * sectors that were being written (docs/protocol.md, R19). Every page of the journal has a line
 * that changed and others that did not.
 */
class TornSectorTest {

  /** Of the states that a power cut may leave, at most so many are looked at. */
  private static final int CHOICES = 100 / Integer.getInteger("howdah.stride", 2);

  private static final int PAGE_BYTES = 4096;
  private static final int LINE_BYTES = 64;
  private static final List<Long> PAGES = List.of(0L, 1L, 2L, 16L, 33L);
  private static final int CHANGED = 8 * LINE_BYTES;
  private static final int UNCHANGED = 40 * LINE_BYTES;

  private final HandStore.Setup setup =
      new HandStore.Setup(2, true, 1L << 40, Backing.MAPPED, false);
  private long nonce = 1;

  private HandStore open(SimulatedDisk disk) {
    return HandStore.open(disk.storage(), new SoloExecution(), setup, nonce++);
  }

  /** A store whose newest checkpoint counts and is not folded, at the end of its process. */
  private SimulatedDisk journaled(Granularity granularity, CrashUnit unit) {
    SimulatedDisk disk = SimulatedDisk.builder(9).unit(unit).build();
    HandStore.create(disk.storage(), setup);
    HandStore first = open(disk);
    PAGES.forEach(page -> first.commit(0, page * PAGE_BYTES + UNCHANGED, 1000 + page));
    first.closeCleanly();
    HandStore store = open(disk);
    PAGES.forEach(page -> store.commit(0, page * PAGE_BYTES + CHANGED, 2000 + page));
    store.log.flush();
    new Checkpointer(store.storage, store.superblock, granularity)
        .journal(store.region(), store.dirty(), store.log.clock());
    disk.kill();
    return disk;
  }

  private void requireAll(SimulatedDisk disk) {
    HandStore store = open(disk);
    assertThat(store.recovered.report().foldedPages()).isEqualTo(PAGES.size());
    for (long page : PAGES) {
      assertThat(store.region().getLong(page * PAGE_BYTES + CHANGED)).isEqualTo(2000 + page);
      assertThat(store.region().getLong(page * PAGE_BYTES + UNCHANGED)).isEqualTo(1000 + page);
    }
  }

  /** Overwrites a sector of the image, as a drive may that lost its power while it wrote it. */
  private static void garble(SimulatedDisk disk, long offset, int bytes) {
    garble(disk, ImageFile.NAME, offset, bytes);
  }

  private static void garble(SimulatedDisk disk, String name, long offset, int bytes) {
    try (StorageFile image = disk.storage().open(name, Storage.Access.READ_WRITE)) {
      ByteBuffer garbage = ByteBuffer.allocateDirect(bytes);
      SplittableRandom random = new SplittableRandom(offset);
      while (garbage.hasRemaining()) {
        garbage.putLong(random.nextLong());
      }
      image.write(offset, garbage.flip());
      image.force();
    }
    disk.kill();
  }

  @Tag("scaled")
  @ParameterizedTest
  @EnumSource(CrashUnit.class)
  void linesRepairSectorsOfWhichEachIsOldOrNew(CrashUnit unit) {
    SimulatedDisk disk = journaled(Granularity.DUAL, unit);
    disk.inject(Fault.onNth(Operation.FORCE, 1).in(ImageFile.NAME));
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      Checkpointer checkpointer = new Checkpointer(disk.storage(), superblock);
      assertThat(catchThrowableOfType(StorageException.class, checkpointer::foldLeftover))
          .isNotNull();
    }
    List<CrashChoice> choices = disk.crashStates().choices(CHOICES);
    assertThat(choices).hasSizeGreaterThan(30);
    for (CrashChoice choice : choices) {
      SimulatedDisk cut = disk.fork();
      cut.powerCut(choice);
      requireAll(cut);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {512, PAGE_BYTES})
  void wholePagesRepairSectorsThatTurnedToGarbage(int sectorBytes) {
    SimulatedDisk disk = journaled(Granularity.PAGES, CrashUnit.SECTOR);
    for (long page : PAGES) {
      for (int at = 0; at < PAGE_BYTES; at += sectorBytes) {
        SimulatedDisk torn = disk.fork();
        garble(torn, page * PAGE_BYTES + at, sectorBytes);
        requireAll(torn);
      }
    }
  }

  @Test
  void wholePagesRepairSectorsThatCannotBeRead() {
    SimulatedDisk disk = journaled(Granularity.PAGES, CrashUnit.SECTOR);
    // The first read is of the header of image.sums.
    disk.inject(new Fault(Operation.READ, 2, "image", StorageException.Reason.IO, true));
    requireAll(disk);
  }

  @ParameterizedTest
  @ValueSource(ints = {512, PAGE_BYTES})
  void linesFindNeighboursThatTurnedToGarbage(int sectorBytes) {
    SimulatedDisk disk = journaled(Granularity.DUAL, CrashUnit.SECTOR);
    for (long page : PAGES) {
      for (int at = 0; at < PAGE_BYTES; at += sectorBytes) {
        SimulatedDisk torn = disk.fork();
        garble(torn, page * PAGE_BYTES + at, sectorBytes);
        CorruptStoreException found =
            catchThrowableOfType(CorruptStoreException.class, () -> open(torn));
        assertThat(found.file()).isEqualTo(ImageFile.NAME);
        assertThat(found.offset()).isEqualTo(page * PAGE_BYTES);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {512, PAGE_BYTES})
  void aSectorOfTheSumsThatTurnedToGarbageIsFound(int sectorBytes) {
    SimulatedDisk disk = journaled(Granularity.PAGES, CrashUnit.SECTOR);
    garble(disk, ImageSums.NAME, ImageSumsLayout.offset(0), sectorBytes);
    requireAll(disk.fork()); // a mapped image is not compared with its sums
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      Checkpointer checkpointer = new Checkpointer(disk.storage(), superblock);
      checkpointer.foldLeftover();
      // The fold has written the sums of its pages again; other sums of the sector are lost.
      assertThat(catchThrowableOfType(CorruptStoreException.class, checkpointer::check))
          .isNotNull();
    }
  }
}
