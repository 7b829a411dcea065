package io.howdah.server.items;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * When keys were last used, in a table of fixed size: two keys of one place displace each other.
 * Volatile: begins empty, and a key that is not in it is taken for unused. A part of the table
 * takes memory once a key of it is used, so a start does not wait for the memory of all.
 * Thread-safe.
 */
final class Recency {

  private static final long REFERENCED = 1L << 32;
  private static final long FETCHED = 1L << 33;
  private static final int TAG_SHIFT = 34;
  private static final long SECONDS = (1L << 32) - 1;
  private static final int AVERAGE_ITEM_BYTES = 256;
  private static final int MIN_SLOTS = 1 << 12;
  private static final int MAX_SLOTS = 1 << 22; // 32 MiB
  private static final int PART_SHIFT = 12; // 32 KiB
  private static final int PART_SLOTS = 1 << PART_SHIFT;
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** The golden ratio, in 64 bits. */
  static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private final AtomicReferenceArray<@Nullable AtomicLongArray> parts;
  private final int mask;
  private final long start;

  /**
   * Makes an empty table.
   *
   * @param slots a power of two, at least {@value #PART_SLOTS}
   * @param start the second that is told of keys that are not in it
   */
  Recency(int slots, long start) {
    this.parts = new AtomicReferenceArray<>(slots >>> PART_SHIFT);
    this.mask = slots - 1;
    this.start = start;
  }

  /** Returns how many slots suit a limit of memory: about one for each item of average length. */
  static int slotsFor(long maxBytes) {
    return (int)
        Long.highestOneBit(Math.clamp(maxBytes / AVERAGE_ITEM_BYTES, MIN_SLOTS, MAX_SLOTS));
  }

  private static long hash(byte[] key) {
    long hash = key.length;
    int at = 0;
    for (; at <= key.length - Long.BYTES; at += Long.BYTES) {
      hash = fold(hash ^ (long) WORD.get(key, at));
    }
    long rest = 0;
    for (; at < key.length; at++) {
      rest = (rest << Byte.SIZE) | Byte.toUnsignedLong(key[at]);
    }
    return fold(fold(hash ^ rest));
  }

  /**
   * Multiplies to 128 bits and joins both halves, so each bit of a word changes bits all over the
   * result. In the lower half alone a bit changes only bits above it, and the last characters of a
   * word are its uppermost bits.
   */
  private static long fold(long word) {
    return word * MIX ^ Math.unsignedMultiplyHigh(word, MIX);
  }

  /** Returns the slot of a hash; 0 where nothing was ever noted. */
  private long get(long hash) {
    AtomicLongArray part = parts.getAcquire(part(hash));
    return part == null ? 0 : part.getOpaque((int) hash & (PART_SLOTS - 1));
  }

  private void set(long hash, long slot) {
    AtomicLongArray part = parts.getAcquire(part(hash));
    if (part == null) {
      part = newPart(part(hash));
    }
    part.setOpaque((int) hash & (PART_SLOTS - 1), slot);
  }

  private int part(long hash) {
    return ((int) hash & mask) >>> PART_SHIFT;
  }

  /** Two threads may come at once; both use the part of the first. */
  private AtomicLongArray newPart(int index) {
    AtomicLongArray made = new AtomicLongArray(PART_SLOTS);
    AtomicLongArray other = parts.compareAndExchangeRelease(index, null, made);
    return other == null ? made : other;
  }

  private static boolean isOf(long slot, long hash) {
    return slot != 0 && slot >>> TAG_SHIFT == hash >>> TAG_SHIFT;
  }

  /** Notes that an item was stored, and has not been read since. */
  void stored(byte[] key, long now) {
    long hash = hash(key);
    set(hash, tag(hash) | REFERENCED | (now & SECONDS));
  }

  /** Notes that a number was changed in its place: a use, but whether it was read stays. */
  void changed(byte[] key, long now) {
    long hash = hash(key);
    long slot = get(hash);
    long fetched = isOf(slot, hash) ? slot & FETCHED : 0;
    set(hash, tag(hash) | REFERENCED | fetched | (now & SECONDS));
  }

  /** Notes that an item was read. */
  void read(byte[] key, long now) {
    long hash = hash(key);
    set(hash, tag(hash) | REFERENCED | FETCHED | (now & SECONDS));
  }

  private static long tag(long hash) {
    return hash >>> TAG_SHIFT << TAG_SHIFT;
  }

  /** Returns the second of the last use. */
  long lastUse(byte[] key) {
    long hash = hash(key);
    long slot = get(hash);
    return isOf(slot, hash) ? slot & SECONDS : start;
  }

  boolean isFetched(byte[] key) {
    long hash = hash(key);
    long slot = get(hash);
    return isOf(slot, hash) && (slot & FETCHED) != 0;
  }

  /** Returns whether a key was used since this was last asked about it. */
  boolean takeReference(byte[] key) {
    long hash = hash(key);
    long slot = get(hash);
    if (!isOf(slot, hash) || (slot & REFERENCED) == 0) {
      return false;
    }
    set(hash, slot & ~REFERENCED);
    return true;
  }
}
