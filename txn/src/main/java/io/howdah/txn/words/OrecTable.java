package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.log.commit.Lsn;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The ownership records (orecs). A hash maps every stripe of {@value #STRIPE_BYTES} bytes of the
 * region to one orec, and several stripes may share it. Behind the orecs of stripes are those of
 * nodes: another hash maps every {@link NodeLayout node} to one of them. Thread-safe; the callers
 * choose memory modes and order (docs/protocol.md, section 7).
 *
 * <pre>
 *   unlocked  packed LSN of the last commit that wrote the stripe &lt;&lt; 1
 *   locked    (index in the owner's lock list &lt;&lt; 8 | the owner's lane) &lt;&lt; 1 | 1
 * </pre>
 *
 * A lane is leased to one commit at a time, so the lane identifies the owner.
 *
 * <p>The orecs are in an array on the Java heap, where an access costs one bounds check. An access
 * through a memory segment takes about twenty instructions more, three times for each word read and
 * written. The processor then overlaps fewer cache misses. The orecs are in a {@link Region} if
 * every access must be observable, as in the simulator, or if the table would take too much heap.
 */
public final class OrecTable implements AutoCloseable {

  /** Bytes of a stripe, which has one orec: half a cache line, as in TinySTM. */
  public static final int STRIPE_BYTES = 32;

  /**
   * Bytes of a stripe group: eight stripes, which have adjacent orecs, in order. The orecs of a
   * group take as many bytes as a cache line. A line of the region is a quarter of a group.
   */
  public static final int GROUP_BYTES = 256;

  /** Minimum number of orecs of stripes. */
  public static final int MIN_ORECS = 1 << 6;

  /** Maximum number of orecs of stripes; they take 512 MiB. */
  public static final int MAX_ORECS = 1 << 26;

  /** Maximum number of orecs of nodes; they take 1 MiB. */
  static final int MAX_NODE_ORECS = 1 << 17;

  private static final int STRIPE_SHIFT = 5;

  /** log2 of the number of stripes of a group: as many as orecs fit in a cache line. */
  private static final int GROUP_BITS = 3;

  private static final int GROUP_MASK = (1 << GROUP_BITS) - 1;
  private static final int GROUP_SHIFT = STRIPE_SHIFT + GROUP_BITS;
  private static final int LANE_BITS = 8;
  private static final int WORD_SHIFT = 3;
  private static final int NODE_SHIFT = Integer.numberOfTrailingZeros(NodeLayout.MIN_BYTES);
  private static final int NODE_MASK = (1 << (PageLayout.PAGE_SHIFT - NODE_SHIFT)) - 1;

  // 2^64 / golden ratio. The high bits of the product spread regular strides over the whole table.
  // A modulus would map all addresses of a stride of the table's size to one orec.
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /** The tables of all stores take at most 1/{@value} of the maximum heap size. */
  private static final int HEAP_SHARE = 16;

  /** Number of bytes that the open tables on the heap have reserved. */
  private static final AtomicLong ON_HEAP = new AtomicLong();

  /** The orecs if they are on the heap; otherwise they are in {@link #region}. */
  private final long @Nullable [] array;

  private final @Nullable Region region;
  private final SnapshotHistory history = new SnapshotHistory();
  private final int shift;

  /** Number of orecs of stripes, which is the number of the first orec of nodes. */
  private final int stripes;

  private final int nodeShift;

  /** This table's part of {@link #ON_HEAP}. */
  private final AtomicLong reserved = new AtomicLong();

  private OrecTable(long @Nullable [] array, @Nullable Region region, int orecs) {
    if (Integer.bitCount(orecs) != 1 || orecs < MIN_ORECS || orecs > MAX_ORECS) {
      throw new IllegalArgumentException("not a possible number of orecs: " + orecs);
    }
    this.array = array;
    this.region = region;
    this.shift = shift(orecs);
    this.stripes = orecs;
    this.nodeShift = Long.SIZE - Integer.numberOfTrailingZeros(nodeOrecs(orecs));
  }

  /** Returns the number of orecs of nodes of a table with this number of orecs of stripes. */
  private static int nodeOrecs(int orecs) {
    return Math.min(orecs, MAX_NODE_ORECS);
  }

  /** Returns the shift of a table with {@code orecs} orecs, a power of two. */
  static int shift(int orecs) {
    return Long.SIZE - Integer.numberOfTrailingZeros(orecs) + GROUP_BITS;
  }

  /**
   * Wraps a table in a region, which the caller closes.
   *
   * @param words zeroed: all stripes and nodes start at version 0
   * @param orecs number of orecs of stripes, a power of two
   */
  public OrecTable(Region words, int orecs) {
    this(null, words, orecs);
  }

  /**
   * Creates a table on the heap. If the tables of this JVM have reached their share of the heap,
   * creates it in memory from {@code allocate}.
   *
   * @param orecs number of orecs of stripes, a power of two
   * @param onHeap false if every access must go through a region
   */
  public static OrecTable create(int orecs, boolean onHeap, LongFunction<Region> allocate) {
    long bytes = lengthBytes(orecs);
    if (onHeap && reserve(bytes)) {
      boolean made = false;
      try {
        OrecTable table = new OrecTable(new long[orecs + nodeOrecs(orecs)], null, orecs);
        table.reserved.set(bytes);
        made = true;
        return table;
      } finally {
        if (!made) {
          ON_HEAP.addAndGet(-bytes);
        }
      }
    }
    return new OrecTable(allocate.apply(bytes), orecs);
  }

  private static boolean reserve(long bytes) {
    if (ON_HEAP.addAndGet(bytes) <= Runtime.getRuntime().maxMemory() / HEAP_SHARE) {
      return true;
    }
    ON_HEAP.addAndGet(-bytes);
    return false;
  }

  /** Returns the number of bytes of a table with {@code orecs} orecs of stripes. */
  public static long lengthBytes(int orecs) {
    return ((long) orecs + nodeOrecs(orecs)) * Long.BYTES;
  }

  /** Returns the words that were overwritten while snapshots are open. */
  public SnapshotHistory history() {
    return history;
  }

  /**
   * Returns the number of the orec of an address. The hash selects eight adjacent orecs, which the
   * stripes of a stripe group have in order, because an object's words are used together.
   */
  public long of(long address) {
    return of(address, shift);
  }

  /** Returns the number of the orec of an address in a table with this {@link #shift}. */
  public static int of(long address, int shift) {
    long group = ((address >>> GROUP_SHIFT) * MULTIPLIER) >>> shift << GROUP_BITS;
    return (int) (group | (address >>> STRIPE_SHIFT & GROUP_MASK));
  }

  /**
   * Returns the number of the orec of the node at an address, a multiple of 1 KiB. The nodes that a
   * page may have share a cache line of orecs, because a page that changes its kind locks all of
   * them. Their order there depends on the page, so the first nodes of pages, which are most of
   * all, use all orecs.
   */
  public int ofNode(long address) {
    int page = (int) (((address >>> PageLayout.PAGE_SHIFT) * MULTIPLIER) >>> nodeShift);
    return stripes + (page ^ ((int) (address >>> NODE_SHIFT) & NODE_MASK));
  }

  /**
   * Returns the orecs, or null if they are in a region. The hot path of a read keeps the array in a
   * local variable, which avoids reloading and checking the field after each acquire.
   */
  public long @Nullable [] array() {
    return array;
  }

  int shift() {
    return shift;
  }

  static long getAcquire(long[] array, int orec) {
    return (long) WORD.getAcquire(array, orec);
  }

  public static long getOpaque(long[] array, int orec) {
    return (long) WORD.getOpaque(array, orec);
  }

  /** Returns the number of the stripe of an address. */
  public static long stripe(long address) {
    return address >>> STRIPE_SHIFT;
  }

  /** Returns the end of an address's stripe group, or {@code end} if that is smaller. */
  public static long groupEnd(long address, long end) {
    return Math.min(end, (address & -GROUP_BYTES) + GROUP_BYTES);
  }

  /** Returns the number of stripes that a range within a stripe group overlaps. */
  public static int stripes(long from, long end) {
    return (int) (((end - 1) >>> STRIPE_SHIFT) - (from >>> STRIPE_SHIFT)) + 1;
  }

  long getAcquire(long orec) {
    long[] array = this.array;
    return array != null
        ? (long) WORD.getAcquire(array, (int) orec)
        : region().getLongAcquire(orec << WORD_SHIFT);
  }

  public long getOpaque(long orec) {
    return getOpaque(array, orec);
  }

  /** Reads an orec; {@code array} is the caller's copy of {@link #array}. */
  public long getOpaque(long @Nullable [] array, long orec) {
    return array != null
        ? (long) WORD.getOpaque(array, (int) orec)
        : region().getLongOpaque(orec << WORD_SHIFT);
  }

  public void setRelease(long orec, long word) {
    long[] array = this.array;
    if (array != null) {
      WORD.setRelease(array, (int) orec, word);
    } else {
      region().setLongRelease(orec << WORD_SHIFT, word);
    }
  }

  /**
   * Sets orecs to the same word, each with release. Each store pairs with the acquire load of the
   * orec in a read, for example in {@link Words#getUnchecked}.
   *
   * @param locks pairs of an orec's number and another value
   */
  void setAllRelease(long[] locks, int count, long word) {
    long[] array = this.array;
    for (int i = 0; i < 2 * count; i += 2) {
      if (array != null) {
        WORD.setRelease(array, (int) locks[i], word);
      } else {
        region().setLongRelease(locks[i] << WORD_SHIFT, word);
      }
    }
  }

  /** Compares and sets an orec; {@code array} is the caller's copy of {@link #array}. */
  boolean compareAndSet(long @Nullable [] array, long orec, long expected, long word) {
    return array != null
        ? WORD.compareAndSet(array, (int) orec, expected, word)
        : region().compareAndSetLong(orec << WORD_SHIFT, expected, word);
  }

  private Region region() {
    return Objects.requireNonNull(region, "region");
  }

  /** Frees memory outside of the heap, and the table's share of the heap. Idempotent. */
  @Override
  public void close() {
    ON_HEAP.addAndGet(-reserved.getAndSet(0));
    if (region != null) {
      region.close();
    }
  }

  public static boolean isLocked(long orec) {
    return (orec & 1) != 0;
  }

  /** Returns an unlocked orec. */
  public static long unlocked(long packedLsn) {
    return packedLsn << 1;
  }

  /** Returns the packed LSN in an unlocked orec. */
  public static long version(long orec) {
    return orec >>> 1;
  }

  /** Returns the largest unlocked orec that a snapshot may read; a larger one is too new. */
  public static long limit(long lsn) {
    return unlocked(Lsn.ceiling(lsn));
  }

  public static long locked(int index, int lane) {
    return ((long) index << LANE_BITS | lane) << 1 | 1;
  }

  /** Returns whether the commit that has leased a lane has locked the orec. */
  static boolean isLockedBy(long orec, int lane) {
    return (orec & ((1 << (LANE_BITS + 1)) - 1)) == ((long) lane << 1 | 1);
  }

  /** Returns the index in the owner's lock list that a locked orec contains. */
  static int lockIndex(long orec) {
    return (int) (orec >>> (LANE_BITS + 1));
  }
}
