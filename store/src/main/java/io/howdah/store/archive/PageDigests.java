package io.howdah.store.archive;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.ArchiveFrameLayout;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * SHA-256 of the pages of one slice. Two pages with one digest are the same page: no two pages of
 * one digest are known, and none are found by accident. Of a page of zeros it is zeros. Used by one
 * thread.
 */
final class PageDigests {

  static final int SLICE_PAGES = ArchiveFrameLayout.SLICE_BYTES / Alignment.PAGE_BYTES;

  private static final int LENGTH = ArchiveFrameLayout.DIGEST_LENGTH;
  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;

  private final byte[] digests = new byte[SLICE_PAGES * LENGTH];
  private final MessageDigest digest;

  PageDigests() {
    try {
      this.digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new UnsupportedStoreException("this JVM has no SHA-256: " + e.getMessage());
    }
  }

  void clear() {
    Arrays.fill(digests, (byte) 0);
  }

  /** Sets the digest of a page. */
  void set(int page, ByteBuffer pages) {
    digest.update(
        pages.duplicate().clear().limit((page + 1) * PAGE_BYTES).position(page * PAGE_BYTES));
    try {
      digest.digest(digests, page * LENGTH, LENGTH);
    } catch (DigestException e) {
      throw new IllegalStateException(e); // the array has room
    }
  }

  /** Copies digests of the first pages; those of further pages become zeros. */
  void set(ByteBuffer first) {
    clear();
    first.get(first.position(), digests, 0, Math.min(first.remaining(), digests.length));
  }

  /** Returns whether a page is zeros. */
  boolean isZero(int page) {
    for (int i = page * LENGTH; i < (page + 1) * LENGTH; i++) {
      if (digests[i] != 0) {
        return false;
      }
    }
    return true;
  }

  boolean hasSame(int page, PageDigests other) {
    int from = page * LENGTH;
    return Arrays.equals(digests, from, from + LENGTH, other.digests, from, from + LENGTH);
  }

  /** Writes the digests of the first pages into a buffer and sets its limit. */
  void encode(int pages, ByteBuffer buffer) {
    buffer.clear().put(digests, 0, pages * LENGTH).flip();
  }
}
