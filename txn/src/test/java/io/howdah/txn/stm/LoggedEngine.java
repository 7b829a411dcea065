package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Deadline;
import io.howdah.log.commit.LogSpace;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Ring;
import io.howdah.log.commit.RingSet;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.WordsAttachment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * A store's commits with rings that nobody empties, and a clock that the test moves. Attempts are
 * numbered, and each commits through the lane with its number.
 */
final class LoggedEngine implements AutoCloseable {

  /** Bytes of data. */
  static final int BYTES = 1 << 20;

  static final int PARTITIONS = 3;
  private static final int ORECS = 1 << 12;

  final HandClock clock = new HandClock();
  final Lifecycle lifecycle = new Lifecycle();
  final List<Throwable> fatal = new ArrayList<>();
  final Region region = new Watched(Regions.anonymous(BYTES));
  final OrecTable orecs = OrecTable.create(ORECS, true, Regions::anonymous);
  final DirtyPages dirtyPages;
  final CommitLanes lanes;
  final TxEnvironment environment;
  final Committer committer;

  /** What happens while a commit waits for space in its ring. */
  Runnable onFull =
      () -> {
        throw new AssertionError("a ring is full");
      };

  /** What happens when a commit begins to store its words. */
  Runnable onStore = () -> {};

  /** What happens after each look whether the store has stopped. */
  Runnable afterLook = () -> {};

  private final Storage storage = SimulatedDisk.seeded(1).storage();
  private final Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(PARTITIONS));
  private final RingSet rings;
  private int attempts;

  /** A record as it is in a ring; its words by their addresses, in their order. */
  record Found(int kind, long lsn, long dep, int lengthBytes, Map<Long, Long> words) {

    /** Returns the group of a commit in parts: the first of the words before its entries. */
    long group() {
      return words.getOrDefault(-2L, 0L);
    }

    /** Returns how many parts such a commit has. */
    long parts() {
      return words.getOrDefault(-1L, 0L);
    }
  }

  /**
   * Creates one of three partitions.
   *
   * @param lanes as many as partitions, or more, which then share them
   * @param maxRecordBytes of a record
   */
  LoggedEngine(int lanes, int maxRecordBytes) {
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
    LogStart start = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 1);
    storage.createDirectory("rings");
    rings = RingSet.create(storage, "rings", start, 77, PARTITIONS, RingLayout.MIN_CAPACITY);
    dirtyPages = DirtyPages.create(storage, BYTES, 4096);
    this.lanes =
        new CommitLanes(words, CommitLanes.lanesOf(words, rings, start, lanes), clock, new Space());
    environment =
        new TxEnvironment(
            region,
            orecs,
            new Heap(region, 1, (_, _) -> {}),
            this.lanes,
            dirtyPages,
            null,
            clock,
            lifecycle,
            maxRecordBytes,
            1 << 19);
    committer = new Committer(environment, new RetryWaits(clock, lifecycle));
  }

  LoggedEngine(int lanes) {
    this(lanes, RedoRecordLayout.MAX_LENGTH);
  }

  /** Nothing above the words. */
  private static final class Nothing extends WordsAttachment {
    @Override
    public void begin(Tx tx) {}

    @Override
    public void trim() {}
  }

  /** The words, and what happens when they are stored. */
  private final class Watched extends ForwardingRegion {
    Watched(Region memory) {
      super(memory);
    }

    @Override
    public void setLongsOpaque(long[] words, int count) {
      Runnable once = onStore;
      onStore = () -> {};
      once.run();
      super.setLongsOpaque(words, count);
    }
  }

  /** Space that the test makes. */
  private final class Space implements LogSpace {
    @Override
    public void failIfStopped() {
      lifecycle.failIfStopped();
      afterLook.run();
    }

    @Override
    public void await(BooleanSupplier hasSpace, Deadline deadline) {
      assertThat(hasSpace.getAsBoolean()).isFalse();
      onFull.run();
    }

    @Override
    public void awaitTrim(BooleanSupplier lifted, Deadline deadline) {
      throw new AssertionError("the log is at its limit");
    }
  }

  /** Returns an attempt that commits through the next lane. */
  Attempt attempt() {
    return new Attempt(environment, attempts++, new Counters(), new Nothing());
  }

  /** Commits what an attempt has written, with nothing taken afterwards; returns the LSN. */
  long commit(Attempt attempt) {
    try {
      committer.commit(attempt, 0);
    } finally {
      attempt.end();
      assertThat(attempt.progress.stage).isEqualTo(CommitProgress.NONE);
      assertThat(lanes.isIdle()).isTrue();
      assertThat(rings.rings()).allMatch(ring -> ring.inflight() == RingLayout.IDLE);
    }
    return attempt.lsn();
  }

  /** Writes one word through an attempt. */
  long put(Attempt attempt, long address, long value) {
    attempt.begin(false);
    attempt.words.put(address, value);
    return commit(attempt);
  }

  /** Says that all commits up to an LSN survive a power cut. */
  void stable(long lsn) {
    words.setLongVolatile(CommitWords.STABLE, lsn);
  }

  Ring ring(int partition) {
    return rings.rings().get(partition);
  }

  static long count(Attempt attempt, int counter) {
    long[] sum = new long[Counters.LENGTH];
    attempt.counters.addTo(sum);
    return sum[counter];
  }

  /** Returns the records of a partition, the oldest first. */
  List<Found> records(int partition) {
    Ring ring = ring(partition);
    List<Found> found = new ArrayList<>();
    for (long at = 0; at < ring.tail(); ) {
      Found record = record(ring, at);
      found.add(record);
      at += record.lengthBytes;
    }
    return found;
  }

  private static Found record(Ring ring, long at) {
    long head = ring.word(at);
    assertThat(RedoRecordLayout.isSaneHead(head)).isTrue();
    int lengthBytes = RedoRecordLayout.length(head);
    long next = at + RedoRecordLayout.ENTRIES_OFFSET;
    Map<Long, Long> words = new LinkedHashMap<>();
    if (RedoRecordLayout.kind(head) == RedoRecordLayout.KIND_MULTIPART_COMMIT) {
      words.put(-2L, ring.word(next));
      words.put(-1L, ring.word(next + 8));
      next += RedoRecordLayout.MULTIPART_PREFIX_BYTES;
    }
    for (int i = 0; i < RedoRecordLayout.count(head); i++) {
      long entry = ring.word(next);
      next += 8;
      for (int k = 0; k < RedoRecordLayout.entryRun(entry); k++) {
        Long twice = words.put(RedoRecordLayout.entryAddress(entry) + 8L * k, ring.word(next));
        assertThat(twice).isNull();
        next += 8;
      }
    }
    assertThat(next).isEqualTo(at + lengthBytes - RedoRecordLayout.CHECKSUM_BYTES);
    return new Found(
        RedoRecordLayout.kind(head),
        ring.word(at + RedoRecordLayout.LSN_OFFSET),
        ring.word(at + RedoRecordLayout.DEP_OFFSET),
        lengthBytes,
        words);
  }

  @Override
  public void close() {
    dirtyPages.close();
    rings.close();
    storage.close();
    region.close();
    words.close();
  }
}
