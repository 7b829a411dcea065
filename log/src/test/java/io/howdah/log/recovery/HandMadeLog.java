package io.howdah.log.recovery;

import io.howdah.core.Execution;
import io.howdah.core.StoreId;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.RecordChecksum;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentHeader;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.flush.ForceNote;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A log written by hand, byte by byte as the layouts say: records wait in their partitions until a
 * batch takes them, and what no batch took is what rings hold.
 */
final class HandMadeLog {

  static final StoreId STORE = new StoreId(0x1122334455667788L, 0x99AABBCCDDEEFF00L);
  static final long REGION_BYTES = 1 << 20;
  static final long NONCE = 4711;

  private static final LogIdentity IDENTITY = new LogIdentity(STORE.high(), STORE.low());

  final Storage storage;
  final int partitions;
  final long ringBytes;

  // The words that a full replay in the order of LSNs leaves.
  final Map<Long, Map<Long, Long>> byLsn = new TreeMap<>();

  private final List<ByteBuffer> pending = new ArrayList<>();
  private final long[] forced;
  private final long[] freed;
  private final long[] announcements;

  long generation = 1;
  long baseLsn;
  long replayAbove;
  long oldestSegment = 1;
  long firstSegment = 1;
  final List<ClosedGeneration> closed = new ArrayList<>();
  RingPlacement placement;

  private long nextSegment = 1;
  String segment = "";
  int offset;
  long sequence;
  int previousCrc;

  /** Whether segments and batches are durable once they are written. */
  boolean isForced = true;

  /** Changes a batch before its checksum is computed. */
  Consumer<ByteBuffer> forgery = batch -> {};

  HandMadeLog(Storage storage, int partitions, long ringBytes) {
    this.storage = storage;
    this.partitions = partitions;
    this.ringBytes = ringBytes;
    this.forced = new long[partitions];
    this.freed = new long[partitions];
    this.announcements = new long[partitions];
    for (int p = 0; p < partitions; p++) {
      pending.add(buffer((int) Math.max(1 << 20, ringBytes)));
      announcements[p] = RingLayout.IDLE;
    }
    storage.createDirectory("log");
    storage.createDirectory("log/0");
    if (!storage.exists(SuperblockFile.NAME)) {
      storage.create(SuperblockFile.NAME).close();
    }
    storage.forceDirectory("");
    storage.forceDirectory("log");
    ForceNote.open(
            storage,
            new LogStart(STORE.high(), STORE.low(), generation, 0, 1, List.of(), List.of(), 0),
            Execution.system())
        .close();
    previousCrc = IDENTITY.firstPreviousCrc(generation);
    placement = volatilePlacement();
  }

  /** Returns where this store's rings are. */
  RingPlacement.VolatilePlace volatilePlacement() {
    return new RingPlacement.VolatilePlace(
        RingDirectory.name(
            storage,
            new Superblock(
                STORE,
                0,
                geometry(),
                1,
                generation,
                0,
                false,
                new RingPlacement.None(),
                new LogState(1, 1, 1),
                CheckpointState.NONE,
                List.of())),
        NONCE);
  }

  static HandMadeLog on(Storage storage) {
    return new HandMadeLog(storage, 3, RingLayout.MIN_CAPACITY);
  }

