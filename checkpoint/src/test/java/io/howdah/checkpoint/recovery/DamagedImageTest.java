package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.ImageSums;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Every page of the image that is read as a whole is held to its checksum. */
@ParameterizedClass
@EnumSource(Backing.class)
class DamagedImageTest {

  private static final int PAGE_BYTES = 4096;

  /** Of the bytes of the sums one in so many is flipped; campaigns flip each. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 5);

  private static final List<Long> PAGES = List.of(0L, 1L, 2L, 16L, 33L);

  private final HandStore.Setup setup;
  private long nonce = 1;

  /** Both ways verify the image: loading it does always, mapping it if it was asked for. */
  DamagedImageTest(Backing backing) {
    setup = new HandStore.Setup(2, true, 1L << 40, backing, true);
  }

  private HandStore open(SimulatedDisk disk) {
    return HandStore.open(disk.storage(), new SoloExecution(), setup, nonce++);
  }

  private static long value(long page) {
    return 1000 + page;
  }

  private SimulatedDisk closed() {
    SimulatedDisk disk = SimulatedDisk.seeded(5);
    HandStore.create(disk.storage(), setup);
    HandStore store = open(disk);
    for (long page : PAGES) {
      store.commit(0, page * PAGE_BYTES + 8 * page, value(page));
    }
    store.closeCleanly();
    return disk;
  }

  private static void requireValues(HandStore store) {
    for (long page : PAGES) {
      assertThat(store.region().getLong(page * PAGE_BYTES + 8 * page)).isEqualTo(value(page));
    }
  }

  private static void check(SimulatedDisk disk) {
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      new Checkpointer(disk.storage(), superblock).check();
    }
  }

  @Test
  void aSoundImageLoads() {
    SimulatedDisk disk = closed();
    check(disk);
    requireValues(open(disk));
  }

  @Test
  void aBitOfAnyPageIsFound() {
    SimulatedDisk disk = closed();
    // Of holes before the image's end, too.
    for (long page : List.of(0L, 1L, 2L, 3L, 16L, 20L, 33L)) {
      for (int offset = 0; offset < PAGE_BYTES; offset += 511) {
        SimulatedDisk damaged = disk.fork();
        damaged.flipBit(ImageFile.NAME, page * PAGE_BYTES + offset, offset & 7);
        CorruptStoreException found =
            catchThrowableOfType(CorruptStoreException.class, () -> open(damaged));
        assertThat(found.file()).isEqualTo(ImageFile.NAME);
        assertThat(found.offset()).isEqualTo(page * PAGE_BYTES);
        assertThatThrownBy(() -> check(damaged)).isInstanceOf(CorruptStoreException.class);
      }
    }
  }

  @Tag("scaled")
  @Test
  void aBitOfTheSumsIsFound() {
    SimulatedDisk disk = closed();
    for (int offset = 0; offset < ImageSumsLayout.offset(34); offset += STRIDE) {
      SimulatedDisk damaged = disk.fork();
      damaged.flipBit(ImageSums.NAME, offset, offset & 7);
      assertThatThrownBy(() -> open(damaged))
          .as("at %s", offset)
          .isInstanceOf(CorruptStoreException.class);
    }
  }

  @Test
  void missingTruncatedOrForeignSumsAreDamage() {
    SimulatedDisk gone = closed();
    gone.remove(ImageSums.NAME);
    SimulatedDisk shorter = closed();
    shorter.truncate(
        ImageSums.NAME, ImageSumsLayout.offset(HandStore.REGION_BYTES / PAGE_BYTES) - 1);
    for (SimulatedDisk damaged : List.of(gone, shorter)) {
      assertThat(catchThrowableOfType(CorruptStoreException.class, () -> open(damaged)).file())
          .isEqualTo(ImageSums.NAME);
    }
  }

  @Test
  void pagesOfAnUnfoldedJournalAreVerifiedAgainstIt() {
    SimulatedDisk disk = journaled();
    SimulatedDisk read = disk.fork();
    check(read);
    // A page that the journal does not name.
    SimulatedDisk damaged = disk.fork();
    damaged.flipBit(ImageFile.NAME, 3 * PAGE_BYTES, 1);
    assertThatThrownBy(() -> check(damaged)).isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> open(damaged)).isInstanceOf(CorruptStoreException.class);
    // A part of one that it names by lines, and that no line covers.
    SimulatedDisk between = disk.fork();
    between.flipBit(ImageFile.NAME, 2 * PAGE_BYTES + 2048, 1);
    assertThatThrownBy(() -> check(between)).isInstanceOf(CorruptStoreException.class);
    assertThatThrownBy(() -> open(between)).isInstanceOf(CorruptStoreException.class);
    HandStore store = open(disk);
    requireValues(store);
    assertThat(store.region().getLong(2 * PAGE_BYTES)).isEqualTo(7);
  }

  /** Killed after its second checkpoint counted; the image has some of it, their sums have not. */
  private SimulatedDisk journaled() {
    SimulatedDisk disk = closed();
    HandStore store = open(disk);
    store.commit(0, 2 * PAGE_BYTES, 7);
    store.commit(0, 16 * PAGE_BYTES, 8);
    store.log.flush();
    new Checkpointer(store.storage, store.superblock)
        .journal(store.region(), store.dirty(), store.log.clock());
    try (StorageFile image = disk.storage().open(ImageFile.NAME, Storage.Access.READ_WRITE)) {
      ByteBuffer line = ByteBuffer.allocateDirect(64);
      store.region().copyTo(16 * PAGE_BYTES, line);
      image.write(16 * PAGE_BYTES, line.flip());
      image.force();
    }
    disk.kill();
    return disk;
  }

  @Test
  void sumsAreRightAgainAfterAJournalWasGivenUp() {
    SimulatedDisk disk = journaled();
    disk.flipBit("journal/0", 8, 0);
    disk.flipBit("journal/1", 8, 0);
    HandStore store = open(disk);
    assertThat(store.recovered.report().foldedPages()).isEqualTo(-1);
    assertThat(store.superblock.current().checkpoint().phase())
        .isEqualTo(CheckpointState.Phase.ABANDONED);
    requireValues(store);
    assertThat(store.region().getLong(16 * PAGE_BYTES)).isEqualTo(8);
    store.log.flush();
    // What was replayed is in the image by now, though not in its sums: comparing finds nothing.
    new Checkpointer(store.storage, store.superblock)
        .checkpointQuiescent(
            store.region(), store.dirty(), store.log.clock(), UnaryOperator.identity());
    disk.kill();
    check(disk.fork());
    HandStore again = open(disk);
    requireValues(again);
    assertThat(again.region().getLong(16 * PAGE_BYTES)).isEqualTo(8);
  }
}
