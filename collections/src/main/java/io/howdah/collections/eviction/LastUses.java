package io.howdah.collections.eviction;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * When keys were last used, and two marks of each, in a table of fixed size: a key has one of two
 * slots, and displaces the one that was used earlier. It begins empty. Thread-safe; of two changes
 * of one slot at the same time, one may be lost.
 */
final class LastUses {

  private static final int SLOTS_PER_ENTRY = 2;
  private static final int TIME_BITS = 42;
  private static final long TIME_MASK = (1L << TIME_BITS) - 1;
  private static final long NEWCOMER = 1L << TIME_BITS;
  private static final long PROVEN = NEWCOMER << 1;
  private static final long TAG_MASK = -1L << (TIME_BITS + 2);
  private static final long MIX = 0xA24B_AED4_963E_E407L;
  private static final VarHandle SLOT =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  private static final long[] NOTHING = {};

  private final int length;

  /** As long as {@link #length}, or empty until a use is noted: an opening needs none. */
  private long[] table = NOTHING;

  /** Creates an empty table for a number of entries, a power of two. */
  LastUses(int entries) {
    this.length = SLOTS_PER_ENTRY * entries;
  }

  /** Returns the table. What another thread writes to it may be seen late. */
  private long[] slots() {
    long[] made = table;
    return made.length == 0 ? makeTable() : made;
  }

  private synchronized long[] makeTable() {
    if (table.length == 0) {
      table = new long[length];
    }
    return table;
  }

  private int index(long hash) {
    return (int) ((hash * MIX) >>> Integer.SIZE) & (length - 2);
  }

  /** Reads the slots of a key, so that they are in the cache of the processor. */
  void loadAhead(long hash) {
    long _ = slot(slots(), index(hash));
  }

  /** Returns what is known of a key; 0 for nothing. */
  long get(long hash) {
    long[] slots = slots();
    int index = index(hash);
    long first = slot(slots, index);
    if (isOf(first, hash)) {
      return first & ~TAG_MASK;
    }
    long second = slot(slots, index + 1);
    return isOf(second, hash) ? second & ~TAG_MASK : 0;
  }

  private static long slot(long[] slots, int index) {
    return (long) SLOT.getOpaque(slots, index);
  }

  private static boolean isOf(long slot, long hash) {
    return ((slot ^ hash) & TAG_MASK) == 0;
  }

  private void set(long hash, long marks, long time) {
    long[] slots = slots();
    int index = index(hash);
    long first = slot(slots, index);
    long second = slot(slots, index + 1);
    boolean isSecond = !isOf(first, hash) && (isOf(second, hash) || time(second) < time(first));
    SLOT.setOpaque(
        slots, isSecond ? index + 1 : index, (hash & TAG_MASK) | marks | (time & TIME_MASK));
  }

  /** Returns when a key was last used. */
  static long time(long use) {
    return use & TIME_MASK;
  }

  static boolean isNewcomer(long use) {
    return (use & NEWCOMER) != 0;
  }

  /** Returns whether a key was used after it had ceased to be a newcomer. */
  static boolean isProven(long use) {
    return (use & PROVEN) != 0;
  }

  /** Notes a use of a key. */
  void used(long hash, long time) {
    long[] slots = slots();
    int index = index(hash);
    long first = slot(slots, index); // each slot is read once: a hit pays for this
    long second = slot(slots, index + 1);
    boolean isFirst = isOf(first, hash);
    boolean isSecond = !isFirst && isOf(second, hash);
    long known = isFirst ? first : isSecond ? second : 0;
    int at = isSecond || (!isFirst && time(second) < time(first)) ? index + 1 : index;
    long marks = isNewcomer(known) ? NEWCOMER : PROVEN;
    SLOT.setOpaque(slots, at, (hash & TAG_MASK) | marks | (time & TIME_MASK));
  }

  /** Notes that a key is new. */
  void inserted(long hash, long time) {
    set(hash, NEWCOMER, time);
  }

  /** Forgets a key whose entry is evicted: its slot is free for others. */
  void evicted(long hash) {
    long[] slots = slots();
    int index = index(hash);
    if (isOf(slot(slots, index), hash)) {
      SLOT.setOpaque(slots, index, 0L);
    } else if (isOf(slot(slots, index + 1), hash)) {
      SLOT.setOpaque(slots, index + 1, 0L);
    }
  }

  /** Makes a newcomer an entry like others. */
  void admitted(long hash) {
    set(hash, 0, time(get(hash)));
  }

  /** Lets a key that has proven itself do that again. */
  void demoted(long hash, long time) {
    set(hash, 0, time);
  }
}
