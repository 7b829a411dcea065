package io.howdah.archives3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.storage.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What an archive relies on, of a place of any kind. */
abstract class ArchiveTargetContract {

  static final String LOG = ArchiveNames.log(1, 0xabcd, 1);

  /** Opens the same place, each time anew. */
  abstract ArchiveTarget open();

  /** Puts a file or an object there that is none of an archive. */
  abstract void putStranger(String name);

  static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Returns a buffer whose contents are not at its start. */
  static ByteBuffer buffer(byte[] bytes, int from, int length) {
    return ByteBuffer.allocateDirect(length + 24)
        .position(8)
        .put(bytes, from, length)
        .flip()
        .position(8);
  }

  static byte[] read(ArchiveTarget target, String name, long offset, int length) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(length);
    int count = target.read(name, offset, buffer);
    byte[] read = new byte[count];
    buffer.flip().get(read);
    return read;
  }

  @Test
  void anEmptyPlaceHasNoObject() {
    try (ArchiveTarget target = open()) {
      assertThat(target.list()).isEmpty();
      assertThat(target.describe()).isNotEmpty();
    }
  }

  @Test
  void whatWasPutIsReadAndReplaced() {
    byte[] first = bytes(1, 300);
    byte[] second = bytes(2, 200);
    try (ArchiveTarget target = open()) {
      target.put(ArchiveNames.ARCHIVE, buffer(first, 0, 300));
      assertThat(read(target, ArchiveNames.ARCHIVE, 0, 400)).isEqualTo(first);
      target.put(ArchiveNames.ARCHIVE, buffer(second, 0, 200));
      assertThat(read(target, ArchiveNames.ARCHIVE, 0, 400)).isEqualTo(second);
    }
    try (ArchiveTarget again = open()) {
      assertThat(again.list()).containsOnlyKeys(ArchiveNames.ARCHIVE).containsValue(200L);
      assertThat(read(again, ArchiveNames.ARCHIVE, 150, 400))
          .isEqualTo(Arrays.copyOfRange(second, 150, 200));
    }
  }

  @Test
  void whatWasForcedIsThereAlthoughTheTargetIsNotClosed() {
    byte[] all = bytes(3, 1000);
    try (ArchiveTarget writer = open()) {
      writer.append(LOG, 0, buffer(all, 0, 100));
      writer.append(LOG, 100, buffer(all, 100, 500));
      writer.force(LOG);
      try (ArchiveTarget reader = open()) {
        assertThat(reader.list()).containsEntry(LOG, 600L);
        assertThat(read(reader, LOG, 0, 600)).isEqualTo(Arrays.copyOf(all, 600));
      }
      writer.append(LOG, 600, buffer(all, 600, 400));
      writer.force(LOG);
      writer.force(LOG);
      assertThat(read(writer, LOG, 0, 2000)).isEqualTo(all);
      assertThat(read(writer, LOG, 1000, 10)).isEmpty();
    }
  }

  @Test
  void manySmallForcesAreReadFromAnyOffset() {
    byte[] all = bytes(4, 200 * 331);
    try (ArchiveTarget writer = open()) {
      for (int i = 0; i < 200; i++) {
        writer.append(LOG, i * 331L, buffer(all, i * 331, 331));
        writer.force(LOG);
      }
      writer.finish(LOG);
    }
    try (ArchiveTarget reader = open()) {
      assertThat(reader.list()).containsEntry(LOG, (long) all.length);
      assertThat(read(reader, LOG, 0, all.length)).isEqualTo(all);
      Random random = new Random(5);
      for (int i = 0; i < 20; i++) {
        int from = random.nextInt(all.length);
        int length = 1 + random.nextInt(all.length - from);
        assertThat(read(reader, LOG, from, length))
            .isEqualTo(Arrays.copyOfRange(all, from, from + length));
      }
    }
  }

  @Test
  void largeAppendsAreReadFromAnyOffset() {
    int[] lengths = {104, 3 << 20, 500_000, 600_000, 104, 20 << 20, 7};
    byte[] all = bytes(6, Arrays.stream(lengths).sum());
    try (ArchiveTarget writer = open()) {
      int at = 0;
      for (int length : lengths) {
        writer.append(LOG, at, buffer(all, at, length));
        at += length;
        if (length != 104) {
          writer.force(LOG);
        }
      }
    }
    try (ArchiveTarget reader = open()) {
      assertThat(reader.list()).containsEntry(LOG, (long) all.length);
      assertThat(Arrays.equals(read(reader, LOG, 0, all.length), all)).isTrue();
      assertThat(read(reader, LOG, all.length - 3, 104))
          .isEqualTo(Arrays.copyOfRange(all, all.length - 3, all.length));
    }
  }

  @Test
  void anObjectIsCreatedOnce() {
    try (ArchiveTarget first = open();
        ArchiveTarget second = open()) {
      first.append(LOG, 0, buffer(bytes(7, 10), 0, 10));
      first.force(LOG);
      assertThatThrownBy(() -> second.append(LOG, 0, buffer(bytes(8, 10), 0, 10)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("already exists");
      assertThatThrownBy(() -> second.append(LOG, 10, buffer(bytes(8, 10), 0, 10)))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> second.force(LOG)).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void anAbsentObjectIsNotRead() {
    try (ArchiveTarget target = open()) {
      assertThatThrownBy(() -> read(target, LOG, 0, 10))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(LOG);
    }
  }

  /** A reader lists, then reads; a removal may come between. */
  @Test
  void anObjectThatIsRemovedWhileItIsReadIsMissing() {
    byte[] all = bytes(10, 300_000);
    try (ArchiveTarget writer = open();
        ArchiveTarget reader = open()) {
      writer.append(LOG, 0, buffer(all, 0, all.length));
      writer.force(LOG);
      assertThat(read(reader, LOG, 0, 104)).hasSize(104);
      writer.remove(LOG);
      assertThatThrownBy(() -> read(reader, LOG, 200_000, 104))
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.MISSING));
    }
  }

  @Test
  void whatWasRemovedIsGone() {
    String other = ArchiveNames.log(1, 0xabcd, 2);
    try (ArchiveTarget target = open()) {
      for (int i = 0; i < 3; i++) {
        target.append(LOG, i * 10L, buffer(bytes(9, 10), 0, 10));
        target.force(LOG);
      }
      target.append(other, 0, buffer(bytes(9, 10), 0, 10));
      target.force(other);
      target.put(ArchiveNames.ARCHIVE, buffer(bytes(9, 10), 0, 10));
      target.remove(LOG);
      target.remove(ArchiveNames.base(1, 0xabcd, 1)); // there is none
      assertThat(target.list()).containsOnlyKeys(other, ArchiveNames.ARCHIVE);
      assertThatThrownBy(() -> read(target, LOG, 0, 10)).isInstanceOf(StorageException.class);
      target.remove(ArchiveNames.ARCHIVE);
      assertThat(target.list()).containsOnlyKeys(other);
    }
  }

  @Test
  void whatIsNoneOfTheArchiveIsNotListed() {
    putStranger("readme.txt");
    putStranger("00000001-0000abcd.log.txt");
    try (ArchiveTarget target = open()) {
      assertThat(target.list()).isEmpty();
    }
  }
}
