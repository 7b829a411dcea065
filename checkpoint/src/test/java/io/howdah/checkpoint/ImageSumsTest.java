package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Geometry;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Checksums at the ends of the buffers that they are written and read through. */
class ImageSumsTest {

  private static final int PAGE_BYTES = 4096;

  /** Sums in a buffer. */
  private static final int BUFFER = (1 << 14) / ImageSumsLayout.SUM_LENGTH;

  /** The first page whose sum lies in the second block of the file that reading goes by. */
  private static final int BLOCK =
      (int) (((1 << 14) - ImageSumsLayout.offset(0)) / ImageSumsLayout.SUM_LENGTH);

  private static final int PAGES = 3 * BUFFER;

  private final Storage storage = SimulatedDisk.seeded(1).storage();
  private final StagingMemory memory = new StagingMemory();
  private final ByteBuffer page = memory.allocate(PAGE_BYTES);

  ImageSumsTest() {
    ImageSums.create(
        storage,
        new StoreId(1, 2),
        new Geometry(1, 1 << 16, (long) PAGES * PAGE_BYTES, 1024, 32, PAGE_BYTES));
  }

  private ByteBuffer contents(long number) {
    return page.putLong(0, number + 1);
  }

  private void write(long from, long to, long step) {
    try (ImageSums sums = new ImageSums(storage, Storage.Access.READ_WRITE, memory, PAGE_BYTES)) {
      for (long number = from; number < to; number += step) {
        sums.put(number, Crc32c.of(contents(number), 0, PAGE_BYTES));
      }
      sums.force();
    }
  }

  /** Requires that exactly these sums were written, read one after the other and one by one. */
  private void requireWritten(long from, long to, long step) {
    try (ImageSums sums = new ImageSums(storage, Storage.Access.READ, memory, PAGE_BYTES)) {
      for (long number = from; number < to; number += step) {
        sums.requireRight(number, contents(number), 0);
      }
      sums.requireNothingBeyond(0, from);
      sums.requireNothingBeyond(to, PAGES);
      for (long number : new long[] {from, to - 1}) {
        if ((number - from) % step == 0) {
          assertThatThrownBy(() -> sums.requireRight(number, contents(number + 1), 0))
              .isInstanceOf(CorruptStoreException.class)
              .hasMessageContaining("page " + number);
          assertThatThrownBy(() -> sums.requireNothingBeyond(number, PAGES))
              .isInstanceOf(CorruptStoreException.class);
        }
      }
    }
  }

  @Test
  void runsThatEndAtTheBuffersEndAndBesideItAreWrittenWhole() {
    for (int from : new int[] {0, 1, BLOCK - 1, BLOCK}) {
      for (int count : new int[] {BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER}) {
        new ImageSumsTest().judge(from, from + count, 1);
      }
    }
  }

  @Test
  void theSumsOfTheLastPagesAreReadAndWritten() {
    new ImageSumsTest().judge(PAGES - 1, PAGES, 1);
    new ImageSumsTest().judge(PAGES - BUFFER - 1, PAGES, 1);
  }

  @Test
  void sumsWithGapsAreWrittenOneByOne() {
    new ImageSumsTest().judge(BLOCK - 3, BLOCK + 4, 2);
  }

  @Test
  void sumsThatWereNeverWrittenAreThoseOfZeros() {
    try (ImageSums sums = new ImageSums(storage, Storage.Access.READ, memory, PAGE_BYTES)) {
      sums.requireNothingBeyond(0, PAGES);
      for (long number : new long[] {0, BLOCK - 1, BLOCK, PAGES - 1}) {
        assertThatCode(() -> sums.requireRight(number, page.putLong(0, 0), 0))
            .doesNotThrowAnyException();
      }
    }
  }

  private void judge(long from, long to, long step) {
    write(from, to, step);
    requireWritten(from, to, step);
  }
}
