package io.howdah.txn.words;

import io.howdah.core.Region;
import io.howdah.log.commit.Lsn;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The ownership records: one word for every stripe of {@value #STRIPE_BYTES} bytes of the region,
 * by hash, so stripes far apart may share one. Thread-safe; modes and order are the callers' (docs/
 * protocol.md, section 7).
 *
 * <pre>
 *   unlocked  packed LSN of the last commit that wrote the stripe &lt;&lt; 1
 *   locked    (index in the owner's lock list &lt;&lt; 8 | the owner's lane) &lt;&lt; 1 | 1
 * </pre>
 *
 * A lane is leased to one commit at a time, so it names the owner.
 *
 * <p>The words are in an array on the Java heap, where an access costs a bounds check: through a
 * memory segment it takes some twenty instructions more, three times for each word read and
 * written, and those keep the processor from looking ahead to the next word's cache misses. They
 * are in a region where somebody has to see every access, a simulator above all, and where the
 * table would take too much of the heap.
 */
public final class OrecTable implements AutoCloseable {

  /** Bytes that share an orec in any case: half a cache line, as TinySTM has it. */
  public static final int STRIPE_BYTES = 32;

  /** Bytes whose orecs lie side by side, in order. */
  public static final int LINE_BYTES = 256;

  /** Fewest orecs. */
  public static final int MIN_ORECS = 1 << 6;

  /** Most orecs: 512 MiB of them. */
  public static final int MAX_ORECS = 1 << 26;

  private static final int STRIPE_SHIFT = 5;

  /** Orecs of a cache line. */
  private static final int LINE_BITS = 3;

  private static final int LINE_MASK = (1 << LINE_BITS) - 1;
  private static final int LINE_SHIFT = STRIPE_SHIFT + LINE_BITS;
  private static final int LANE_BITS = 8;
  private static final int WORD_SHIFT = 3;

  // 2^64 / golden ratio: its high product bits spread regular strides over the whole table, where
  // a modulus would fold strides of the table's size onto one orec.
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private static final VarHandle WORD =
      MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

  /** The tables of all stores take no more than this part of the heap that the JVM may grow to. */
  private static final int HEAP_SHARE = 16;

  /** What tables on the heap have reserved that were not closed. */
  private static final AtomicLong ON_HEAP = new AtomicLong();

  /** Either this or {@link #region} holds the words. */
  private final long @Nullable [] array;

  private final @Nullable Region region;
  private final SnapshotHistory history = new SnapshotHistory();
  private final int shift;

  /** What this table has reserved of {@link #ON_HEAP}. */
  private final AtomicLong reserved = new AtomicLong();

  private OrecTable(long @Nullable [] array, @Nullable Region region, int orecs) {
    if (Integer.bitCount(orecs) != 1 || orecs < MIN_ORECS || orecs > MAX_ORECS) {
      throw new IllegalArgumentException("not a possible number of orecs: " + orecs);
    }
    this.array = array;
    this.region = region;
    this.shift = shift(orecs);
  }

  /** Returns the shift of a table with so many orecs, a power of two. */
  static int shift(int orecs) {
    return Long.SIZE - Integer.numberOfTrailingZeros(orecs) + LINE_BITS;
  }

  /**
   * Wraps a table in a region, which the caller closes.
   *
   * @param words zeroed: all stripes start at version 0
   * @param orecs a power of two
   */
  public OrecTable(Region words, int orecs) {
    this(null, words, orecs);
  }

  /**
   * Creates a table on the heap, or, where the tables of this JVM's stores have their share of that
   * already, in memory from {@code allocate}.
   *
   * @param orecs a power of two
   * @param onHeap false if every access must go through a region
   */
  public static OrecTable create(int orecs, boolean onHeap, LongFunction<Region> allocate) {
    long bytes = lengthBytes(orecs);
    if (onHeap && reserve(bytes)) {
      boolean made = false;
      try {
        OrecTable table = new OrecTable(new long[orecs], null, orecs);
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

  /** Returns the bytes needed for so many orecs. */
  public static long lengthBytes(int orecs) {
    return (long) orecs * Long.BYTES;
  }

  /** Returns what was overwritten while snapshots are open. */
  public SnapshotHistory history() {
    return history;
  }

  /**
   * Returns the number of the orec of an address. Stripes of one line of 256 bytes have theirs side
   * by side, since an object's words are used together: the hash chooses the line.
   */
  public long of(long address) {
    return of(address, shift);
  }

  /** Returns the number of the orec of an address in a table with this {@link #shift}. */
  public static int of(long address, int shift) {
    long line = ((address >>> LINE_SHIFT) * MULTIPLIER) >>> shift << LINE_BITS;
    return (int) (line | (address >>> STRIPE_SHIFT & LINE_MASK));
  }

  /**
   * Returns the words, or null if they are in a region. The hot path of a read keeps the array in a
   * local variable, which spares it loads and checks behind each acquire.
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

  /** Returns the end of the line that an address is in, but no more than a range's end. */
  public static long lineEnd(long address, long end) {
    return Math.min(end, (address & -LINE_BYTES) + LINE_BYTES);
  }

  /** Returns how many stripes a range within a line lies on. */
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

  /** Reads an orec, with {@link #array} from the caller's local variable. */
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
   * Gives many orecs the same word, each with release: pairs with the acquire load of a read that
   * meets it.
   *
   * @param locks the number of each orec, at every second place
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

  /** Exchanges an orec, with {@link #array} from the caller's local variable. */
  boolean compareAndSet(long @Nullable [] array, long orec, long expected, long word) {
    return array != null
        ? WORD.compareAndSet(array, (int) orec, expected, word)
        : region().compareAndSetLong(orec << WORD_SHIFT, expected, word);
  }

  private Region region() {
    return Objects.requireNonNull(region, "region");
  }

  /** Gives back memory that is not on the heap, and what others may have on it. Idempotent. */
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

  /** Returns the largest unlocked orec of a snapshot: what lies above is too new for it. */
  public static long limit(long lsn) {
    return unlocked(Lsn.ceiling(lsn));
  }

  public static long locked(int index, int lane) {
    return ((long) index << LANE_BITS | lane) << 1 | 1;
  }

  /** Returns whether a lane's holder has locked the orec. */
  static boolean isLockedBy(long orec, int lane) {
    return (orec & ((1 << (LANE_BITS + 1)) - 1)) == ((long) lane << 1 | 1);
  }

  /** Returns the index in the owner's lock list that a locked orec holds. */
  static int lockIndex(long orec) {
    return (int) (orec >>> (LANE_BITS + 1));
  }
}
