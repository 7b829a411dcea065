package io.howdah.txn;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.Region;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.BlockLayout;
import io.howdah.core.layout.RegionHeaderLayout;

/**
 * An allocator with one free list for each size class, and fresh blocks from the top of what was
 * ever used.
 *
 * <p>Limits: blocks up to {@link #maxBytes}; a freed block serves its own size class only, it is
 * neither split nor merged; two transactions that allocate from one list, or from the top,
 * conflict, and one of them runs again. A recycled block is cleared by the transaction that gets
 * it, which therefore writes, and logs, all of it.
 */
final class SizeClassAllocator implements Allocator {

  private final long capacityBytes;

  SizeClassAllocator(long capacityBytes) {
    this.capacityBytes = capacityBytes;
  }

  @Override
  public long maxBytes() {
    return SizeClasses.maxLength() - BlockLayout.HEADER_LENGTH;
  }

  @Override
  public long allocate(TxContext context, long bytes) {
    int sizeClass = SizeClasses.of(bytes + BlockLayout.HEADER_LENGTH);
    long list = listOf(sizeClass);
    long payload = context.getUnchecked(list);
    if (payload == 0) {
      return allocateFresh(context, sizeClass);
    }
    long header =
        isPayload(payload) ? context.getUnchecked(payload - BlockLayout.HEADER_LENGTH) : 0;
    if (header != BlockLayout.header(payload, sizeClass, BlockLayout.FREE)) {
      throw context.refuse(
          new CorruptStoreException(
              "region",
              list,
              "the free list of blocks of "
                  + SizeClasses.length(sizeClass)
                  + " bytes holds "
                  + payload
                  + ", which is no free block; a program has written to memory that it had freed"));
    }
    context.putUnchecked(list, context.getUnchecked(payload));
    context.putUnchecked(
        payload - BlockLayout.HEADER_LENGTH,
        BlockLayout.header(payload, sizeClass, BlockLayout.IN_USE));
    long end = payload - BlockLayout.HEADER_LENGTH + SizeClasses.length(sizeClass);
    for (long address = payload; address < end; address += Region.WORD_BYTES) {
      context.putUnchecked(address, 0);
    }
    return payload;
  }

  private long allocateFresh(TxContext context, int sizeClass) {
    long top = context.getUnchecked(RegionHeaderLayout.TOP_ADDRESS);
    long length = SizeClasses.length(sizeClass);
    if (top + length > capacityBytes) {
      throw context.refuse(
          new RegionFullException(
              "no room for a block of "
                  + length
                  + " bytes: "
                  + top
                  + " of "
                  + capacityBytes
                  + " bytes are taken and no block of that length is free; free some, or open the"
                  + " store with a larger maxSize"));
    }
    long payload = top + BlockLayout.HEADER_LENGTH;
    context.putUnchecked(RegionHeaderLayout.TOP_ADDRESS, top + length);
    context.putUnchecked(top, BlockLayout.header(payload, sizeClass, BlockLayout.IN_USE));
    return payload;
  }

  @Override
  public void free(TxContext context, long address) {
    int sizeClass = sizeClassOf(context, address);
    long list = listOf(sizeClass);
    context.putUnchecked(address, context.getUnchecked(list));
    context.putUnchecked(
        address - BlockLayout.HEADER_LENGTH,
        BlockLayout.header(address, sizeClass, BlockLayout.FREE));
    context.putUnchecked(list, address);
  }

  private int sizeClassOf(TxContext context, long address) {
    if (!isPayload(address) || address >= context.getUnchecked(RegionHeaderLayout.TOP_ADDRESS)) {
      throw notABlock(context, address, "no block starts there");
    }
    long header = context.getUnchecked(address - BlockLayout.HEADER_LENGTH);
    int sizeClass = BlockLayout.sizeClass(header);
    if (!BlockLayout.hasTag(header, address) || sizeClass >= SizeClasses.COUNT) {
      throw notABlock(context, address, "no block starts there");
    }
    if (header != BlockLayout.header(address, sizeClass, BlockLayout.IN_USE)) {
      throw notABlock(context, address, "the block is free already");
    }
    return sizeClass;
  }

  /** Returns whether a payload could start here; its header then lies inside the region. */
  private boolean isPayload(long address) {
    return address >= BlockLayout.FIRST_PAYLOAD_ADDRESS
        && address < capacityBytes
        && address % BlockLayout.ALIGNMENT == 0;
  }

  private static RuntimeException notABlock(TxContext context, long address, String problem) {
    return context.refuse(
        new InvalidAddressException("address " + address + " cannot be freed: " + problem));
  }

  private static long listOf(int sizeClass) {
    return RegionHeaderLayout.FREE_LISTS_ADDRESS + (long) sizeClass * Region.WORD_BYTES;
  }
}
