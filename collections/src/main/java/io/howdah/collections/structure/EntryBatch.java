package io.howdah.collections.structure;

import static io.howdah.core.layout.EntryLayout.KEY_OFFSET;

import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.TreeNodeLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Encoded entries that are put into a {@link Tree} one after the other: for each the bytes of its
 * key, then those of its value. All of a batch are encoded before the first is put, so a codec of
 * the program never runs between two of them. Not thread-safe.
 */
public final class EntryBatch {

  /** Maximum number of entries: two full leaves of the longest kind. */
  public static final int MAX_ENTRIES = 64;

  /** Number of bytes after which no further entry is added. */
  private static final int FULL_BYTES = 1 << 15;

  /** So many keys in ascending order are probably no chance: one in 24. */
  private static final int FEW = 4;

  private static final int KEPT_BYTES = 1 << 16;

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN)
          .withInvokeExactBehavior();

  /** All entries; at least 8 bytes follow the last one. */
  private byte[] bytes = new byte[1 << 10];

  /** Where each entry begins, and where the last one ends. */
  private final int[] starts = new int[MAX_ENTRIES + 1];

  private final int[] keyLengths = new int[MAX_ENTRIES];

  /** The heads of keys of 8 bytes. */
  private final long[] heads = new long[MAX_ENTRIES];

  private int count;

  EntryBatch() {}

  /** Forgets all entries, and releases the memory that unusually long ones needed. */
  public void clear() {
    count = 0;
    if (bytes.length > KEPT_BYTES) {
      bytes = new byte[1 << 10];
    }
  }

  /** Returns whether no further entry should be added. */
  public boolean isFull() {
    return count == MAX_ENTRIES || starts[count] >= FULL_BYTES;
  }

  /** Adds the key and value in the image. */
  public void add(EncodingBuffer image, int keyLength) {
    int start = starts[count];
    int length = image.length() - KEY_OFFSET;
    int needed = start + length + Long.BYTES;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
    System.arraycopy(image.array(), KEY_OFFSET, bytes, start, length);
    keyLengths[count] = keyLength;
    heads[count] = TreeNodeLayout.head((long) BIG_ENDIAN.get(bytes, start));
    count++;
    starts[count] = start + length;
  }

  int count() {
    return count;
  }

  /** Places an entry in the image, as if it had been encoded there; returns its key's length. */
  int show(int entry, EncodingBuffer image) {
    image.clear();
    image.putLong(0);
    image.putBytes(bytes, starts[entry], starts[entry + 1] - starts[entry]);
    image.padWord();
    return keyLengths[entry];
  }

  /** Appends the key of an entry to other bytes; returns its length. */
  int appendKey(int entry, EncodingBuffer target) {
    target.putBytes(bytes, starts[entry], keyLengths[entry]);
    return keyLengths[entry];
  }

  /** Returns the head of an entry whose key has 8 bytes. */
  long head(int entry) {
    return heads[entry];
  }

  /** Returns the bytes of all entries; at least 8 follow the last one. */
  byte[] bytes() {
    return bytes;
  }

  /** Returns where the value of an entry begins in {@link #bytes}. */
  int valueOffset(int entry) {
    return starts[entry] + keyLengths[entry];
  }

  int valueLength(int entry) {
    return starts[entry + 1] - valueOffset(entry);
  }

  /**
   * Returns whether there is an entry behind one, with a greater key.
   *
   * @param fixedKeys whether all keys have 8 bytes
   */
  boolean isNextGreater(boolean fixedKeys, int entry) {
    int next = entry + 1;
    if (next >= count) {
      return false;
    }
    return fixedKeys
        ? head(entry) < head(next)
        : Arrays.compareUnsigned(
                bytes,
                starts[entry],
                starts[entry] + keyLengths[entry],
                bytes,
                starts[next],
                starts[next] + keyLengths[next])
            < 0;
  }

  /** Returns whether an entry begins a few whose keys ascend: rare where the keys have no order. */
  boolean isAscending(boolean fixedKeys, int entry) {
    int end = Math.min(entry + FEW, count) - 1;
    for (int i = entry; i < end; i++) {
      if (!isNextGreater(fixedKeys, i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether the key of an entry is less than another one. */
  boolean isLess(boolean fixedKeys, int entry, TreeKey key) {
    return fixedKeys
        ? head(entry) < key.fixed
        : Arrays.compareUnsigned(
                bytes,
                starts[entry],
                starts[entry] + keyLengths[entry],
                key.bytes,
                key.offset,
                key.offset + key.length)
            < 0;
  }
}
