package io.howdah.server.items;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When keys were last used, in a table of fixed size: two keys of one place displace each other.
 * Volatile: begins empty, and a key that is not in it is taken for unused. Thread-safe.
 */
final class Recency {

  private static final long REFERENCED = 1L << 32;
  private static final long FETCHED = 1L << 33;
  private static final int TAG_SHIFT = 34;
  private static final long SECONDS = (1L << 32) - 1;
  private static final int HALF_MIX = 29;
  private static final int AVERAGE_ITEM_BYTES = 256;
  private static final int MIN_SLOTS = 1 << 12;
  private static final int MAX_SLOTS = 1 << 22; // 32 MiB
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** The golden ratio, in 64 bits. */
  static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  private final AtomicLongArray slots;
  private final long start;

  /**
   * Makes an empty table.
   *
   * @param slots a power of two
   * @param start the second that is told of keys that are not in it
   */
  Recency(int slots, long start) {
    this.slots = new AtomicLongArray(slots);
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
      hash = (hash ^ (long) WORD.get(key, at)) * MIX;
      hash ^= hash >>> HALF_MIX;
    }
    for (; at < key.length; at++) {
      hash = (hash ^ key[at]) * MIX;
    }
    return hash ^ (hash >>> HALF_MIX);
  }

  private int slot(long hash) {
    return (int) hash & (slots.length() - 1);
  }

  private static boolean isOf(long slot, long hash) {
    return slot != 0 && slot >>> TAG_SHIFT == hash >>> TAG_SHIFT;
  }

  /** Notes that an item was stored, and has not been read since. */
  void stored(byte[] key, long now) {
    long hash = hash(key);
    slots.setOpaque(slot(hash), tag(hash) | REFERENCED | (now & SECONDS));
  }

  /** Notes that an item was read. */
  void read(byte[] key, long now) {
    long hash = hash(key);
    slots.setOpaque(slot(hash), tag(hash) | REFERENCED | FETCHED | (now & SECONDS));
  }

  private static long tag(long hash) {
    return hash >>> TAG_SHIFT << TAG_SHIFT;
  }

  /** Returns the second of the last use. */
  long lastUse(byte[] key) {
    long hash = hash(key);
    long slot = slots.getOpaque(slot(hash));
    return isOf(slot, hash) ? slot & SECONDS : start;
  }

  boolean isFetched(byte[] key) {
    long hash = hash(key);
    long slot = slots.getOpaque(slot(hash));
    return isOf(slot, hash) && (slot & FETCHED) != 0;
  }

  /** Returns whether a key was used since this was last asked about it. */
  boolean takeReference(byte[] key) {
    long hash = hash(key);
    long slot = slots.getOpaque(slot(hash));
    if (!isOf(slot, hash) || (slot & REFERENCED) == 0) {
      return false;
    }
    slots.setOpaque(slot(hash), slot & ~REFERENCED);
    return true;
  }
}
