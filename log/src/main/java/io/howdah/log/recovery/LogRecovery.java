package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.LogSetState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.commit.RingPlace;
import io.howdah.log.flush.SegmentNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recovers a log: replays the generations that the superblock lists as closed by their records,
 * finds out what of the current one survives, replays that, and makes all of it durable.
 *
 * <p>Nothing of it counts before a superblock with the recovery record is forced; until then every
 * step may be repeated, after a crash as well. Runs on an engine thread.
 *
 * <p>Memory: some 32 MiB whatever the log's size; what only rings hold, once, which is at most
 * {@code partitions × ringBytes}, and one ring more; and the records of the log that wait for their
 * turn: parts of large transactions, and what was committed while one commit was held up between
 * its LSN and its record.
 */
public final class LogRecovery {

  private static final int SET = 0;

  private final Storage storage;
  private final Execution execution;
  private final Superblock superblock;
  private final RedoSink sink;
  private final LogIdentity identity;
  private final LogSetState set;
  private final boolean isOpened;
  private final long limitLsn;
  private final boolean readOnly;

  /** Of the segments that may hold batches. */
  private final long lastGeneration;

  private final int partitions;
  private final StagingMemory memory;
  private final RecordStash stash;
  private final BatchTraces traces;

  private long batches;
  private long records;
  private long words;

