package io.howdah.archive;

import io.howdah.core.storage.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * An object that is appended to. What was appended is kept in memory until a force uploads it as a
 * part. Parts are uploaded one after the other, so at each moment those that are there are the
 * beginning of the object, without a gap.
 *
 * <p>An archive is forced each second, and most of what it forces is small. The <em>tail</em> is
 * the end of the object since its last large part. It stays in memory, and when it is long, or of
 * many parts, the next force uploads all of it as one part instead of what is new. Then the small
 * parts have the same bytes as the large one, and are removed. A crash before that leaves both,
 * which changes nothing for a reader.
 *
 * <p>Holds {@value #MAX_PART_BYTES} bytes at most. Used by one thread at a time.
 */
final class AppendedObject {

  /** Length of a tail that is uploaded as one part. */
  static final int LARGE_BYTES = 1 << 20;

  /** Number of parts of a tail that is uploaded as one part. */
  static final int MAX_SMALL_PARTS = 64;

  /** Maximum length of a part: so much is uploaded although nothing was forced. */
  static final int MAX_PART_BYTES = 8 << 20;

  private static final int FIRST_BYTES = 64 << 10;

  private final ObjectStore objects;
  private final String key;
  private byte[] tail = new byte[FIRST_BYTES];

  /** Offset of the tail in the object. */
  private long tailOffset;

  private int tailBytes;

  /** Length of the beginning of the tail that was uploaded. */
  private int uploadedBytes;

  private final List<String> smallParts = new ArrayList<>();
  private boolean hasFailed;

  AppendedObject(ObjectStore objects, String key) {
    this.objects = objects;
    this.key = key;
  }

  /** Appends; uploads only if there is more than a part holds. */
  void append(long offset, ByteBuffer bytes) {
    requireUsable();
    if (offset != tailOffset + tailBytes) {
      throw new IllegalStateException(
          key + " has " + (tailOffset + tailBytes) + " bytes, so nothing is appended at " + offset);
    }
    while (bytes.hasRemaining()) {
      int count = Math.min(bytes.remaining(), MAX_PART_BYTES - tailBytes);
      if (tailBytes + count > tail.length) {
        tail =
            Arrays.copyOf(
                tail, Math.min(MAX_PART_BYTES, Math.max(2 * tail.length, tailBytes + count)));
      }
      bytes.get(tail, tailBytes, count);
      tailBytes += count;
      if (tailBytes == MAX_PART_BYTES) {
        force();
      }
    }
  }

  /** Uploads what was not uploaded. On return all that was appended is in parts. */
  void force() {
    requireUsable();
    if (uploadedBytes == tailBytes) {
      return;
    }
    boolean isLong = tailBytes >= LARGE_BYTES;
    boolean isWhole = isLong || smallParts.size() + 1 >= MAX_SMALL_PARTS;
    ObjectPart part = upload(isWhole ? 0 : uploadedBytes);
    uploadedBytes = tailBytes;
    if (isWhole) {
      removeSmallParts();
    }
    if (isLong) {
      tailOffset += tailBytes;
      tailBytes = 0;
      uploadedBytes = 0;
    } else {
      smallParts.add(part.key());
    }
  }

  private ObjectPart upload(int from) {
    int length = tailBytes - from;
    CRC32C crc = new CRC32C();
    crc.update(tail, from, length);
    ObjectPart part = ObjectPart.of(key, tailOffset + from, length, (int) crc.getValue());
    hasFailed = true; // a part may be there although its upload has failed
    objects.put(part.key(), tail, from, length);
    hasFailed = false;
    return part;
  }

  /**
   * Removes parts whose bytes are in a larger one. Where that fails, as where removals are not
   * allowed, they stay until the object is removed: they only cost.
   */
  private void removeSmallParts() {
    try {
      objects.remove(smallParts);
    } catch (StorageException e) {
      // The larger part is there, which is all that a force promises.
    }
    smallParts.clear();
  }

  private void requireUsable() {
    if (hasFailed) {
      throw new IllegalStateException(key + " is not used after a failure");
    }
  }
}
