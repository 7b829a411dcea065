package io.howdah.txn;

/**
 * Hands out blocks of the region. All its state is transactional words, so an allocation happens
 * with its transaction or not at all, and recovery has nothing to do for it. Thread-safe.
 */
interface Allocator {

  /** Returns the largest block that can be asked for, in bytes. */
  long maxBytes();

  /**
   * Returns the address of a block that reads as zeros, divisible by 16.
   *
   * @param bytes 1 to {@link #maxBytes}, checked
   * @throws io.howdah.core.RegionFullException if there is no room; the transaction is ended
   */
  long allocate(TxContext context, long bytes);

  /**
   * Gives a block back. It may be handed out again from the commit on.
   *
   * @throws io.howdah.core.InvalidAddressException if the address is not that of a block in use;
   *     the transaction is ended
   */
  void free(TxContext context, long address);
}
