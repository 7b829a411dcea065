package io.howdah.store.archive;

import io.howdah.archive.ArchiveTarget;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.StorageException;
import io.howdah.store.archive.FrameReader.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Reads the digests of a complete base, slice by slice, for a base that is compared with it. A base
 * that cannot be read is as one that has no pages. Used by one thread.
 */
final class BaseDigests implements AutoCloseable {

  private final FrameReader reader;
  private final String object;
  private final long objectBytes;
  private final PageDigests digests = new PageDigests();

  /** The next digests that were not asked for, or null at the end. */
  private @Nullable Frame next;

  private long offset;

  /** Opens the digests of an object. */
  BaseDigests(ArchiveTarget target, String object, long objectBytes, PayloadCoding coding) {
    this.reader = new FrameReader(target, coding);
    this.object = object;
    this.objectBytes = objectBytes;
    try {
      advance();
    } catch (RuntimeException | Error e) {
      reader.close(); // nobody else can
      throw e;
    }
  }

  /** Returns whether there are any. */
  boolean hasSome() {
    return next != null;
  }

  /**
   * Returns the digests of a slice: zeros where the base has none.
   *
   * @param address larger than that of all calls before
   * @return valid until the next call
   */
  PageDigests at(long address) {
    while (next != null && next.first() < address) {
      advance();
    }
    digests.clear();
    Frame found = next;
    if (found != null && found.first() == address) {
      try {
        digests.set(reader.payload(found));
      } catch (CorruptStoreException | UnsupportedStoreException e) {
        next = null;
        digests.clear();
      }
    }
    return digests;
  }

  private void advance() {
    try {
      do {
        next = reader.read(object, offset, objectBytes);
        if (next != null) {
          offset = next.end();
        }
      } while (next != null && next.kind() != FrameKind.DIGESTS);
    } catch (CorruptStoreException e) {
      next = null;
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.MISSING) {
        throw e;
      }
      next = null;
    }
  }

  /** Frees the buffers. */
  @Override
  public void close() {
    reader.close();
  }
}
