package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.layout.RecordChecksum;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.LogOptions;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.RingSet;
import io.howdah.store.open.OpenedStore;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.words.OrecTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A store over a log without an opening, so that tests see its lanes and what stands in its rings.
 */
public final class LoggedStore implements AutoCloseable {

  static final int CAPACITY = 1 << 20;

  /** A redo record as a ring holds it. */
  public record Found(
      int partition,
      int kind,
      int lengthBytes,
      long lsn,
      long dep,
      long group,
      long parts,
      int entries,
      Map<Long, Long> words) {}

  private final Storage storage;
  private final StoreOptions options;
  private final LogStart start = new LogStart(1, 2, 3, 0, 1, List.of(), List.of(), 1);
  public final Region region;
  public final RedoLog log;
  public final Store store;

  /** Logs to a disk in memory. */
  public LoggedStore(StoreOptions options) {
    this(options, SimulatedDisk.seeded(1).storage(), UnaryOperator.identity());
  }

  /**
   * Creates one.
   *
   * @param storage empty; closed with the store
   * @param wrap puts something between the engine and its memory
   */
  public LoggedStore(StoreOptions options, Storage storage, UnaryOperator<Region> wrap) {
    this.options = options;
    this.storage = storage;
    storage.createDirectory("log");
    storage.createDirectory("log/0");
    storage.createDirectory("rings");
    region = wrap.apply(Regions.anonymous(CAPACITY));
    Region orecs = wrap.apply(Regions.anonymous(OrecTable.lengthBytes(options.orecs())));
    Region words =
        wrap.apply(Regions.anonymous(CommitLanes.wordsLengthBytes(options.partitions())));
    RingSet rings =
        RingSet.create(storage, "rings", start, 7, options.partitions(), options.ringBytes());
    Lifecycle lifecycle = new Lifecycle();
    log =
        RedoLog.start(
            storage,
            rings,
            words,
            start,
            LogOptions.DEFAULTS,
            options.execution(),
            lifecycle::fail);
    store =
        new Store(
            new OpenedStore(
                region,
                new OrecTable(orecs, options.orecs()),
                log.lanes(),
                lifecycle,
                options.dimensions(),
                log,
                null,
                null,
                null,
                null,
                null,
                true,
                _ -> {
                  try {
                    log.close();
                  } finally {
                    region.close();
                    orecs.close();
                    words.close();
                    storage.close();
                  }
                }),
            options);
  }

  /** Leases all free lanes but those of one partition. */
  public List<Lane> leaseOthers(int partition) {
    List<Lane> others = new ArrayList<>();
    for (int i = 0; i < log.lanes().count(); i++) {
      Lane lane = log.lanes().lane(i);
      if (lane.partition() != partition && !lane.isLeased()) {
        assertThat(log.lanes().lease(i, 0, 0)).isSameAs(lane);
        others.add(lane);
      }
    }
    return others;
  }

  /** Runs a transaction that commits through one given partition. */
  public long commitThrough(int partition, TxBody<RuntimeException> body) {
    List<Lane> others = leaseOthers(partition);
    try {
      return store.run(TxOptions.async(), body);
    } finally {
      others.forEach(Lane::endLease);
    }
  }

  /** Reads all that was ever published in a ring, which must not have come to its second lap. */
  public List<Found> records(int partition) {
    long length = (long) RingLayout.HEADER_LENGTH + options.ringBytes();
    List<Found> found = new ArrayList<>();
    try (Region ring = storage.mapShared("rings/" + partition, length)) {
      long tail = ring.getLongAcquire(RingLayout.TAIL_OFFSET);
      assertThat(tail).isLessThanOrEqualTo(options.ringBytes());
      for (long position = 0; position < tail; ) {
        Found record = record(ring, partition, position);
        found.add(record);
        position += record.lengthBytes;
      }
    }
    return found;
  }

  private Found record(Region ring, int partition, long position) {
    long seed = RedoRecordLayout.logSeed(1, 2, start.generation(), partition);
    long at = RingLayout.HEADER_LENGTH + position;
    long head = ring.getLong(at);
    assertThat(RedoRecordLayout.isSaneHead(head)).isTrue();
    int length = RedoRecordLayout.length(head);
    long[] checked = new long[length / Long.BYTES - 1];
    Arrays.setAll(checked, i -> ring.getLong(at + (long) i * Long.BYTES));
    RecordChecksum checksum = new RecordChecksum();
    checksum.start(seed, position);
    checksum.add(checked, checked.length);
    assertThat(ring.getLong(at + length - 8)).isEqualTo(checksum.value());
    boolean multipart = RedoRecordLayout.kind(head) == RedoRecordLayout.KIND_MULTIPART_COMMIT;
    Map<Long, Long> words = new LinkedHashMap<>();
    long cursor =
        at
            + RedoRecordLayout.ENTRIES_OFFSET
            + (multipart ? RedoRecordLayout.MULTIPART_PREFIX_BYTES : 0);
    for (int e = RedoRecordLayout.count(head); e > 0; e--) {
      long entry = ring.getLong(cursor);
      cursor += 8;
      for (int i = 0; i < RedoRecordLayout.entryRun(entry); i++) {
        words.put(RedoRecordLayout.entryAddress(entry) + 8L * i, ring.getLong(cursor));
        cursor += 8;
      }
    }
    assertThat(cursor).isEqualTo(at + length - 8);
    return new Found(
        partition,
        RedoRecordLayout.kind(head),
        length,
        ring.getLong(at + RedoRecordLayout.LSN_OFFSET),
        ring.getLong(at + RedoRecordLayout.DEP_OFFSET),
        multipart ? ring.getLong(at + RedoRecordLayout.ENTRIES_OFFSET) : 0,
        multipart ? ring.getLong(at + RedoRecordLayout.ENTRIES_OFFSET + 8) : 0,
        RedoRecordLayout.count(head),
        words);
  }

  /** Returns all records that took an LSN, by packed LSN. */
  public SortedMap<Long, Found> allByLsn() {
    SortedMap<Long, Found> all = new TreeMap<>();
    for (int p = 0; p < options.partitions(); p++) {
      for (Found record : records(p)) {
        if (record.kind != RedoRecordLayout.KIND_PART) {
          assertThat(all.put(record.lsn, record)).isNull();
        }
      }
    }
    return all;
  }

  @Override
  public void close() {
    store.close();
  }
}
