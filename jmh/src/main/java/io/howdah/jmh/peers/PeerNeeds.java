package io.howdah.jmh.peers;

/**
 * What a store takes of the machine at most, for its data of a given size. These are estimates with
 * room to spare, from the largest values that were seen; a run is refused by them before it starts,
 * since a machine that swaps measures its disk, and a full disk ends a run after minutes.
 */
public final class PeerNeeds {

  private static final long MIB = 1L << 20;

  /** Of a JVM, beside its Java heap. */
  private static final long JVM_BYTES = 192 * MIB;

  /** On a Java heap, of an entry of a map, beside its key and value: the objects' headers. */
  private static final long HEAP_ENTRY_BYTES = 160;

  /** In Howdah's region, of an entry beside its key and value: node, block headers, free space. */
  private static final long REGION_ENTRY_BYTES = 96;

  /** Howdah's ownership records, rings and staging memory. */
  private static final long HOWDAH_BYTES = 256 * MIB;

  /** RocksDB's block cache and its tables in memory. */
  private static final long ROCKSDB_BYTES = 512 * MIB;

  /** On disk, of an entry beside its key and value. */
  private static final long DISK_ENTRY_BYTES = 32;

  /** Logs, and files that are there before anything is. */
  private static final long LEAST_DISK_BYTES = 1024 * MIB;

  private PeerNeeds() {}

  /**
   * Returns the Java heap that the JVM of a store gets.
   *
   * @param heapMegabytes what each gets; a map that keeps its data on the heap gets its room
   *     besides
   */
  static int heapMegabytes(PeerKind kind, PeerSize size, int heapMegabytes) {
    if (!kind.isInMemory()) {
      return heapMegabytes;
    }
    long data = size.bytes() + size.entries() * HEAP_ENTRY_BYTES;
    return Math.toIntExact(Math.min(Integer.MAX_VALUE, heapMegabytes + data / MIB));
  }

  /**
   * Returns the memory that the kernel cannot take back. Pages of mapped files do not count.
   *
   * @param heapMegabytes what each JVM gets
   */
  public static long memoryBytes(PeerKind kind, PeerSize size, int heapMegabytes) {
    long jvm = JVM_BYTES + heapMegabytes(kind, size, heapMegabytes) * MIB;
    return switch (kind) {
      case HOWDAH, HOWDAH_HASH ->
          jvm + HOWDAH_BYTES + 3 * (size.bytes() + size.entries() * REGION_ENTRY_BYTES) / 2;
      case ROCKSDB -> jvm + ROCKSDB_BYTES;
      case MVSTORE, MAPDB, LMDB, XODUS, JE, CHRONICLE, HEAP, HEAP_HASH -> jvm;
    };
  }

  /** Returns the room on disk. */
  public static long diskBytes(PeerKind kind, PeerSize size) {
    long data = size.bytes() + size.entries() * DISK_ENTRY_BYTES;
    return switch (kind) {
      case HEAP, HEAP_HASH -> 0;
      case MVSTORE ->
          LEAST_DISK_BYTES + 12 * data; // it keeps chunks for 45 s before it reuses them
      case HOWDAH_HASH, MAPDB, JE, CHRONICLE -> LEAST_DISK_BYTES + 3 * data;
      case HOWDAH, LMDB, ROCKSDB, XODUS -> LEAST_DISK_BYTES + 6 * data; // a bulk load, too
    };
  }
}