  private LogRecovery(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      long limitLsn,
      boolean readOnly,
      StagingMemory memory) {
    if (superblock.geometry().logSets() != 1) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " has "
              + superblock.geometry().logSets()
              + " log file sets, this release reads one: open the store with a newer release");
    }
    this.storage = storage;
    this.execution = execution;
    this.superblock = superblock;
    this.sink = sink;
    this.identity = new LogIdentity(superblock.storeId().high(), superblock.storeId().low());
    this.limitLsn = limitLsn;
    this.readOnly = readOnly;
    this.set = superblock.logSets().get(SET);
    this.isOpened = !(superblock.rings() instanceof RingPlacement.None);
    // What was made ready for a generation that never accepted a commit holds nothing.
    this.lastGeneration =
        isOpened || superblock.clean() ? superblock.generation() : superblock.generation() - 1;
    this.partitions = superblock.geometry().partitions();
    this.memory = memory;
    this.stash = new RecordStash(storage, memory);
    this.traces = new BatchTraces(storage, identity, partitions, memory);
  }

  /**
   * Recovers the log of a store.
   *
   * @param superblock the store's current state; rings that it names mean that the current
   *     generation accepted commits, and that its first segment was durable before
   * @param sink takes the words to replay, above the image of {@code superblock}'s checkpoint
   * @throws CorruptStoreException if something that was durable is missing or damaged; nothing was
   *     changed then
   * @throws UnsupportedStoreException if the log is not one that this release can read
   */
  public static RecoveredLog recover(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink) {
    return recover(storage, execution, superblock, sink, Long.MAX_VALUE);
  }

  /**
   * Recovers the log of a store as of an LSN: what came after it is not replayed. It is there
   * still, until the caller has taken a checkpoint that covers it.
   *
   * @param limitLsn dense
   */
  public static RecoveredLog recover(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink, long limitLsn) {
    return run(storage, execution, superblock, sink, limitLsn, false);
  }

  /**
   * Reads and checks the log of a store that nobody has open, as a recovery would, and changes
   * nothing.
   *
   * @return what a recovery would come to
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  public static RecoveredLog check(Storage storage, Execution execution, Superblock superblock) {
    return read(storage, execution, superblock, (source, from, to) -> {});
  }

  /**
   * Reads, checks and replays the log of a store that nobody changes, as a recovery would, and
   * changes nothing.
   *
   * @param superblock the store's current state, or one whose checkpoint was given up in memory
   * @param sink takes the words to replay, above the image of {@code superblock}'s checkpoint
   * @return what a recovery would come to
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  public static RecoveredLog read(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink) {
    return run(storage, execution, superblock, sink, Long.MAX_VALUE, true);
  }

  private static RecoveredLog run(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      long limitLsn,
      boolean readOnly) {
    try (StagingMemory memory = new StagingMemory()) {
      LogRecovery recovery =
          new LogRecovery(storage, execution, superblock, sink, limitLsn, readOnly, memory);
      try (RecordStash _ = recovery.stash) {
        return superblock.clean() ? recovery.clean() : recovery.run();
      }
    }
  }

  private RecoveredLog clean() {
    SegmentScan scan = scan(Long.MAX_VALUE);
    discardUnused(scan);
    return finish(
        scan,
        List.of(),
        null,
        Math.max(superblock.baseLsn(), superblock.checkpoint().replayAboveLsn()),
        scan.nextSequence(),
        scan.nextName(),
        new RecoveryOutcome.Clean(),
        new RingTrust.NotNeeded(),
        0,
        0);
  }

  private RecoveredLog run() {
    long started = execution.nanoTime();
    SegmentScan scan = scan(set.oldestSegment());
    List<SegmentFile> segments = scan.needed();
    try (ReadAhead source = new ReadAhead(storage, memory, segments, execution)) {
      BatchReader reader =
          new BatchReader(identity, segments, new SegmentWindow(segments, source, memory));
      replayClosed(scan, reader);
      if (isOpened) {
        return current(scan, reader, started);
      }
      discardUnused(scan);
      return finish(
          scan,
          List.of(),
          null,
          Math.max(superblock.baseLsn(), superblock.checkpoint().replayAboveLsn()),
          scan.nextSequence(),
          scan.nextName(),
          new RecoveryOutcome.Clean(),
          new RingTrust.NotNeeded(),
          reader.scannedBytes(),
          execution.nanoTime() - started);
    }
  }

  private SegmentScan scan(long oldest) {
    return SegmentScan.of(
        storage,
        memory,
        identity,
        SET,
        lastGeneration,
        oldest,
        Math.max(set.oldestSegment(), set.firstSegment()));
  }

  private void replayClosed(SegmentScan scan, BatchReader reader) {
    for (ClosedGeneration closed : superblock.closedGenerations()) {
      long first = firstBatch(scan, closed.generation());
      Cut cut = new Cut(closed.cut(), closed.survivorEnds(), 0);
      Replay replay = replay(closed.baseLsn(), first > 1);
      reader.start(
          closed.generation(),
          first,
          scan.firstOf(closed.generation()),
          scan.firstOf(closed.generation() + 1),
          closed.lastBatches().get(SET));
      while (reader.next()) {
        replay.add(reader.batch());
        batches++;
      }
      requireCut(closed, replay);
      replay.replay(logTail(replay), cut);
      count(replay);
    }
  }

  /** Batches cannot claim more than the record of their generation grants. */
  private void requireCut(ClosedGeneration closed, Replay replay) {
    long granted = Math.max(closed.cut(), superblock.checkpoint().replayAboveLsn());
    if (replay.maxCut() > granted) {
      throw new CorruptStoreException(
          SegmentNames.directory(SET),
          -1,
          "batches of generation "
              + closed.generation()
              + " hold all LSNs up to "
              + replay.maxCut()
              + ", its recovery record grants "
              + granted);
    }
  }

  private RecoveredLog current(SegmentScan scan, BatchReader reader, long started) {
    requireFirstSegment(scan);
    long generation = superblock.generation();
    long first = firstBatch(scan, generation);
    Replay replay = replay(superblock.baseLsn(), first > 1);
    RingTrust trust;
    List<RingFile> rings = List.of();
    Optional<Storage> place = Optional.empty();
    try {
      try {
        place = ringPlace();
        rings = findRings(place);
        trust = new RingTrust.Trusted(0, 0);
      } catch (UntrustedRingsException e) {
        trust = new RingTrust.Untrusted(e.reason());
      }
      reader.start(
          generation,
          first,
          scan.firstOf(generation),
          scan.needed().size(),
          BatchReader.TO_THE_END);
      while (reader.next()) {
        replay.add(reader.batch());
        batches++;
      }
      requireNoTraces(scan, reader.lastSequence());

      LogTail logTail = logTail(replay);
      LogTail tail = logTail;
      Cut cut = null;
      List<Relog.Section> sections = List.of();
      if (trust instanceof RingTrust.Trusted) {
        try {
          sections = ringSections(rings, replay, reader);
          LogTail ringTail = ringTail(replay);
          tail = LogTail.merge(logTail, ringTail);
          cut = Cut.withRings(replay.maxCut(), tail, announcements(rings), partitions);
          trust = new RingTrust.Trusted(ringTail.size(), bytes(sections));
        } catch (UntrustedRingsException e) {
          trust = new RingTrust.Untrusted(e.reason());
          tail = logTail;
          sections = List.of();
        }
      }
      boolean ringsUsed = cut != null;
      if (cut == null) {
        // With rings there is no need to look: they say how far the log was forced.
        reader.requireTornTail(traces);
        cut = Cut.byDensity(replay.maxCut(), tail, partitions);
      }
      replay.requireStable(cut);
      requireImage(cut);
      replay.replay(tail, cut);
      count(replay);
      long scanned = execution.nanoTime();

      RecoveryOutcome outcome =
          ringsUsed
              ? new RecoveryOutcome.AfterKill(cut.lsn(), cut.holes())
              : new RecoveryOutcome.AfterPowerCut(
                  cut.lsn(), cut.partitionsBeyond(), discarded(tail, cut), reader.tornBytes());
      return makeDurable(
          scan, reader, replay, cut, sections, outcome, trust, scanned - started, scanned);
    } finally {
      place.ifPresent(Storage::close);
    }
  }

  private RecoveredLog makeDurable(
      SegmentScan scan,
      BatchReader reader,
      Replay replay,
      Cut cut,
      List<Relog.Section> sections,
      RecoveryOutcome outcome,
      RingTrust trust,
      long scanNanos,
      long started) {
    // Readers look, too: an old superblock that was put back would have them show an old state.
    discardUnused(scan);
    if (readOnly) {
      return finish(
          scan,
          List.of(),
          new ClosedGeneration(
              superblock.generation(),
              superblock.baseLsn(),
              cut.lsn(),
              List.of(reader.lastSequence()),
              cut.survivorEnds()),
          Math.max(cut.lsn(), replay.largest()),
          scan.nextSequence(),
          scan.nextName(),
          outcome,
          trust,
          reader.scannedBytes(),
          scanNanos);
    }
    Relog relog =
        new Relog(
            storage,
            memory,
            identity,
            SET,
            superblock.generation(),
            reader,
            scan,
            new RingScan(superblock, identity, memory));
    try (relog) {
      relog.force();
      relog.write(sections, replay.maxCut(), replay.maxStable(), replay.largest());
    }
    ClosedGeneration closed =
        new ClosedGeneration(
            superblock.generation(),
            superblock.baseLsn(),
            cut.lsn(),
            List.of(relog.lastSequence()),
            cut.survivorEnds());
    return finish(
        scan,
        relog.written(),
        closed,
        Math.max(replay.largest(), cut.lsn()),
        relog.nextSegment(),
        relog.nextName(),
        outcome,
        trust,
        reader.scannedBytes(),
        scanNanos,
        execution.nanoTime() - started);
  }

  private RecoveredLog finish(
      SegmentScan scan,
      List<String> relogged,
      @Nullable ClosedGeneration closed,
      long baseLsn,
      long nextSegment,
      int nextName,
      RecoveryOutcome outcome,
      RingTrust trust,
      long scannedBytes,
      long... nanos) {
    List<String> read = new ArrayList<>(relogged);
    for (SegmentFile segment : scan.needed()) {
      if (!segment.truncated()) {
        read.add(segment.name());
      }
    }
    return new RecoveredLog(
        closed,
        baseLsn,
        nextSegment,
        nextName,
        scan.free(),
        read,
        outcome,
        trust,
        new LogCounts(scan.needed().size(), batches, records, words, scannedBytes),
        nanos[0],
        nanos.length > 1 ? nanos[1] : 0);
  }

  /** Returns the sequence of the first batch that is left of a generation. */
  private long firstBatch(SegmentScan scan, long generation) {
    SegmentFile first = scan.firstSegmentOf(generation);
    return first != null && first.sequence() == set.oldestSegment() ? set.oldestBatch() : 1;
  }

  private Replay replay(long baseLsn, boolean trimmed) {
    return new Replay(
        SegmentNames.directory(SET),
        partitions,
        baseLsn,
        superblock.checkpoint().replayAboveLsn(),
        limitLsn,
        trimmed,
        superblock.geometry().maxSizeBytes(),
        stash,
        sink);
  }

  private void count(Replay replay) {
    records += replay.records();
    words += replay.words();
  }

  /** What the image shows was durable in the log before (docs/protocol.md, R12). */
  private void requireImage(Cut cut) {
    long imageLsn = superblock.checkpoint().imageLsn();
    if (cut.lsn() < imageLsn) {
      throw new CorruptStoreException(
          SegmentNames.directory(SET),
          -1,
          "the newest checkpoint holds effects of LSNs up to "
              + imageLsn
              + ", but LSN "
              + (cut.lsn() + 1)
              + " is missing from the log; restore the log's files from a copy");
    }
  }

  private void requireFirstSegment(SegmentScan scan) {
    SegmentFile first = scan.firstSegmentOf(superblock.generation());
    long expected = Math.max(set.firstSegment(), set.oldestSegment());
    if (first == null || first.sequence() != expected) {
      throw new CorruptStoreException(
          first != null
              ? first.name()
              : scan.headless().isEmpty()
                  ? SegmentNames.directory(SET)
                  : scan.headless().getFirst(),
          first == null && scan.headless().isEmpty() ? -1 : 0,
          "segment "
              + expected
              + ", the first of generation "
              + superblock.generation()
              + ", is missing or damaged; restore the log's files from a copy");
    }
  }

  private Optional<Storage> ringPlace() {
    return switch (superblock.rings()) {
      case RingPlacement.None() -> Optional.empty();
      case RingPlacement.StoreDirectory(long _) -> Optional.empty();
      case RingPlacement.VolatilePlace(String name, long _) -> {
        if (!name.equals(RingPlace.name(storage, superblock))) {
          throw new UntrustedRingsException(
              "the volatile place " + name + " belongs to the store that this one is a copy of");
        }
        Optional<Storage> place = storage.volatilePlace(name, false, 0);
        if (place.isEmpty()) {
          throw new UntrustedRingsException("the volatile place " + name + " is gone");
        }
        yield place;
      }
    };
  }

  private List<RingFile> findRings(Optional<Storage> place) {
    RingScan rings = new RingScan(superblock, identity, memory);
    long nonce = RingScan.nonce(superblock.rings());
    return place.isPresent()
        ? rings.find(place.get(), "", nonce, false)
        : rings.find(storage, RingPlace.DIRECTORY, nonce, true);
  }

  /** Reads what rings hold and no batch does. */
  private List<Relog.Section> ringSections(
      List<RingFile> rings, Replay replay, BatchReader reader) {
    RingScan scan = new RingScan(superblock, identity, memory);
    List<Relog.Section> sections = new ArrayList<>();
    for (RingFile ring : rings) {
      long end = replay.endPosition(ring.partition());
      if (ring.forcedPosition() > end) {
        if (superblock.rings() instanceof RingPlacement.StoreDirectory) {
          requireGenuine(ring, end, scan);
        }
        throw reader.missing(
            "ring "
                + ring.describe()
                + " says that partition "
                + ring.partition()
                + " was forced up to position "
                + ring.forcedPosition()
                + ", and the batches end at "
                + end
                + ". If the store's files were put back to an earlier state on purpose, as by"
                + " rolling back a file system's snapshot, these rings are of the later state:"
                + " 'howdah accept-rollback' gives them up, and the store opens with what its log"
                + " holds");
      }
      if (ring.tail() < end) {
        throw new UntrustedRingsException(
            "ring " + ring.describe() + " ends at position " + ring.tail() + ", the log at " + end);
      }
      if (ring.tail() > end) {
        try (StagingMemory records = new StagingMemory()) {
          replay.addRing(ring.partition(), scan.records(ring, end, records));
        } catch (MalformedRecordException e) {
          throw contradicting(e);
        }
        sections.add(new Relog.Section(ring, end));
      }
    }
    return sections;
  }

  /**
   * Rings in the store's directory may come back, from a file system that was shut down, with what
   * their blocks had held before: moving words of an older generation below a header of this one.
   * The records tell, since their checksums cover generation and position.
   *
   * @throws UntrustedRingsException if the ring does not hold what it says
   */
  private void requireGenuine(RingFile ring, long end, RingScan scan) {
    long from =
        ring.tail() - end <= superblock.geometry().ringBytes() ? end : ring.forcedPosition();
    try (StagingMemory records = new StagingMemory()) {
      scan.records(ring, from, records);
    }
  }

  static LogTail logTail(Replay replay) {
    try {
      return replay.tail();
    } catch (MalformedRecordException e) {
      throw new CorruptStoreException(
          SegmentNames.directory(SET),
          -1,
          "batches have valid checksums and impossible contents: " + e.problem());
    }
  }

  private static LogTail ringTail(Replay replay) {
    try {
      return replay.tail();
    } catch (MalformedRecordException e) {
      throw contradicting(e);
    }
  }

  private static UntrustedRingsException contradicting(MalformedRecordException e) {
    return new UntrustedRingsException("the rings do not continue the log: " + e.problem());
  }

  private static List<Long> announcements(List<RingFile> rings) {
    List<Long> announcements = new ArrayList<>();
    for (RingFile ring : rings) {
      if (ring.announcement() != RingLayout.IDLE) {
        announcements.add(ring.announcement());
      }
    }
    return announcements;
  }

  private static long bytes(List<Relog.Section> sections) {
    return sections.stream().mapToLong(Relog.Section::lengthBytes).sum();
  }

  private static long discarded(LogTail tail, Cut cut) {
    long discarded = 0;
    for (int i = 0; i < tail.size(); i++) {
      discarded += cut.keeps(tail, i) ? 0 : 1;
    }
    return discarded;
  }

  /** A segment's header is durable before its first batch: with a batch inside it was damaged. */
  private void requireNoTraces(SegmentScan scan, long lastSequence) {
    for (String name : scan.headless()) {
      long offset =
          traces.firstAfter(
              name,
              SegmentLayout.HEADER_LENGTH,
              superblock.generation(),
              lastSequence,
              Long.MAX_VALUE);
      if (offset >= 0) {
        throw new CorruptStoreException(
            name,
            0,
            "the segment's header is damaged, but a batch of generation "
                + superblock.generation()
                + " or later lies at offset "
                + offset
                + "; restore the file from a copy");
      }
    }
  }

  /**
   * Deletes segments made ready for a generation that never began, whose sequences will be used
   * again, and those whose making was cut short. One with a batch inside is the work of an opening
   * that the superblock knows nothing of.
   */
  private void discardUnused(SegmentScan scan) {
    for (String name : scan.unused()) {
      long offset =
          traces.firstAfter(
              name, SegmentLayout.HEADER_LENGTH, lastGeneration + 1, 0, Long.MAX_VALUE);
      if (offset >= 0) {
        throw new CorruptStoreException(
            name,
            offset,
            "a batch lies here of a generation that the superblock does not know: the superblock"
                + " is older than the log; restore it from a copy");
      }
    }
    if (!readOnly && (!scan.unused().isEmpty() || !scan.headless().isEmpty())) {
      scan.unused().forEach(storage::delete);
      scan.headless().forEach(storage::delete);
      storage.forceDirectory(SegmentNames.directory(SET));
    }
  }
}
