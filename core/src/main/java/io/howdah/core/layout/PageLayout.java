package io.howdah.core.layout;

/**
 * How the allocator divides a region: pages of 4 KiB, joined to runs. Each page has a descriptor,
 * an ordinary transactional word, little-endian.
 *
 * <pre>
 *        0      1      2              8
 *      +------+------+--------------+  descriptor
 *    0 | kind | class| length       |  length: pages of the run; of a tail, distance back to its head
 *      +------+------+--------------+
 *
 *  kind NONE   the page is no head and no tail, or was never used
 *  kind FREE   the first page of a run that is free; a run of more pages ends with a tail. Its class
 *              is 1 if all words of the run are zeros, since none was written or a compaction has
 *              cleared them, else 0
 *  kind SLAB   the first page of a run that holds blocks of one size class; the others are tails
 *  kind LARGE  the first page of a run that is one block
 *  kind TAIL   a page behind a head. It holds only if the head says so too: tails are left behind
 *  kind NODES  a page of nodes of one length ({@link NodeLayout}). Its class is their size code, its
 *              length has a bit for each node, the first one lowest: 1 in use
 *
 *  slab, the bytes of its run
 *    0 | bitmap ...                  |  a bit for each block: 1 in use
 *      | blocks ...                  |  from the next multiple on of 16, 32 or 64, as their length is
 * </pre>
 *
 * A head always tells the truth: one that ceases to be a head is overwritten. Descriptors of the
 * first 512 pages stand in the header; those of pages 2<sup>k</sup> to 2<sup>k+1</sup> - 1 at the
 * front of page 2<sup>k</sup>, so tables come into use as the region fills.
 */
public final class PageLayout {

  /** Bytes of a page. */
  public static final int PAGE_BYTES = 4096;

  /** Base-two logarithm of {@link #PAGE_BYTES}. */
  public static final int PAGE_SHIFT = 12;

  /** Pages whose descriptors are in the header. */
  public static final int HEADER_PAGES = 512;

  /** Neither head nor tail. */
  public static final int NONE = 0;

  /** First page of a free run. */
  public static final int FREE = 1;

  /** First page of a slab. */
  public static final int SLAB = 2;

  /** First page of a large block. */
  public static final int LARGE = 3;

  /** A page behind a head. */
  public static final int TAIL = 4;

  /** A page of nodes. */
  public static final int NODES = 5;

  /** Class of a free run whose words were never written, or cleared: they read as zeros. */
  public static final int NEVER_WRITTEN = 1;

  private static final int NODE_SHIFT = Integer.numberOfTrailingZeros(NodeLayout.MIN_BYTES);

  private PageLayout() {}

  /** Packs a descriptor. */
  public static long descriptor(int kind, int sizeClass, long length) {
    return kind | ((long) sizeClass << 8) | (length << 16);
  }

  /** Returns the kind in a descriptor; unchecked, 0 to 255. */
  public static int kind(long descriptor) {
    return (int) descriptor & 0xFF;
  }

  /** Returns the size class in a descriptor; unchecked, 0 to 255. */
  public static int sizeClass(long descriptor) {
    return (int) (descriptor >>> 8) & 0xFF;
  }

  /** Returns the length or distance in a descriptor, in pages; unchecked. */
  public static long length(long descriptor) {
    return descriptor >>> 16;
  }

  /**
   * Returns the number of pages of the run that a head begins; unchecked, may be 0. A page of nodes
   * is a run of its own.
   */
  public static long runPages(long descriptor) {
    return kind(descriptor) == NODES ? 1 : length(descriptor);
  }

  /** Returns the descriptor of a page of nodes. */
  public static long nodesDescriptor(int sizeCode, int inUse) {
    return descriptor(NODES, sizeCode, inUse);
  }

  /** Returns whether a descriptor is that of a page of nodes that there can be. */
  public static boolean isNodes(long descriptor) {
    return kind(descriptor) == NODES
        && sizeClass(descriptor) < NodeLayout.SIZES
        && length(descriptor) <= allNodes(sizeClass(descriptor));
  }

  /** Returns the bits of the nodes in use in a descriptor of which {@link #isNodes} is true. */
  public static int nodesInUse(long descriptor) {
    return (int) length(descriptor);
  }

  /** Returns a bit for each node of a page of nodes with a size code, which must be possible. */
  public static int allNodes(int sizeCode) {
    return (1 << (PAGE_BYTES >>> NODE_SHIFT >>> sizeCode)) - 1;
  }

  /** Returns where a page's descriptor stands. */
  public static long descriptorAddress(long page) {
    if (page < HEADER_PAGES) {
      return RegionHeaderLayout.PAGES_ADDRESS + page * Long.BYTES;
    }
    long first = Long.highestOneBit(page);
    return (first << PAGE_SHIFT) + (page - first) * Long.BYTES;
  }

  /** Returns how many pages at the front of page 2<sup>k</sup> hold descriptors. */
  public static long tablePages(long powerOfTwo) {
    return (powerOfTwo * Long.BYTES) >>> PAGE_SHIFT;
  }
}
