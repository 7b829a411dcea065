package io.howdah.core;

/**
 * How the data of a store comes from its image into memory when the store is opened. A program sees
 * the same data in both cases, and commits are equally durable; only the speed of the opening and
 * of the first accesses differs.
 */
public enum Backing {

  /**
   * Pages arrive from the image as they are touched: opening takes the same time whatever the
   * store's size.
   */
  MAPPED,

  /** The image is loaded when the store opens: steady speed from the first transaction on. */
  RESIDENT
}
