package io.howdah.core.storage;

import java.nio.ByteBuffer;

/**
 * An open file. Not thread-safe but for {@link #force}, which may run beside reads and writes.
 *
 * <p>Failures are {@link StorageException}s; after a failed {@link #write} or {@link #force} the
 * caller must treat the file's unforced contents as unknown for ever: no later force proves
 * anything about them.
 */
public interface StorageFile extends AutoCloseable {

  /** Returns the name it was opened by, with the storage's description: for messages. */
  String describe();

  /** Returns the length in bytes. */
  long sizeBytes();

  /**
   * Returns what offsets, lengths and buffer addresses of {@link #read} and {@link #write} must be
   * divisible by: 1 for buffered files, the device's logical block (at most 4096) for direct ones.
   */
  int alignmentBytes();

  /**
   * Reads until the target is full or the file ends.
   *
   * @param target a direct buffer, filled from its position on
   * @return the bytes read, fewer than remaining only at the end of the file; never negative
   */
  int read(long offset, ByteBuffer target);

  /** Writes all remaining bytes of a direct buffer; short writes are continued. */
  void write(long offset, ByteBuffer source);

  /**
   * Sets the length. What is added occupies no blocks and reads as zeros; after a crash, unless it
   * was forced, it may be gone or hold anything.
   */
  void setSize(long lengthBytes);

  /**
   * Makes every write so far durable, and the length if it changed. Directory entries are {@link
   * Storage#forceDirectory}'s.
   */
  void force();

  /** Closes the file. Implies no force. Idempotent. */
  @Override
  void close();
}
