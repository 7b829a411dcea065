package io.howdah.collections;

import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.DoublingChunks;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.BlobLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.RangeAccess;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.lang.foreign.MemorySegment;

/**
 * A persistent sequence of bytes that is read and written in parts, from {@code Store.blob}. It
 * grows without being copied, in blocks of up to 64 KiB, so one blob can fill a store. One
 * transaction writes as much of it as {@code StoreOptions.maxTransactionBytes} allows.
 */
public final class PersistentBlob extends PersistentCollection {

  static final String KIND = "blob";

  /** Longest blob in bytes: 2<sup>44</sup>. */
  public static final long MAX_LENGTH = BlobLayout.MAX_SIZE;

  PersistentBlob(Transactions transactions, FoundCollection found) {
    super(transactions, found);
  }

  static long create(Words words, long incarnation) {
    long address = words.heap.allocate(BlobLayout.LENGTH);
    CollectionHeader.write(words, address, BlobLayout.MAGIC, incarnation, 0, 0);
    return address;
  }

  private long length(Words words) {
    long length = words.getUnchecked(address() + BlobLayout.SIZE_OFFSET);
    if (length < 0 || length > MAX_LENGTH) {
      throw words.inconsistentRead(address(), toString());
    }
    return length;
  }

  /** Returns how many bytes there are. */
  public long length(Tx tx) {
    return length(words(tx));
  }

  /**
   * Fills a segment with the bytes from an offset on.
   *
   * @throws IndexOutOfBoundsException if there are not as many
   */
  public void read(Tx tx, long offset, MemorySegment target) {
    Words words = words(tx);
    requireRange(words, offset, target.byteSize(), length(words));
    copy(words, offset, target, false);
  }

  /**
   * Returns a copy of some bytes, on the Java heap.
   *
   * @throws IndexOutOfBoundsException if there are not as many
   */
  public byte[] read(Tx tx, long offset, int count) {
    Words words = words(tx);
    requireRange(words, offset, count, length(words)); // before there is an array of any length
    byte[] bytes = new byte[count];
    read(tx, offset, MemorySegment.ofArray(bytes));
    return bytes;
  }

  /**
   * Writes a segment's bytes from an offset on. Bytes between the end and the offset become zeros.
   * A write of no bytes changes nothing, wherever its offset lies, as {@code pwrite} of POSIX.
   *
   * @throws IndexOutOfBoundsException if the offset is negative, or the blob would be longer than
   *     {@link #MAX_LENGTH}
   * @throws IllegalStateException if the segment's scope is closed
   * @throws WrongThreadException if this thread may not read the segment
   */
  public void write(Tx tx, long offset, MemorySegment source) {
    Words words = words(tx);
    if (!source.scope().isAlive()) {
      throw words.refuse(new IllegalStateException("the segment to write to a blob is closed"));
    }
    if (!source.isAccessibleBy(Thread.currentThread())) {
      throw words.refuse(
          new WrongThreadException("the segment to write to a blob belongs to another thread"));
    }
    requireRange(words, offset, source.byteSize(), MAX_LENGTH);
    long length = length(words);
    if (source.byteSize() == 0) {
      return;
    }
    long end = offset + source.byteSize();
    words.operations.begin();
    if (end > length) {
      extend(words, length, end);
      if (offset > length) {
        zero(words, length, offset);
      }
      words.putUnchecked(address() + BlobLayout.SIZE_OFFSET, end);
    }
    copy(words, offset, source, true);
    words.operations.end();
  }

  /** Writes an array from an offset on. */
  public void write(Tx tx, long offset, byte[] source) {
    write(tx, offset, MemorySegment.ofArray(source));
  }

  /** Writes an array behind the last byte. */
  public void append(Tx tx, byte[] source) {
    write(tx, length(tx), source);
  }

  /**
   * Shortens the blob; what is behind goes.
   *
   * @throws IndexOutOfBoundsException if the blob is not as long
   */
  public void truncate(Tx tx, long length) {
    Words words = words(tx);
    requireRange(words, length, 0, length(words));
    long used = (length + BlobLayout.UNIT_BYTES - 1) / BlobLayout.UNIT_BYTES;
    words.operations.begin();
    DoublingChunks.free(words, directory(), used, BlobLayout.UNIT_BYTES);
    words.putUnchecked(address() + BlobLayout.SIZE_OFFSET, length);
    words.operations.end();
  }

  private long directory() {
    return address() + BlobLayout.DIRECTORY_OFFSET;
  }

  private void extend(Words words, long length, long end) {
    long unit = length == 0 ? 0 : (length - 1) / BlobLayout.UNIT_BYTES;
    while (unit * BlobLayout.UNIT_BYTES < end) {
      DoublingChunks.require(words, directory(), unit, BlobLayout.UNIT_BYTES);
      unit = DoublingChunks.end(unit, BlobLayout.UNIT_BYTES);
    }
  }

  private void zero(Words words, long from, long to) {
    MemorySegment zeros = MemorySegment.ofArray(new byte[(int) Math.min(4096, to - from)]);
    for (long at = from; at < to; at += zeros.byteSize()) {
      copy(words, at, zeros.asSlice(0, Math.min(zeros.byteSize(), to - at)), true);
    }
  }

  /** Copies block by block; ranges are checked. */
  private void copy(Words words, long offset, MemorySegment segment, boolean write) {
    long done = 0;
    while (done < segment.byteSize()) {
      long at = offset + done;
      long unit = at / BlobLayout.UNIT_BYTES;
      long end = DoublingChunks.end(unit, BlobLayout.UNIT_BYTES) * BlobLayout.UNIT_BYTES;
      long count = Math.min(segment.byteSize() - done, end - at);
      long address =
          DoublingChunks.address(words, directory(), unit, BlobLayout.UNIT_BYTES)
              + at % BlobLayout.UNIT_BYTES;
      StoredNumbers.end(words, address, count, "a chunk of a blob");
      MemorySegment part = segment.asSlice(done, count);
      if (write) {
        RangeAccess.write(words, address, part);
      } else {
        RangeAccess.read(words, address, part);
      }
      done += count;
    }
  }

  private void requireRange(Words words, long offset, long count, long limit) {
    if (offset < 0 || count < 0 || offset > limit - count) {
      throw words.refuse(
          new IndexOutOfBoundsException(
              count
                  + " bytes from "
                  + offset
                  + " on of "
                  + this
                  + ", whose length is "
                  + length(words)));
    }
  }
}
