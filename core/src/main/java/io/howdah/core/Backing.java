package io.howdah.core;

/** How a store's region comes into memory. Behaviour is the same, speed differs. */
public enum Backing {

  /**
   * Pages arrive from the image as they are touched: opening takes the same time whatever the
   * store's size.
   */
  MAPPED,

  /** The image is loaded when the store opens: steady speed from the first transaction on. */
  RESIDENT
}
