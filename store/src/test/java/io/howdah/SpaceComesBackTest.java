package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What data no longer need, the files give back: a close the log, a restore the image. */
final class SpaceComesBackTest {

  private static final int BLOCKS = 60;
  private static final int BLOCK_WORDS = 4_000;
  private static final int PAGE = 4096;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(16 << 20)
          .withPartitions(1)
          .withRingBytes(1 << 20)
          .withOrecs(1 << 10)
          .withVerifyImage(true);

  private static long logBytes(Storage storage) {
    long bytes = 0;
    for (String entry : storage.list("log/0")) {
      try (StorageFile file = storage.open("log/0/" + entry, Storage.Access.READ)) {
        bytes += file.sizeBytes();
      } catch (StorageException e) {
        // Renamed or removed since the list.
      }
    }
    return bytes;
  }

  private static long imageEnd(Storage storage) {
    try (SuperblockFile superblock = SuperblockFile.open(storage)) {
      return new Checkpointer(storage, superblock).imageEnd();
    }
  }

  private static void write(Store store, long block, long value) {
    store.run(
        tx -> {
          for (int i = 0; i < BLOCK_WORDS; i++) {
            tx.putLong(block + 8L * i, value + i);
          }
        });
  }

  @Test
  void aClosedStoreHasNoMoreLogThanItNeeds() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    long open;
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      long block = store.call(tx -> tx.allocate(8L * BLOCK_WORDS));
      for (int i = 0; i < 1_000; i++) {
        write(store, block, i);
      }
      open = logBytes(disk.storage());
    }
    assertThat(open).isGreaterThan(16L << 20);
    assertThat(logBytes(disk.storage())).isBetween(1L, 8L << 20);
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      assertThat(store.admin().recoveryReport().counts().records()).isZero();
    }
  }

  private static SimulatedDisk emptied(List<Long> blocks) {
    SimulatedDisk disk = SimulatedDisk.seeded(2);
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      for (int i = 0; i < BLOCKS; i++) {
        blocks.add(store.call(tx -> tx.allocate(8L * BLOCK_WORDS)));
        write(store, blocks.get(i), 1);
      }
      store.admin().checkpoint();
      for (long block : blocks.subList(1, BLOCKS)) {
        store.run(tx -> tx.free(block));
      }
    }
    return disk;
  }

  @Test
  void aRestoredStoreHasNoFreePages() {
    List<Long> blocks = new ArrayList<>();
    SimulatedDisk disk = emptied(blocks);
    assertThat(imageEnd(disk.storage())).isGreaterThan(8L * BLOCKS * BLOCK_WORDS);
    SimulatedDisk target = SimulatedDisk.seeded(3);
    StoreBackups.restore(
        disk.storage(), target.storage(), OptionalLong.empty(), OPTIONS.execution());
    assertThat(imageEnd(target.storage())).isLessThan(8L * 2 * BLOCK_WORDS);
    StoreBackups.check(target.storage(), OPTIONS.execution());
    try (Store store = Store.open(OPTIONS.withStorage(target.storage()))) {
      assertThat((long) store.read(tx -> tx.getLong(blocks.getFirst() + 80))).isEqualTo(11);
      assertThat(store.admin().stats().allocatedBytes()).isLessThan(8L * 2 * BLOCK_WORDS);
    }
    try (StorageFile image = target.storage().open("image", Storage.Access.READ)) {
      ByteBuffer word = ByteBuffer.allocateDirect(8);
      image.read(blocks.get(BLOCKS / 2) + 80, word);
      assertThat(word.getLong(0)).isZero();
    }
  }

  @Test
  void aCompactedStoreIsRestoredAndCompactedAgain() {
    List<Long> blocks = new ArrayList<>();
    SimulatedDisk disk = emptied(blocks);
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      StoreSpace space = store.admin().space();
      assertThat(space.usedBytes()).isBetween(8L * BLOCK_WORDS, 8L * BLOCK_WORDS + PAGE);
      assertThat(space.reclaimableBytes()).isGreaterThan(8L * (BLOCKS - 2) * BLOCK_WORDS);
      assertThat(space.freeBytes()).isGreaterThanOrEqualTo(space.reclaimableBytes());
      assertThat(store.admin().inspect().reclaimableBytes()).isEqualTo(space.reclaimableBytes());
    }
    StoreBackups.compact(disk.storage(), OPTIONS.execution());
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      assertThat(store.admin().space().reclaimableBytes()).isZero();
      assertThat(store.admin().space().blocks()).isEqualTo(1);
    }
    long end = imageEnd(disk.storage());
    StoreBackups.check(disk.storage(), OPTIONS.execution());
    StoreBackups.compact(disk.storage(), OPTIONS.execution());
    assertThat(imageEnd(disk.storage())).isEqualTo(end).isLessThan(8L * 2 * BLOCK_WORDS);
    try (Store store = Store.open(OPTIONS.withStorage(disk.storage()))) {
      for (int i = 0; i < BLOCKS / 2; i++) {
        long block = store.call(tx -> tx.allocate(8L * BLOCK_WORDS));
        assertThat((long) store.read(tx -> tx.getLong(block + 80))).isZero();
        write(store, block, 5);
      }
      assertThat((long) store.read(tx -> tx.getLong(blocks.getFirst() + 80))).isEqualTo(11);
    }
    StoreBackups.check(disk.storage(), OPTIONS.execution());
  }
}