  private static ByteBuffer buffer(int length) {
    return ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Starts a segment of the shortest length. */
  String segment() {
    return segment(1 << 20);
  }

  String segment(int length) {
    int name = 0;
    for (String entry : storage.list("log/0")) {
      name = Math.max(name, Integer.parseInt(entry.substring(0, 8)) + 1);
    }
    segment = String.format("log/0/%08d.seg", name);
    ByteBuffer page = buffer(SegmentLayout.HEADER_LENGTH);
    new SegmentHeader(
            SegmentLayout.VERSION, 0, STORE.high(), STORE.low(), nextSegment++, generation, length)
        .write(page);
    try (StorageFile file = storage.create(segment)) {
      file.setSize(length);
      file.write(0, page);
      if (isForced) {
        file.force();
      }
    }
    if (isForced) {
      storage.forceDirectory("log/0");
    }
    offset = SegmentLayout.HEADER_LENGTH;
    return segment;
  }

  /** Publishes a commit of one word that depends on a packed LSN. */
  HandMadeLog commit(int partition, long lsn, long dep, long address, long value) {
    begin(RedoRecordLayout.KIND_COMMIT, partition, 16, 1, Lsn.pack(lsn, partition), dep);
    word(partition, address, value);
    end(partition);
    byLsn.computeIfAbsent(lsn, _ -> new TreeMap<>()).put(address, value);
    return this;
  }

  HandMadeLog commit(int partition, long lsn) {
    return commit(partition, lsn, 0, 8 * (lsn % 64), 1000 + lsn);
  }

  HandMadeLog voided(int partition, long lsn) {
    begin(RedoRecordLayout.KIND_VOID, partition, 0, 0, Lsn.pack(lsn, partition), 0);
    end(partition);
    byLsn.put(lsn, new TreeMap<>());
    return this;
  }

  /** Publishes a part of one word. */
  HandMadeLog part(int partition, long group, long index, long address, long value) {
    begin(RedoRecordLayout.KIND_PART, partition, 16, 1, group, index);
    word(partition, address, value);
    end(partition);
    return this;
  }

  HandMadeLog multipartCommit(
      int partition, long lsn, long group, long count, long address, long value) {
    begin(
        RedoRecordLayout.KIND_MULTIPART_COMMIT,
        partition,
        RedoRecordLayout.MULTIPART_PREFIX_BYTES + 16,
        1,
        Lsn.pack(lsn, partition),
        0);
    pending.get(partition).putLong(group).putLong(count);
    word(partition, address, value);
    end(partition);
    return this;
  }

  /** Publishes a commit of consecutive words. */
  HandMadeLog run(int partition, long lsn, long address, int words) {
    begin(RedoRecordLayout.KIND_COMMIT, partition, 8 + 8 * words, 1, Lsn.pack(lsn, partition), 0);
    ByteBuffer records = pending.get(partition);
    records.putLong(RedoRecordLayout.entryHead(address, words));
    Map<Long, Long> image = byLsn.computeIfAbsent(lsn, _ -> new TreeMap<>());
    for (int i = 0; i < words; i++) {
      records.putLong(lsn * 100_000 + i);
      image.put(address + 8L * i, lsn * 100_000 + i);
    }
    end(partition);
    return this;
  }

  private int recordStart;

  private void begin(int kind, int partition, int body, int count, long lsn, long dep) {
    ByteBuffer records = pending.get(partition);
    recordStart = records.position();
    records
        .putLong(RedoRecordLayout.head(RedoRecordLayout.MIN_LENGTH + body, kind, count))
        .putLong(lsn)
        .putLong(dep);
  }

  private void word(int partition, long address, long value) {
    pending.get(partition).putLong(RedoRecordLayout.entryHead(address, 1)).putLong(value);
  }

  private void end(int partition) {
    ByteBuffer records = pending.get(partition);
    records.putLong(
        RecordChecksum.of(
            records,
            recordStart,
            records.position(),
            IDENTITY.logSeed(generation, partition),
            forced[partition] + recordStart));
  }

  /** Writes all that waits as a batch, forced; returns its offset. */
  int batch(long cut, long stable) {
    ByteBuffer batch = encode(cut, stable);
    int at = offset;
    write(at, batch);
    sequence++;
    previousCrc = batch.getInt(BatchLayout.CRC_OFFSET);
    offset += batch.limit();
    for (int p = 0; p < partitions; p++) {
      forced[p] += pending.get(p).position();
      freed[p] = forced[p];
      pending.get(p).clear();
    }
    return at;
  }

  /** Returns the next batch with its padding, without writing it. */
  ByteBuffer encode(long cut, long stable) {
    int length = BatchLayout.HEADER_LENGTH;
    int sections = 0;
    for (ByteBuffer records : pending) {
      if (records.position() > 0) {
        length += BatchLayout.SECTION_HEADER_LENGTH + records.position();
        sections++;
      }
    }
    ByteBuffer batch = buffer(Batch.padded(length));
    long bound = Math.max(cut, baseLsn);
    batch.position(BatchLayout.HEADER_LENGTH);
    for (int p = 0; p < partitions; p++) {
      ByteBuffer records = pending.get(p);
      if (records.position() > 0) {
        batch.putInt(p).putInt(records.position()).putLong(forced[p]);
        batch.put(records.duplicate().flip());
      }
    }
    for (long lsn : byLsn.keySet()) {
      bound = Math.max(bound, lsn);
    }
    batch
        .putLong(BatchLayout.MAGIC_OFFSET, BatchLayout.MAGIC)
        .putLong(BatchLayout.STORE_TAG_OFFSET, IDENTITY.storeTag())
        .putLong(BatchLayout.GENERATION_OFFSET, generation)
        .putLong(BatchLayout.SEQUENCE_OFFSET, sequence + 1)
        .putInt(BatchLayout.LENGTH_OFFSET, length)
        .putInt(BatchLayout.SECTION_COUNT_OFFSET, sections)
        .putLong(BatchLayout.CUT_OFFSET, cut)
        .putLong(BatchLayout.STABLE_OFFSET, stable)
        .putLong(BatchLayout.MAX_LSN_OFFSET, bound)
        .putInt(BatchLayout.PREVIOUS_CRC_OFFSET, previousCrc);
    forgery.accept(batch);
    return seal(batch.clear());
  }

  /** Gives a batch the checksum that its bytes want. */
  static ByteBuffer seal(ByteBuffer batch) {
    int length = batch.getInt(BatchLayout.LENGTH_OFFSET);
    if (length >= BatchLayout.HEADER_LENGTH && length <= batch.capacity()) {
      batch.putInt(BatchLayout.CRC_OFFSET, Crc32c.around(batch, BatchLayout.CRC_OFFSET, length));
    }
    return batch;
  }

  void write(int at, ByteBuffer bytes) {
    try (StorageFile file = storage.open(segment, Storage.Access.READ_WRITE)) {
      file.write(at, bytes.duplicate());
      if (isForced) {
        file.force();
      }
    }
  }

  long published(int partition) {
    return forced[partition] + pending.get(partition).position();
  }

  HandMadeLog announce(int partition, long clock) {
    announcements[partition] = clock;
    return this;
  }

  /** Pretends that the last batch was forced, and the process killed before it freed the rings. */
  HandMadeLog keepInRing(int partition, long bytes) {
    freed[partition] = forced[partition] - bytes;
    return this;
  }

  /** Writes rings that hold what no batch took, in a volatile place or the store's directory. */
  void rings() {
    Storage place = storage;
    String directory = RingDirectory.DIRECTORY + "/";
    if (placement instanceof RingPlacement.VolatilePlace(String name, long _)) {
      place = storage.volatilePlace(name, true, 1 << 16).orElseThrow();
      directory = "";
    } else {
      storage.createDirectory(RingDirectory.DIRECTORY);
    }
    for (int p = 0; p < partitions; p++) {
      ring(place, directory + p, p);
    }
  }

  void ring(Storage place, String name, int p) {
    ByteBuffer ring = buffer((int) (RingLayout.HEADER_LENGTH + ringBytes));
    try (StorageFile file = place.create(name)) {
      FileIdentity identity = place.identity(name);
      ring.putLong(RingLayout.MAGIC_OFFSET, RingLayout.MAGIC)
          .putInt(RingLayout.VERSION_OFFSET, RingLayout.VERSION)
          .putInt(RingLayout.PARTITION_OFFSET, p)
          .putLong(RingLayout.STORE_ID_HIGH_OFFSET, STORE.high())
          .putLong(RingLayout.STORE_ID_LOW_OFFSET, STORE.low())
          .putLong(RingLayout.NONCE_OFFSET, NONCE)
          .putLong(RingLayout.GENERATION_OFFSET, generation)
          .putLong(RingLayout.BOOT_HIGH_OFFSET, place.boot().orElseThrow().getMostSignificantBits())
          .putLong(RingLayout.BOOT_LOW_OFFSET, place.boot().orElseThrow().getLeastSignificantBits())
          .putLong(RingLayout.DEVICE_OFFSET, identity.device())
          .putLong(RingLayout.INODE_OFFSET, identity.inode())
          .putLong(RingLayout.CAPACITY_OFFSET, ringBytes)
          .putInt(RingLayout.CRC_OFFSET, Crc32c.of(ring, 0, RingLayout.CRC_OFFSET))
          .putLong(RingLayout.INFLIGHT_OFFSET, announcements[p])
          .putLong(RingLayout.TAIL_OFFSET, forced[p] + pending.get(p).position())
          .putLong(RingLayout.FORCED_OFFSET, freed[p]);
      for (int at = 0; at < pending.get(p).position(); at += 8) {
        int slot = (int) (forced[p] + at & ringBytes - 1);
        ring.putLong(RingLayout.HEADER_LENGTH + slot, pending.get(p).getLong(at));
      }
      file.write(0, ring);
    }
  }

  /** Closes the generation by a record and starts the next one, in a fresh segment. */
  HandMadeLog nextGeneration(long cut, long base, Long... survivorEnds) {
    List<Long> ends = new ArrayList<>(List.of(survivorEnds));
    while (ends.size() < partitions) {
      ends.add(0L);
    }
    closed.add(new ClosedGeneration(generation, baseLsn, cut, sequence, ends));
    generation++;
    placement = placement instanceof RingPlacement.VolatilePlace ? volatilePlacement() : placement;
    baseLsn = base;
    sequence = 0;
    previousCrc = IDENTITY.firstPreviousCrc(generation);
    for (int p = 0; p < partitions; p++) {
      pending.get(p).clear();
      forced[p] = 0;
      freed[p] = 0;
    }
    firstSegment = nextSegment;
    segment();
    return this;
  }

  private Geometry geometry() {
    return new Geometry(partitions, ringBytes, REGION_BYTES, 1024, 32, 4096);
  }

  Superblock superblock() {
    return new Superblock(
        STORE,
        0,
        geometry(),
        1,
        generation,
        baseLsn,
        false,
        placement,
        new LogState(oldestSegment, firstSegment, 1),
        replayAbove == 0
            ? CheckpointState.NONE
            : new CheckpointState(
                1, replayAbove, replayAbove, 0, CheckpointState.Phase.FOLDED, 0, 4096, 0),
        closed);
  }

  /** What a recovery came to. */
  record Outcome(RecoveredLog log, Map<Long, Long> words, List<Long> order) {}

  Outcome recover() {
    return recover(new OneProcessor());
  }

  Outcome recover(Execution execution) {
    Map<Long, Long> words = new TreeMap<>();
    List<Long> order = new ArrayList<>();
    RecoveredLog log =
        LogRecovery.recover(
            storage,
            execution,
            superblock(),
            (source, from, to) -> {
              for (int at = from; at < to; ) {
                long entry = source.getLong(at);
                at += Long.BYTES;
                order.add(source.getLong(at));
                for (int i = 0; i < RedoRecordLayout.entryRun(entry); i++, at += Long.BYTES) {
                  words.put(RedoRecordLayout.entryAddress(entry) + 8L * i, source.getLong(at));
                }
              }
            });
    return new Outcome(log, words, order);
  }

  /** Returns what replaying these LSNs leaves. */
  Map<Long, Long> replayOf(Iterable<Long> lsns) {
    Map<Long, Long> words = new TreeMap<>();
    for (long lsn : lsns) {
      words.putAll(byLsn.get(lsn));
    }
    return words;
  }

  /** Returns what replaying all LSNs up to one leaves. */
  Map<Long, Long> replayUpTo(long lsn) {
    Map<Long, Long> words = new TreeMap<>();
    byLsn.forEach((n, image) -> words.putAll(n <= lsn ? image : Map.of()));
    return words;
  }

  /** One processor: nothing runs beside the test. */
  static final class OneProcessor implements Execution {
    private long now;

    @Override
    public long nanoTime() {
      return now++;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      throw new AssertionError("nobody to wait for");
    }

    @Override
    public void unpark(Thread thread) {}

    @Override
    public void spinWait() {}

    @Override
    public void yieldNow() {}

    @Override
    public Thread start(String name, Runnable body) {
      throw new AssertionError("thread " + name + " on one processor");
    }

    @Override
    public int availableProcessors() {
      return 1;
    }
  }
}
