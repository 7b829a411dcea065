package io.howdah;

/** How the space up to a store's highest block is used, as of one LSN. In bytes. Immutable. */
public final class StoreSpace {

  /** The values, in the order in which they are printed. */
  record Values(long blocks, long usedBytes, long freeBytes, long reclaimableBytes) {}

  private final Values values;

  StoreSpace(Values values) {
    this.values = values;
  }

  /** Returns the number of blocks in use. */
  public long blocks() {
    return values.blocks;
  }

  /** Returns the length of these blocks together. */
  public long usedBytes() {
    return values.usedBytes;
  }

  /**
   * Returns the length of the space between blocks, which new blocks take before the store grows.
   */
  public long freeBytes() {
    return values.freeBytes;
  }

  /**
   * Returns the part of {@link #freeBytes} that the image may still have blocks of the disk for:
   * whole pages that held data once. {@link StoreBackups#compact} gives them back.
   */
  public long reclaimableBytes() {
    return values.reclaimableBytes;
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "StoreSpace");
  }
}
