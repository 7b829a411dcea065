package io.howdah.nvmsim.crash.thynvm;

import io.howdah.nvmsim.thynvm.control.AddressSpace;

/**
 * What NVM holds, one number per block or backed-up entry, each written atomically:
 *
 * <pre>
 *   places of the address space below DRAM, then per generation g (epoch modulo 2)
 *     registers of the CPU
 *     BTT      one cell per entry: 0, or slot and block + 1
 *     PTT      one cell per entry: 0, or region and page + 1
 *     swaps    one cell per swap: epoch, saved place and block
 *   and at last the number of the newest complete epoch; its lowest bit is the completion bit
 * </pre>
 *
 * @param space whose places come first
 * @param blockEntries BTT entries
 */
record NvmCells(AddressSpace space, int blockEntries) {
  private static final int FIELD_BITS = 20;
  private static final long FIELD_MASK = (1L << FIELD_BITS) - 1;

  private int generationLength() {
    return 1 + blockEntries + space.pages() + swapCells();
  }

  /** A swap takes an entry of the BTT out of the clean ones, so an epoch has at most as many. */
  int swapCells() {
    return blockEntries;
  }

  private int base(long epoch) {
    return (int) space.dramBase() + (int) (epoch & 1) * generationLength();
  }

  int registers(long epoch) {
    return base(epoch);
  }

  int block(long epoch, int entry) {
    return base(epoch) + 1 + entry;
  }

  int page(long epoch, int entry) {
    return base(epoch) + 1 + blockEntries + entry;
  }

  int swap(long epoch, int index) {
    return base(epoch) + 1 + blockEntries + space.pages() + index;
  }

  int completed() {
    return (int) space.dramBase() + 2 * generationLength();
  }

  int length() {
    return completed() + 1;
  }

  static long pack(long high, long middle, long low) {
    return (high << (2 * FIELD_BITS)) | (middle << FIELD_BITS) | low;
  }

  static long high(long cell) {
    return cell >>> (2 * FIELD_BITS);
  }

  static long middle(long cell) {
    return (cell >>> FIELD_BITS) & FIELD_MASK;
  }

  static long low(long cell) {
    return cell & FIELD_MASK;
  }
}
