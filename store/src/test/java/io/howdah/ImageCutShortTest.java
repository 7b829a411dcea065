package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.superblock.SuperblockFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage of the image far from what the last checkpoint wrote. */
final class ImageCutShortTest {

  private static final int MIB = 1 << 20;
  private static final int SIZE = 4 * MIB;

  @TempDir private Path folder;

  private Path directory;
  private long block;

  /** The last checkpoint writes one page near the start; most of the block lies behind. */
  @BeforeEach
  void fill() {
    directory = folder.resolve("store");
    try (Store store = Store.open(directory, StoreOptions.defaults().withMaxSize(SIZE))) {
      block = store.call(tx -> tx.allocate(MIB));
      store.run(
          tx -> {
            for (int i = 0; i < MIB; i += 8) {
              tx.putLong(block + i, 7);
            }
          });
    }
    try (Store store = Store.open(directory)) {
      store.run(tx -> tx.putLong(block, 8));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"image", "image.sums"})
  void aLargerMaxSizeDoesNotMakeATruncatedFileWhole(String name) throws IOException {
    Path file = directory.resolve(name);
    byte[] superblock = Files.readAllBytes(directory.resolve("store.howdah"));
    long length = name.equals("image") ? block + MIB / 2 & -4096L : Files.size(file) - 4;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
    assertThatThrownBy(
            () -> Store.open(directory, StoreOptions.defaults().withMaxSize(2 * SIZE)).close())
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(name);
    assertThat(file).hasSize(length);
    assertThat(directory.resolve("store.howdah")).hasBinaryContent(superblock);
  }

  /** A checkpoint of a store at rest journals no page, and its journal counts all the same. */
  @ParameterizedTest
  @EnumSource(Backing.class)
  void aReadOnlyOpeningVerifiesTheImageBehindAnEmptyJournal(Backing backing) throws IOException {
    try (Storage storage = FileStorage.open(directory);
        StorageLock lock = storage.lock("test");
        SuperblockFile superblock = SuperblockFile.open(storage);
        Region region = storage.allocate(SIZE);
        DirtyPages none = DirtyPages.create(storage, SIZE, 4096)) {
      assertThat(lock.isHeld()).isTrue();
      long generation = superblock.current().generation() + 1;
      superblock.write(
          superblock.current().change().withClean(false).withGeneration(generation).build());
      long lsn =
          Math.max(
              superblock.current().baseLsn(), superblock.current().checkpoint().replayAboveLsn());
      assertThat(new Checkpointer(storage, superblock).journal(region, none, lsn)).isZero();
    }
    try (FileChannel image =
        FileChannel.open(directory.resolve("image"), StandardOpenOption.WRITE)) {
      image.write(ByteBuffer.wrap(new byte[] {99}), block + MIB / 2);
    }
    assertThatThrownBy(
            () ->
                Store.open(
                        directory,
                        StoreOptions.defaults()
                            .withReadOnly(true)
                            .withBacking(backing)
                            .withVerifyImage(backing != Backing.RESIDENT))
                    .close())
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("image");
  }

  @Test
  void aWholeStoreGrows() {
    try (Store store = Store.open(directory, StoreOptions.defaults().withMaxSize(2 * SIZE))) {
      assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(block + MIB - 8)))
          .isEqualTo(7);
    }
  }
}
