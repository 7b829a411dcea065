package io.howdah.archive;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.storage.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects through a window. A reader of the archive goes from front to back and reads either
 * everything or a header here and there. So a window begins short, and doubles while it is
 * continued. It is at most as long as a part. Used by one thread at a time.
 */
final class ObjectReader {

  private static final int FIRST_WINDOW_BYTES = 64 << 10;

  private final ObjectStore objects;
  private @Nullable String objectKey;
  private @Nullable ObjectParts parts;
  private byte[] window = new byte[0];

  /** Offset of the window in the object. */
  private long windowOffset;

  ObjectReader(ObjectStore objects) {
    this.objects = objects;
  }

  /**
   * Reads until the buffer is full or the object ends; returns the number of bytes.
   *
   * @throws StorageException with the reason {@code MISSING} if there is no such object
   */
  int read(String key, long offset, ByteBuffer bytes) {
    if (!key.equals(objectKey)) {
      forget();
      objectKey = key;
    }
    int read = 0;
    while (bytes.hasRemaining()) {
      long at = offset + read;
      if (at < windowOffset || at >= windowOffset + window.length) {
        if (!fill(key, at, bytes.remaining())) {
          break;
        }
      }
      int from = (int) (at - windowOffset);
      int count = Math.min(bytes.remaining(), window.length - from);
      bytes.put(window, from, count);
      read += count;
    }
    return read;
  }

  /** Forgets what it knows of the object, because that may have changed. */
  void forget() {
    objectKey = null;
    parts = null;
    window = new byte[0];
    windowOffset = 0;
  }

  /**
   * Moves the window to an offset.
   *
   * @return false at the end of the object
   */
  private boolean fill(String key, long offset, int wanted) {
    // A listing may be older than a part that has taken the place of smaller ones.
    boolean isNew = false;
    ObjectParts known = parts;
    while (true) {
      if (known == null) {
        known = ObjectParts.list(objects, key);
        parts = known;
        isNew = true;
      }
      Optional<ObjectPart> part = known.at(offset);
      if (part.isPresent() && fetch(part.get(), offset, wanted)) {
        return true;
      }
      if (isNew) {
        if (!known.exists()) {
          throw new StorageException(StorageException.Reason.MISSING, "read " + key, null);
        }
        if (part.isEmpty() && offset >= known.length()) {
          return false;
        }
        throw new CorruptStoreException(key, offset, "a part of the object is missing");
      }
      known = null;
    }
  }

  /** Returns whether the part was there. */
  private boolean fetch(ObjectPart part, long offset, int wanted) {
    long from = offset - part.offset();
    boolean isContinued = offset == windowOffset + window.length && window.length > 0;
    long ahead = isContinued ? 2L * window.length : FIRST_WINDOW_BYTES;
    long most = Math.min(part.length() - from, AppendedObject.MAX_PART_BYTES);
    int length = (int) Math.min(most, Math.max(ahead, wanted));
    Optional<byte[]> answer = objects.get(part.key(), from, length);
    if (answer.isEmpty()) {
      return false;
    }
    byte[] bytes = answer.get();
    if (length == part.length() && part.crc() != ObjectPart.NO_CRC) {
      CRC32C crc = new CRC32C();
      crc.update(bytes);
      if (crc.getValue() != part.crc()) {
        throw new CorruptStoreException(
            part.key(), 0, "the bytes of the part have another checksum than its name says");
      }
    }
    window = bytes;
    windowOffset = offset;
    return true;
  }
}
