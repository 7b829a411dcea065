package io.howdah.core.layout;

/**
 * The superblock, the file {@code store.howdah}: two slots of 64 KiB with the same contents, so
 * that one may be torn or damaged. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDSTORE"
 *    8 | formatVersion| crc          |  crc32c over the slot's bytes [0, 12) and [16, 65536)
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | sequence                    |  of this state, from 1; the larger of two valid slots counts
 *   40 | created                     |  milliseconds since 1970
 *   48 | partitions   | logSets      |  logSets: 1
 *   56 | ringBytes                   |  of each partition's ring
 *   64 | maxSizeBytes                |  of the region
 *   72 | orecCount                   |
 *   80 | orecStripe   | page         |  bytes that share an orec; bytes of a checkpoint's page
 *   88 | generation                  |  the current one
 *   96 | baseLsn                     |  dense LSN: those of the generation start above it
 *  104 | clean        | ringKind     |  clean: 1 = closed, nothing to replay
 *  112 | ringNonce                   |  if closed: of the opening whose memory was kept, or 0
 *  120 | checkpoint                  |  sequence of the checkpoint, 0 = none yet
 *  128 | replayAboveLsn              |  dense LSN: all up to it are in the image or the journal
 *  136 | imageLsn                    |  dense LSN: image and journal hold nothing of larger ones
 *  144 | fallbackLsn                 |  dense LSN: replayAboveLsn of the checkpoint before
 *  152 | phase        | journalArea  |
 *  160 | journalLength               |  bytes
 *  168 | journalCrc   | closedCount  |
 *  176 | placeLength  | reserved = 0 |  bytes of the volatile place's name
 *  184 | place                       |  ASCII, zero-padded; of a replica (ringKind 3, ringNonce: of
 *      | ...                         |  the epoch), the place in the group's log, 44 bytes, instead
 *  384 | log, then closed generations, one after the other, then zeros to 65536
 *
 *  log
 *    0 | oldestSegment               |  smallest segment sequence that recovery needs
 *    8 | firstSegment                |  sequence of the current generation's first segment
 *   16 | oldestBatch                 |  sequence of the first batch in the oldest segment
 *
 *  place of a replica in the log of its group, instead of the volatile place's name
 *  184 | term                        |
 *  192 | index                       |  of the last entry that the image has
 *  200 | epoch                       |
 *  208 | lastSequence                |  of the epoch's last batch up to there
 *  216 | cut                         |  dense LSN
 *  224 | lastCrc      |  of that batch
 *
 *  closed generation
 *    0 | generation                  |
 *    8 | baseLsn                     |  dense LSN: those of the generation start above it
 *   16 | cut                         |  dense LSN up to which everything survived
 *   24 | lastBatch                   |  sequence of its last batch, 0 = none
 *   32 | survivorEnds                |  a word for each partition: last dense LSN that survived beyond
 *      | ...                         |  the cut, 0 = none
 * </pre>
 *
 * Magic, version and checksum stay where they are in every later format, so that a newer superblock
 * is told from a damaged one.
 */
