package io.howdah.nvmsim.thynvm.table;

import java.util.BitSet;

/**
 * The slots of a version buffer. A slot that holds a version which recovery may still need is not
 * freed at once but retained: until the next checkpoint completes ({@code SHORT}), or until the one
 * after that ({@code LONG}). The lowest free slot is taken first.
 */
public final class VersionSlots {
  private final int length;
  private final long base;
  private final BitSet free;
  private final BitSet retainedShort;
  private final BitSet retainedLong;

  /**
   * Creates free slots.
   *
   * @param length number of slots
   * @param base the first slot's block index in the hardware address space
   */
  public VersionSlots(int length, long base) {
    this.length = length;
    this.base = base;
    free = new BitSet(length);
    free.set(0, length);
    retainedShort = new BitSet(length);
    retainedLong = new BitSet(length);
  }

  /** Takes a slot and returns its place. */
  public long take() {
    int slot = free.nextSetBit(0);
    if (slot < 0) {
      throw new IllegalStateException("all " + length + " version slots are in use");
    }
    free.clear(slot);
    return base + slot;
  }

  /** Takes a particular slot, which must be free. */
  public void take(long place) {
    if (!free.get(slot(place))) {
      throw new IllegalArgumentException("slot " + place + " is in use");
    }
    free.clear(slot(place));
  }

  /** Gives a slot back that nothing needs. */
  public void release(long place) {
    free.set(slot(place));
  }

  /** Gives a slot back once the checkpoint of the active epoch has completed. */
  public void retainShort(long place) {
    retainedShort.set(slot(place));
  }

  /** Gives a slot back once the checkpoint after the one in progress has completed. */
  public void retainLong(long place) {
    retainedLong.set(slot(place));
  }

  /** A checkpoint has completed. */
  public void checkpointCompleted() {
    free.or(retainedShort);
    retainedShort.clear();
    retainedShort.or(retainedLong);
    retainedLong.clear();
  }

  private int slot(long place) {
    long slot = place - base;
    if (slot < 0 || slot >= length) {
      throw new IllegalArgumentException("place " + place + " is no slot of this buffer");
    }
    return (int) slot;
  }
}
