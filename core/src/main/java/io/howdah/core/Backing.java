package io.howdah.core;

/**
 * How the data of a store comes into memory when the store is opened. A program sees the same data
 * in all cases, and commits are equally durable; only the speed of the opening and of the first
 * accesses differs.
 */
public enum Backing {

  /**
   * Pages arrive from the image as they are touched: opening takes the same time whatever the
   * store's size.
   */
  MAPPED,

  /** The image is loaded when the store opens: steady speed from the first transaction on. */
  RESIDENT,

  /**
   * The memory is a file in a tmpfs, and outlives the process. If the process was killed, the next
   * opening uses this memory as it is, and redoes the few commits that were under way: the first
   * transactions find all data in memory, whatever the store's size. In all other cases, after a
   * restart of the machine or a close for example, the image is loaded when the store opens. Where
   * no tmpfs has room for the data, the store opens like {@link #MAPPED}. A store that grows until
   * the tmpfs is full gets {@link UnavailablePageException} for what needs new pages.
   */
  SHARED,

  /**
   * {@link #SHARED} where it costs nothing but memory, otherwise {@link #MAPPED}; the log line of
   * the opening says why. Memory of the process before is used where it is there. New memory is
   * shared if the tmpfs has room for all that the store may hold, so that growth is never refused
   * for want of room in it; if that is at most three quarters of the memory of the machine or the
   * container; and if the image is loaded within the recovery goal, at half a gibibyte a second.
   */
  AUTO
}