public final class SuperblockLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the checksum. */
  public static final int CRC_OFFSET = VERSION_OFFSET + Integer.BYTES;

  /** Offset of the store id's high half. */
  public static final int STORE_ID_HIGH_OFFSET = CRC_OFFSET + Integer.BYTES;

  /** Offset of the store id's low half. */
  public static final int STORE_ID_LOW_OFFSET = STORE_ID_HIGH_OFFSET + Long.BYTES;

  /** Offset of the superblock's sequence. */
  public static final int SEQUENCE_OFFSET = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the time of creation. */
  public static final int CREATED_OFFSET = SEQUENCE_OFFSET + Long.BYTES;

  /** Offset of the partition count. */
  public static final int PARTITIONS_OFFSET = CREATED_OFFSET + Long.BYTES;

  /** Offset of the count of the log's file sets, which is 1. */
  public static final int LOG_SETS_OFFSET = PARTITIONS_OFFSET + Integer.BYTES;

  /** Offset of the rings' capacity. */
  public static final int RING_BYTES_OFFSET = LOG_SETS_OFFSET + Integer.BYTES;

  /** Offset of the region's capacity. */
  public static final int MAX_SIZE_OFFSET = RING_BYTES_OFFSET + Long.BYTES;

  /** Offset of the orec count. */
  public static final int OREC_COUNT_OFFSET = MAX_SIZE_OFFSET + Long.BYTES;

  /** Offset of the stripe length. */
  public static final int OREC_STRIPE_OFFSET = OREC_COUNT_OFFSET + Long.BYTES;

  /** Offset of the page length. */
  public static final int PAGE_OFFSET = OREC_STRIPE_OFFSET + Integer.BYTES;

  /** Offset of the generation. */
  public static final int GENERATION_OFFSET = PAGE_OFFSET + Integer.BYTES;

  /** Offset of the generation's base. */
  public static final int BASE_LSN_OFFSET = GENERATION_OFFSET + Long.BYTES;

  /** Offset of the clean flag. */
  public static final int CLEAN_OFFSET = BASE_LSN_OFFSET + Long.BYTES;

  /** Offset of the kind of place the rings are in. */
  public static final int RING_KIND_OFFSET = CLEAN_OFFSET + Integer.BYTES;

  /** Offset of the rings' nonce. */
  public static final int RING_NONCE_OFFSET = RING_KIND_OFFSET + Integer.BYTES;

  /** Offset of the checkpoint's sequence. */
  public static final int CHECKPOINT_OFFSET = RING_NONCE_OFFSET + Long.BYTES;

  /** Offset of the LSN above which to replay. */
  public static final int REPLAY_ABOVE_OFFSET = CHECKPOINT_OFFSET + Long.BYTES;

  /** Offset of the largest LSN with effects in image or journal. */
  public static final int IMAGE_LSN_OFFSET = REPLAY_ABOVE_OFFSET + Long.BYTES;

  /** Offset of the LSN to replay above if the journal is damaged. */
  public static final int FALLBACK_OFFSET = IMAGE_LSN_OFFSET + Long.BYTES;

  /** Offset of the checkpoint's phase. */
  public static final int PHASE_OFFSET = FALLBACK_OFFSET + Long.BYTES;

  /** Offset of the journal area's index. */
  public static final int JOURNAL_AREA_OFFSET = PHASE_OFFSET + Integer.BYTES;

  /** Offset of the journal's length. */
  public static final int JOURNAL_LENGTH_OFFSET = JOURNAL_AREA_OFFSET + Integer.BYTES;

  /** Offset of the journal's checksum. */
  public static final int JOURNAL_CRC_OFFSET = JOURNAL_LENGTH_OFFSET + Long.BYTES;

  /** Offset of the count of closed generations. */
  public static final int CLOSED_COUNT_OFFSET = JOURNAL_CRC_OFFSET + Integer.BYTES;

  /** Offset of the length of the volatile place's name. */
  public static final int PLACE_LENGTH_OFFSET = CLOSED_COUNT_OFFSET + Integer.BYTES;

  /** Offset of four reserved bytes. */
  public static final int RESERVED_OFFSET = PLACE_LENGTH_OFFSET + Integer.BYTES;

  /** Offset of the volatile place's name. */
  public static final int PLACE_OFFSET = RESERVED_OFFSET + Integer.BYTES;

  /** Longest name of a volatile place, in bytes. */
  public static final int MAX_PLACE_LENGTH = 200;

  /** Offset of the term of a replica's place. */
  public static final int REPLICA_TERM_OFFSET = PLACE_OFFSET;

  /** Offset of the index of a replica's place. */
  public static final int REPLICA_INDEX_OFFSET = REPLICA_TERM_OFFSET + Long.BYTES;

  /** Offset of the epoch of a replica's place. */
  public static final int REPLICA_EPOCH_OFFSET = REPLICA_INDEX_OFFSET + Long.BYTES;

  /** Offset of the sequence of a replica's place. */
  public static final int REPLICA_SEQUENCE_OFFSET = REPLICA_EPOCH_OFFSET + Long.BYTES;

  /** Offset of the cut of a replica's place. */
  public static final int REPLICA_CUT_OFFSET = REPLICA_SEQUENCE_OFFSET + Long.BYTES;

  /** Offset of the checksum of a replica's place. */
  public static final int REPLICA_CRC_OFFSET = REPLICA_CUT_OFFSET + Long.BYTES;

  /** Length of a replica's place. */
  public static final int REPLICA_LENGTH = REPLICA_CRC_OFFSET + Integer.BYTES - PLACE_OFFSET;

  /** Length of the header; the lists start here. */
  public static final int HEADER_LENGTH = PLACE_OFFSET + MAX_PLACE_LENGTH;

  /** Offset, in the log's state, of the oldest segment's sequence. */
  public static final int SET_OLDEST_SEGMENT_OFFSET = 0;

  /** Offset, in the log's state, of the first segment's sequence. */
  public static final int SET_FIRST_SEGMENT_OFFSET = SET_OLDEST_SEGMENT_OFFSET + Long.BYTES;

  /** Offset, in the log's state, of the sequence of the oldest segment's first batch. */
  public static final int SET_OLDEST_BATCH_OFFSET = SET_FIRST_SEGMENT_OFFSET + Long.BYTES;

  /** Length of the log's state. */
  public static final int SET_LENGTH = SET_OLDEST_BATCH_OFFSET + Long.BYTES;

  /** Offset, in a closed generation, of its number. */
  public static final int CLOSED_GENERATION_OFFSET = 0;

  /** Offset, in a closed generation, of its base. */
  public static final int CLOSED_BASE_LSN_OFFSET = CLOSED_GENERATION_OFFSET + Long.BYTES;

  /** Offset, in a closed generation, of its cut. */
  public static final int CLOSED_CUT_OFFSET = CLOSED_BASE_LSN_OFFSET + Long.BYTES;

  /** Offset, in a closed generation, of its last batch. */
  public static final int CLOSED_LAST_BATCH_OFFSET = CLOSED_CUT_OFFSET + Long.BYTES;

  /** Offset, in a closed generation, of its last survivors. */
  public static final int CLOSED_SURVIVOR_ENDS_OFFSET = CLOSED_LAST_BATCH_OFFSET + Long.BYTES;

  /** Length of a slot; the second starts here. */
  public static final int SLOT_LENGTH = 1 << 16;

  /** How many slots there are. */
  public static final int SLOTS = 2;

  /** Most partitions: an LSN has eight bits for them. */
  public static final int MAX_PARTITIONS = 256;

  /** Most closed generations; one more takes a checkpoint first, which empties the list. */
  public static final int MAX_CLOSED_GENERATIONS = 16;

  /** "HWDSTORE" read as a little-endian word. */
  public static final long MAGIC = 0x4552_4F54_5344_5748L;

  /** Current version of the superblock's format. */
  public static final int VERSION = 6;

  private SuperblockLayout() {}

  /** Returns the length of a closed generation's entry. */
  public static int closedLength(int partitions) {
    return CLOSED_SURVIVOR_ENDS_OFFSET + partitions * Long.BYTES;
  }
}
