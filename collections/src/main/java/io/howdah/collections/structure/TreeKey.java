package io.howdah.collections.structure;

import io.howdah.core.layout.TreeNodeLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The bytes of a key of a {@link Tree}, which are a part of an array. Of a key of 8 bytes it knows
 * the head alone. Not thread-safe.
 */
final class TreeKey {

  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN)
          .withInvokeExactBehavior();

  private static final int FIRST_BYTES = 64;

  /** The array; at least 8 bytes follow the key. */
  byte[] bytes = new byte[FIRST_BYTES];

  /** Where the key begins in the array. */
  int offset;

  /** The length of the key in bytes. */
  int length;

  /** The head of a key of 8 bytes. */
  long fixed;

  /** The array of a copied key, in place of one that belongs to another object. */
  private byte[] own = bytes;

  private boolean isOwn = true;

  /** Becomes a part of an array, which is not copied. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  void wrap(byte[] array, int from, int count) {
    if (bytes != array) { // storing a reference costs a barrier of the collector
      bytes = array;
    }
    offset = from;
    length = count;
    isOwn = false;
  }

  /** Becomes a copy of another key. */
  void copy(TreeKey other) {
    fixed = other.fixed;
    byte[] target = prepare(other.length);
    System.arraycopy(other.bytes, other.offset, target, 0, other.length);
  }

  /** Copies the bytes, if they are those of another object. */
  void own() {
    if (!isOwn) {
      byte[] source = bytes;
      int from = offset;
      int count = length;
      System.arraycopy(source, from, prepare(count), 0, count);
    }
  }

  /** Becomes the key of 8 bytes with a head. */
  void setFixed(long head) {
    fixed = head;
    prepare(0);
  }

  /** Becomes a key of some length, whose bytes the caller writes into the returned array. */
  byte[] prepare(int count) {
    if (own.length < count + Long.BYTES) {
      own = new byte[Math.max(count + Long.BYTES, 2 * own.length)];
    }
    wrap(own, 0, count);
    isOwn = true;
    return own;
  }

  /** Releases the memory that an unusually long key needed. */
  void trim(int keptBytes) {
    if (own.length > keptBytes) {
      own = new byte[FIRST_BYTES];
      isOwn = false;
    }
    if (!isOwn) {
      wrap(own, 0, 0);
      isOwn = true;
    }
  }

  /** Returns the head of a key that differs in length from others, behind a prefix. */
  long head(int prefix) {
    int rest = length - prefix;
    return rest <= 0
        ? TreeNodeLayout.head(0, 0)
        : TreeNodeLayout.head((long) BIG_ENDIAN.get(bytes, offset + prefix), rest);
  }

  /**
   * Returns whether another key is equal.
   *
   * @param isFixed whether both have 8 bytes
   */
  boolean isSame(TreeKey other, boolean isFixed) {
    return isFixed ? fixed == other.fixed : compareTo(other) == 0;
  }

  /** Compares the bytes with those of another key. */
  int compareTo(TreeKey other) {
    return Arrays.compareUnsigned(
        bytes, offset, offset + length, other.bytes, other.offset, other.offset + other.length);
  }

  /** Returns how many bytes two keys begin with in common, at most what a header can say. */
  int commonPrefix(TreeKey other) {
    int common =
        Arrays.mismatch(
            bytes, offset, offset + length, other.bytes, other.offset, other.offset + other.length);
    return Math.min(common < 0 ? length : common, TreeNodeLayout.MAX_PREFIX);
  }

  /**
   * Becomes the shortest key that is greater than one key and not greater than another, which is
   * greater than the first.
   */
  void separate(TreeKey less, TreeKey greater) {
    int common =
        Arrays.mismatch(
            less.bytes,
            less.offset,
            less.offset + less.length,
            greater.bytes,
            greater.offset,
            greater.offset + greater.length);
    // Only a damaged node has keys that are not in order.
    int count = common < 0 ? greater.length : Math.min(common + 1, greater.length);
    byte[] target = prepare(count);
    System.arraycopy(greater.bytes, greater.offset, target, 0, count);
  }
}
