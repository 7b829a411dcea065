package io.howdah.nvmsim.trace;

/**
 * One memory event, packed into a long so that a trace allocates nothing per event. The address and
 * the value travel beside it in {@link EventBatch}.
 *
 * <pre>
 *   bit  0..3   kind
 *   bit  4      persistent space (accesses only)
 *   bit  5..16  thread
 *   bit 17..32  size in bytes (accesses and write-backs only)
 *   bit 33..56  site, an index into {@link Site}; 0 = unknown
 * </pre>
 *
 * A store or read-modify-write to the persistent space <em>is</em> a persist. A failed
 * compare-and-set is a load. Locks have no event of their own: their words are ordinary volatile
 * memory.
 */
public final class Event {
  public static final int LOAD = 0;
  public static final int STORE = 1;

  /** A load and a store of the same word as one atomic step. */
  public static final int RMW = 2;

  public static final int PERSIST_BARRIER = 3;
  public static final int NEW_STRAND = 4;

  /** The thread waits until every persist it has observed is durable. */
  public static final int PERSIST_SYNC = 5;

  /** Persistent allocation: address, and the length in bytes as the value. */
  public static final int PMALLOC = 6;

  public static final int PFREE = 7;

  /**
   * Begin and end of one operation, counted by the analysers; the value is the operation's index.
   */
  public static final int OP_BEGIN = 8;

  public static final int OP_END = 9;
  public static final int THREAD_START = 10;
  public static final int THREAD_END = 11;

  /** Outside the region of interest accesses are traced but not counted as operations. */
  public static final int ROI_ON = 12;

  public static final int ROI_OFF = 13;

  /**
   * A write-back (x86: clwb, clflushopt, clflush) of the lines that the bytes lie in. It orders
   * nothing alone.
   */
  public static final int FLUSH = 14;

  /** Write-backs before it are durable before what follows (x86: sfence, mfence). */
  public static final int FENCE = 15;

  /** Kinds are 0 to this, exclusive. */
  public static final int KINDS = 16;

  /** Threads are numbered 0 to this, exclusive. */
  public static final int MAX_THREADS = 1 << 12;

  /** Longest access in bytes. */
  public static final int MAX_ACCESS_LENGTH = (1 << 16) - 1;

  /** Highest address of an access, so that sums of addresses and lengths do not overflow. */
  public static final long MAX_ADDRESS = Long.MAX_VALUE - (1 << 16);

  /** Sites are numbered 0 (unknown) to this, exclusive. */
  public static final int MAX_SITES = 1 << 24;

  /** Set in the packed word of an access to the persistent space. */
  public static final long PERSISTENT = 1L << 4;

  /** Distance of the thread field from bit 0. */
  public static final int THREAD_SHIFT = 5;

  private static final int SIZE_SHIFT = 17;
  private static final int SITE_SHIFT = 33;
  private static final int KIND_MASK = 0xF;

  private static final String[] NAMES = {
    "load",
    "store",
    "rmw",
    "persist_barrier",
    "new_strand",
    "persist_sync",
    "pmalloc",
    "pfree",
    "op_begin",
    "op_end",
    "thread_start",
    "thread_end",
    "roi_on",
    "roi_off",
    "flush",
    "fence"
  };

  private Event() {}

  /** Refuses an address of an access that the trace formats do not allow. */
  static void checkAddress(long address) {
    if (address < 0 || address > MAX_ADDRESS) {
      throw new IllegalArgumentException(
          "address " + Long.toUnsignedString(address) + " is beyond 2^63 - 65537");
    }
  }

  /** Packs an access. Arguments are trusted: recorders check them where they come in. */
  public static long access(int kind, int thread, int size, boolean persistent, int site) {
    return kind
        | (persistent ? PERSISTENT : 0)
        | ((long) thread << THREAD_SHIFT)
        | ((long) size << SIZE_SHIFT)
        | ((long) site << SITE_SHIFT);
  }

  /** Packs a write-back. */
  public static long flush(int thread, int size, boolean persistent, int site) {
    return access(FLUSH, thread, size, persistent, site);
  }

  /** Whether events of this kind have an address and a size. */
  public static boolean hasSize(int kind) {
    return kind <= RMW || kind == FLUSH;
  }

  /** Packs an event that is not an access. */
  public static long marker(int kind, int thread, int site) {
    return kind | ((long) thread << THREAD_SHIFT) | ((long) site << SITE_SHIFT);
  }

  public static int kind(long packed) {
    return (int) packed & KIND_MASK;
  }

  public static boolean isAccess(long packed) {
    return kind(packed) <= RMW;
  }

  /** Whether the event stores: {@link #STORE} or {@link #RMW}. */
  public static boolean isStore(long packed) {
    int kind = kind(packed);
    return kind == STORE || kind == RMW;
  }

  public static boolean isPersistent(long packed) {
    return (packed & PERSISTENT) != 0;
  }

  /** Whether the event is a persist: a store to the persistent space. */
  public static boolean isPersist(long packed) {
    return isPersistent(packed) && isStore(packed);
  }

  public static int thread(long packed) {
    return (int) (packed >>> THREAD_SHIFT) & (MAX_THREADS - 1);
  }

  public static int size(long packed) {
    return (int) (packed >>> SIZE_SHIFT) & MAX_ACCESS_LENGTH;
  }

  public static int site(long packed) {
    return (int) (packed >>> SITE_SHIFT) & (MAX_SITES - 1);
  }

  /** The same event with another site. */
  public static long withSite(long packed, int site) {
    return (packed & ((1L << SITE_SHIFT) - 1)) | ((long) site << SITE_SHIFT);
  }

  /**
   * Whether hardware could do this read-modify-write in one step: a power of two, aligned to it.
   */
  public static boolean isAlignedAtomic(long address, int size) {
    return size > 0 && Integer.bitCount(size) == 1 && (address & (size - 1)) == 0;
  }

  /** The lower-case name of a kind, as reports print it. */
  public static String name(int kind) {
    return NAMES[kind];
  }

  /** One event as a line for messages. */
  public static String describe(long packed, long address) {
    StringBuilder line = new StringBuilder(64);
    line.append("thread ").append(thread(packed)).append(' ').append(name(kind(packed)));
    if (hasSize(kind(packed))) {
      line.append(isPersistent(packed) ? " persistent" : " volatile")
          .append(" 0x")
          .append(Long.toHexString(address))
          .append('+')
          .append(size(packed));
    }
    Site site = Site.of(site(packed));
    if (site.id() != 0) {
      line.append(" at ").append(site);
    }
    return line.toString();
  }
}
