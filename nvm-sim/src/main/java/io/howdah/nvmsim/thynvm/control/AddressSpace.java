package io.howdah.nvmsim.thynvm.control;

/**
 * The hardware address space of the paper's Figure 4, in blocks of 64 bytes, from low to high:
 *
 * <pre>
 *   NVM   Home = checkpoint region B     the physical address space itself
 *         checkpoint region A, blocks    slots of versions
 *         checkpoint region A, pages     one slot per PTT entry
 *         BTT/PTT/CPU backup             two generations, the newest complete one is valid
 *   DRAM  working region, pages          one slot per PTT entry
 *         working region, blocks         slots of versions
 * </pre>
 *
 * @param homeBlocks physical blocks
 * @param blockSlots slots of checkpoint region A for blocks
 * @param pages PTT entries
 * @param pageBlocks blocks of a page, a power of two
 * @param backupBlocks both generations of the backup
 * @param cacheSlots slots of the working region for blocks
 */
public record AddressSpace(
    long homeBlocks, int blockSlots, int pages, int pageBlocks, int backupBlocks, int cacheSlots) {
  /** Bytes of a block. */
  public static final int BLOCK_LENGTH = 64;

  /** Blocks of a page of 4 KB. */
  public static final int PAGE_BLOCKS = 64;

  public AddressSpace {
    if (homeBlocks < 1 || blockSlots < 1 || pages < 0 || cacheSlots < 1 || backupBlocks < 0) {
      throw new IllegalArgumentException(
          "an address space needs blocks and slots: " + homeBlocks + ", " + blockSlots);
    }
    if (pageBlocks < 1 || Integer.bitCount(pageBlocks) != 1 || homeBlocks % pageBlocks != 0) {
      throw new IllegalArgumentException(
          "blocks of a page must be a power of two that divides the space: " + pageBlocks);
    }
  }

  public long blockSlotBase() {
    return homeBlocks;
  }

  /** A block of a page's slot in checkpoint region A. */
  public long pageCheckpoint(int entry, int block) {
    return homeBlocks + blockSlots + (long) entry * pageBlocks + block;
  }

  public long backupBase() {
    return homeBlocks + blockSlots + (long) pages * pageBlocks;
  }

  /** The first block of DRAM. */
  public long dramBase() {
    return backupBase() + backupBlocks;
  }

  /** A block of a page's slot in the working region. */
  public long pageCache(int entry, int block) {
    return dramBase() + (long) entry * pageBlocks + block;
  }

  public long cacheSlotBase() {
    return dramBase() + (long) pages * pageBlocks;
  }

  public boolean isDram(long place) {
    return place >= dramBase();
  }

  /** Blocks of the whole hardware address space. */
  public long blocks() {
    return cacheSlotBase() + cacheSlots;
  }

  public long pageOf(long block) {
    return block / pageBlocks;
  }

  public int blockInPage(long block) {
    return (int) (block & (pageBlocks - 1));
  }
}
