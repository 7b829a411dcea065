package io.howdah.log.commit;

/**
 * Log sequence numbers. The public, dense LSN counts commits from 1. The packed LSN also contains
 * the partition, in its low 8 bits, so that every version that a transaction reads identifies the
 * partition of its record (docs/protocol.md, R8). Packed LSNs have the order of dense LSNs.
 */
public final class Lsn {

  /** Maximum dense LSN, reached after 57 years at ten million commits a second. */
  public static final long MAX = (1L << 54) - 1;

  /** Maximum number of partitions that a packed LSN can represent. */
  public static final int MAX_PARTITIONS = 1 << 8;

  private static final int PARTITION_BITS = 8;

  private Lsn() {}

  /** Packs a dense LSN and its partition. */
  public static long pack(long lsn, int partition) {
    return lsn << PARTITION_BITS | partition;
  }

  /** Returns the largest packed LSN of a dense LSN, an upper bound for comparisons. */
  public static long ceiling(long lsn) {
    return lsn << PARTITION_BITS | (MAX_PARTITIONS - 1);
  }

  /** Returns the dense LSN of a packed one. */
  public static long dense(long packed) {
    return packed >>> PARTITION_BITS;
  }

  /** Returns the partition of a packed LSN. */
  public static int partition(long packed) {
    return (int) packed & MAX_PARTITIONS - 1;
  }
}
