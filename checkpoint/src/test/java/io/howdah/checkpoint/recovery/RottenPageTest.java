package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.Granularity;
import io.howdah.checkpoint.ImageFile;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A page of the image that was damaged while the store was closed does not get a new checksum from
 * the next checkpoint that writes another line of it.
 */
@ParameterizedClass
@MethodSource("granularities")
class RottenPageTest {

  private static final int PAGE_BYTES = 4096;

  /**
   * In the middle of those that are written: an opening looks at the first and the last of them.
   */
  private static final long PAGE = 8;

  private static final long FIRST_PAGE = 2;
  private static final long LAST_PAGE = 17;
  private static final long WORD = PAGE * PAGE_BYTES;
  private static final long OTHER_WORD = WORD + 2048;

  /** Of a page that no checkpoint has written. */
  private static final long UNUSED_PAGE = 40;

  private final Granularity granularity;
  private long nonce = 1;

  RottenPageTest(Granularity granularity) {
    this.granularity = granularity;
  }

  static Stream<Granularity> granularities() {
    return Stream.of(Granularity.DUAL, Granularity.LINES, Granularity.PAGES);
  }

  private HandStore open(SimulatedDisk disk, Backing backing) {
    return HandStore.open(
        disk.storage(),
        new SoloExecution(),
        new HandStore.Setup(2, true, 1L << 40, backing, false),
        nonce++);
  }

  /** A store whose image has more pages than an opening holds to their sums. */
  private SimulatedDisk closed() {
    SimulatedDisk disk = SimulatedDisk.seeded(5);
    HandStore.create(disk.storage(), new HandStore.Setup(2, true, 1L << 40));
    HandStore store = open(disk, Backing.MAPPED);
    for (long page = FIRST_PAGE; page <= LAST_PAGE; page++) {
      store.commit(0, page * PAGE_BYTES, 1);
    }
    store.commit(0, OTHER_WORD, 2);
    store.closeCleanly();
    return disk;
  }

  private Checkpointer checkpointer(HandStore store) {
    return new Checkpointer(store.storage, store.superblock, granularity);
  }

  private void checkpoint(HandStore store) {
    store.log.flush();
    checkpointer(store)
        .checkpointQuiescent(
            store.region(), store.dirty(), store.log.clock(), UnaryOperator.identity());
  }

  private static void check(SimulatedDisk disk) {
    try (SuperblockFile superblock = SuperblockFile.open(disk.storage())) {
      new Checkpointer(disk.storage(), superblock).check();
    }
  }

  private void requireRefused(HandStore store, long page) {
    CheckpointState before = store.superblock.current().checkpoint();
    for (int attempt = 0; attempt < 2; attempt++) {
      CorruptStoreException found =
          catchThrowableOfType(CorruptStoreException.class, () -> checkpoint(store));
      assertThat(found.file()).isEqualTo(ImageFile.NAME);
      assertThat(found.offset()).isEqualTo(page * PAGE_BYTES);
      assertThat(found).hasMessageContaining("page " + page).hasMessageContaining("backup");
    }
    assertThat(store.superblock.current().checkpoint()).isEqualTo(before);
  }

  @Test
  void aPageThatWasDamagedWhileClosedStopsTheCheckpoint() {
    for (int offset : new int[] {0, 8, 2048, PAGE_BYTES - 1}) {
      SimulatedDisk disk = closed();
      disk.flipBit(ImageFile.NAME, WORD + offset, 3);
      HandStore store = open(disk, Backing.MAPPED);
      store.commit(0, WORD + 512, 9);
      requireRefused(store, PAGE);
      disk.kill();
      assertThatThrownBy(() -> check(disk)).isInstanceOf(CorruptStoreException.class);
    }
  }

  @Test
  void aPageBeyondTheImagesEndThatIsNoLongerZeroStopsTheCheckpoint() {
    SimulatedDisk disk = closed();
    disk.flipBit(ImageFile.NAME, UNUSED_PAGE * PAGE_BYTES + 100, 3);
    HandStore store = open(disk, Backing.MAPPED);
    store.commit(0, UNUSED_PAGE * PAGE_BYTES, 9);
    requireRefused(store, UNUSED_PAGE);
  }

  @Test
  void aReplayedPageIsAlsoVerifiedAgainstItsSum() {
    SimulatedDisk disk = closed();
    HandStore killed = open(disk, Backing.MAPPED);
    killed.commit(0, WORD, 9);
    killed.log.flush();
    disk.kill();
    disk.flipBit(ImageFile.NAME, OTHER_WORD, 0);
    requireRefused(open(disk, Backing.MAPPED), PAGE);
  }

  @Test
  void damageOfAPageThatMemoryHasACheckedCopyOfIsRepaired() {
    SimulatedDisk disk = closed();
    HandStore store = open(disk, Backing.MAPPED);
    store.commit(0, WORD, 9);
    checkpoint(store); // compared, so what is in memory is right
    disk.flipBit(ImageFile.NAME, OTHER_WORD, 0);
    store.commit(0, WORD, 10);
    checkpoint(store);
    disk.kill();
    check(disk);
    assertThat(open(disk, Backing.MAPPED).region().getLong(OTHER_WORD)).isEqualTo(2);
  }

  @Test
  void damageOfAnImageThatWasLoadedIsRepaired() {
    SimulatedDisk disk = closed();
    HandStore store = open(disk, Backing.RESIDENT);
    disk.flipBit(ImageFile.NAME, OTHER_WORD, 0);
    store.commit(0, WORD, 9);
    checkpoint(store);
    disk.kill();
    check(disk);
    assertThat(open(disk, Backing.RESIDENT).region().getLong(OTHER_WORD)).isEqualTo(2);
  }
}
