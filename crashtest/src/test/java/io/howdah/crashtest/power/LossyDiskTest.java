package io.howdah.crashtest.power;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.file.FileStorage;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk of the running kernel, where it lets us make one. */
final class LossyDiskTest {

  private static final int PAGE = 4096;

  /** Its first draw is "nothing is written back before the cut". */
  private static final long LOSES_ALL = 0;

  @TempDir private Path folder;

  private static ByteBuffer page(int value) {
    ByteBuffer page = ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE).limit(PAGE);
    while (page.hasRemaining()) {
      page.put((byte) value);
    }
    return page.flip();
  }

  @Test
  void keepsWhatWasForcedAndNothingElse() throws Exception {
    assumeThat(PowerProbe.whyNot(folder, FileSystemKind.EXT4)).as("power cuts").isEmpty();
    assertThat(new SplittableRandom(LOSES_ALL).nextBoolean()).isFalse();
    Path mine = Files.createDirectory(folder.resolve("mine"));
    try (LossyDisk disk = LossyDisk.create(mine, FileSystemKind.EXT4)) {
      Path files = disk.root().resolve("files");
      try (Storage storage = FileStorage.open(files);
          StorageFile buffered = storage.create("buffered");
          StorageFile direct = storage.create("direct");
          StorageFile mapped = storage.create("mapped");
          StorageFile unnamed = storage.create("unnamed")) {
        for (StorageFile file : new StorageFile[] {buffered, direct, mapped}) {
          file.write(0, page(1));
          file.write(PAGE, page(1));
          file.force();
        }
        storage.forceDirectory("");
        unnamed.write(0, page(1));
        buffered.write(0, page(2));
        buffered.force();
        buffered.write(PAGE, page(2));
        try (StorageFile past = storage.open("direct", Access.DIRECT);
            Region region = storage.mapShared("mapped", 2 * PAGE)) {
          past.write(0, page(2));
          past.force();
          past.write(PAGE, page(2));
          region.setLong(0, 2);
          disk.cut(new SplittableRandom(LOSES_ALL));
        }
      }
      disk.restart();
      assertThat(Files.readAllBytes(files.resolve("buffered"))[0]).isEqualTo((byte) 2);
      assertThat(Files.readAllBytes(files.resolve("buffered"))[PAGE]).isEqualTo((byte) 1);
      assertThat(Files.readAllBytes(files.resolve("direct"))[0]).isEqualTo((byte) 2);
      assertThat(Files.readAllBytes(files.resolve("direct"))[PAGE])
          .as("past the page cache, in the cache of the disk")
          .isEqualTo((byte) 1);
      assertThat(Files.readAllBytes(files.resolve("mapped"))[0]).isEqualTo((byte) 1);
    }
    assertThat(mine).doesNotExist();
  }
}
