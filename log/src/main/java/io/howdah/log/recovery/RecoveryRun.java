package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.SegmentNames;
import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One recovery of a log, the implementation of {@link LogRecovery}. It reads batches with {@link
 * BatchReader} and rings with {@link RingReader}, determines the {@link Cut}, replays with {@link
 * Replay}, and writes with {@link Relog}. Used by one thread.
 */
final class RecoveryRun implements AutoCloseable {

  private final Storage storage;
  private final Execution execution;
  private final Superblock superblock;
  private final RedoSink sink;
  private final LogIdentity identity;
  private final LogState log;
  private final boolean isOpened;
  private final long appliedLsn;
  private final long limitLsn;
  private final boolean readOnly;
  private final Runnable beforeChange;

  /** Where reading begins, or null for the oldest segment. */
  private final @Nullable LogShortcut shortcut;

  private final boolean isVerifiedByEvidence;
  private final LogEvidence proof;

  /** The largest generation whose segments may contain batches. */
  private final long lastGeneration;

  private final int partitions;
  private final StagingMemory memory;
  private final RecordStash stash;
  private final BatchTraces traces;

  private long batches;
  private long records;
  private long words;

  /**
   * Prepares a run.
   *
   * @param appliedLsn dense: records up to it are checked and not replayed; 0 for none
   * @param limitLsn dense: later records are checked and not replayed
   * @param readOnly whether no file may be changed
   * @param beforeChange runs before the first change of a file
   * @param isVerifiedByEvidence whether the log must contain what its force note and its summaries
   *     name as durable
   * @param shortcut where reading begins, or null for the oldest segment
   */
  RecoveryRun(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      long appliedLsn,
      long limitLsn,
      boolean readOnly,
      Runnable beforeChange,
      boolean isVerifiedByEvidence,
      @Nullable LogShortcut shortcut,
      StagingMemory memory) {
    this.appliedLsn = appliedLsn;
    this.shortcut = shortcut;
    this.proof = LogEvidence.of(shortcut);
    this.isVerifiedByEvidence = isVerifiedByEvidence;
    this.storage = storage;
    this.execution = execution;
    this.superblock = superblock;
    this.sink = sink;
    this.identity = new LogIdentity(superblock.storeId().high(), superblock.storeId().low());
    this.limitLsn = limitLsn;
    this.readOnly = readOnly;
    this.beforeChange = beforeChange;
    this.log = superblock.log();
    this.isOpened = !(superblock.rings() instanceof RingPlacement.None);
    // Segments that were prepared for a generation that never accepted a commit contain no batch.
    this.lastGeneration =
        isOpened || superblock.clean() ? superblock.generation() : superblock.generation() - 1;
    this.partitions = superblock.geometry().partitions();
    this.memory = memory;
    this.stash = new RecordStash(storage, memory);
    this.traces = new BatchTraces(storage, identity, partitions, memory);
  }

  /**
   * Recovers the log or, if nothing may be changed, returns the result that a recovery would have.
   *
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  RecoveredLog recover() {
    if (isVerifiedByEvidence) {
      proof.addAll(storage, superblock);
    }
    return superblock.clean() ? clean() : run();
  }

  private RecoveredLog clean() {
    SegmentScan scan = scan(Long.MAX_VALUE);
    evidence().discardUnused(scan, readOnly);
    return finish(
        scan,
        null,
        new Findings(new RecoveryOutcome.Clean(), new RingTrust.NotNeeded(), 0, 0),
        unchanged(scan, cleanBaseLsn()));
  }

  private RecoveredLog run() {
    long started = execution.nanoTime();
    SegmentScan scan = scan(log.oldestSegment());
    List<SegmentFile> segments = scan.needed();
    int start = 0;
    if (shortcut != null) {
      start = shortcutIndex(segments, shortcut);
      evidence().requireNoBatches(scan);
    }
    try (ReadAhead source = new ReadAhead(storage, memory, segments, start, execution)) {
      BatchReader reader =
          new BatchReader(identity, segments, new SegmentWindow(segments, source, memory));
      for (ClosedGeneration closed : superblock.closedGenerations()) {
        if (shortcut == null || closed.generation() >= shortcut.generation()) {
          replayClosed(scan, reader, closed);
        }
      }
      if (isOpened) {
        return current(scan, reader, started);
      }
      evidence().discardUnused(scan, readOnly);
      return finish(
          scan,
          null,
          new Findings(
              new RecoveryOutcome.Clean(),
              new RingTrust.NotNeeded(),
              reader.scannedBytes(),
              execution.nanoTime() - started),
          unchanged(scan, cleanBaseLsn()));
    }
  }

  /** Returns the largest LSN of a store whose current generation has no commits. */
  private long cleanBaseLsn() {
    return Math.max(superblock.baseLsn(), superblock.checkpoint().replayAboveLsn());
  }

  private SegmentScan scan(long oldest) {
    return SegmentScan.of(
        storage,
        memory,
        identity,
        lastGeneration,
        oldest,
        Math.max(log.oldestSegment(), log.firstSegment()));
  }

  private static int shortcutIndex(List<SegmentFile> segments, LogShortcut shortcut) {
    for (int i = 0; i < segments.size(); i++) {
      SegmentFile segment = segments.get(i);
      if (segment.sequence() == shortcut.segment()
          && segment.generation() == shortcut.generation()) {
        return i;
      }
    }
    throw new CorruptStoreException(
        SegmentNames.DIRECTORY,
        -1,
        "segment "
            + shortcut.segment()
            + " of generation "
            + shortcut.generation()
            + ", which a summary of the log names, is missing");
  }

  private SegmentEvidence evidence() {
    return new SegmentEvidence(storage, superblock, traces, lastGeneration, beforeChange);
  }

  private void replayClosed(SegmentScan scan, BatchReader reader, ClosedGeneration closed) {
    long first = firstBatch(scan, closed.generation());
    Cut cut = new Cut(closed.cut(), closed.survivorEnds(), 0);
    Replay replay = replay(closed.baseLsn(), first > 1);
    reader.start(
        closed.generation(),
        first,
        firstSegment(scan, closed.generation()),
        scan.firstOf(closed.generation() + 1),
        closed.lastBatch());
    readAll(closed.generation(), first, reader, replay);
    requireCut(closed, replay);
    replay.replay(replay.logTail(), cut);
    count(replay);
  }

  private void readAll(long generation, long firstBatch, BatchReader reader, Replay replay) {
    while (reader.next()) {
      proof.compare(generation, reader.batch());
      replay.add(reader.batch());
      batches++;
    }
    proof.requireSeen(generation, firstBatch, new MissingBatch(reader));
  }

  /** Makes the error for a chain of batches that ends too early. */
  private record MissingBatch(BatchReader reader)
      implements Function<String, CorruptStoreException> {
    @Override
    public CorruptStoreException apply(String evidence) {
      return reader.missing(evidence);
    }
  }

  /** Throws if a batch claims a cut above that in the recovery record of its generation. */
  private void requireCut(ClosedGeneration closed, Replay replay) {
    long recorded = Math.max(closed.cut(), superblock.checkpoint().replayAboveLsn());
    if (replay.maxCut() > recorded) {
      throw new CorruptStoreException(
          SegmentNames.DIRECTORY,
          -1,
          "batches of generation "
              + closed.generation()
              + " claim to contain all LSNs up to "
              + replay.maxCut()
              + ", but the recovery record of that generation ends at "
              + recorded);
    }
  }

  private RecoveredLog current(SegmentScan scan, BatchReader reader, long started) {
    evidence().requireFirstSegment(scan);
    long generation = superblock.generation();
    long first = firstBatch(scan, generation);
    Replay replay = replay(superblock.baseLsn(), first > 1);
    RingReader ringReader = new RingReader(storage, superblock, identity, memory);
    RingTrust trust;
    List<RingFile> rings = List.of();
    Optional<Storage> place = Optional.empty();
    try {
      try {
        place = ringReader.place();
        rings = ringReader.find(place);
        trust = new RingTrust.Trusted(0, 0);
      } catch (UntrustedRingsException e) {
        trust = new RingTrust.Untrusted(e.reason());
      }
      reader.start(
          generation,
          first,
          firstSegment(scan, generation),
          scan.needed().size(),
          BatchReader.TO_THE_END);
      readAll(generation, first, reader, replay);
      evidence().requireNoTraces(scan, reader.lastSequence());

      LogTail logTail = replay.logTail();
      LogTail tail = logTail;
      Cut cut = null;
      List<Relog.Section> sections = List.of();
      if (trust instanceof RingTrust.Trusted) {
        try {
          sections = ringReader.sections(rings, replay, reader);
          LogTail ringTail = RingReader.tail(replay);
          tail = LogTail.merge(logTail, ringTail);
          cut = Cut.withRings(replay.maxCut(), tail, RingReader.announcements(rings), partitions);
          trust = new RingTrust.Trusted(ringTail.size(), RingReader.bytes(sections));
        } catch (UntrustedRingsException e) {
          trust = new RingTrust.Untrusted(e.reason());
          tail = logTail;
          sections = List.of();
        }
      }
      boolean ringsUsed = cut != null;
      if (cut == null) {
        ringReader.requireForced(place, replay, reader);
        if (!superblock.rings().equals(RingPlacement.ABSENT)) {
          proof.requireNote();
        }
        // With rings no search is needed, since they contain the forced positions.
        reader.requireTornTail(traces);
        evidence().requireNoGap(scan, reader.reachedSegment());
        cut = Cut.byDensity(replay.maxCut(), tail, partitions);
      }
      replay.requireStable(cut);
      requireDurable(cut);
      replay.replay(tail, cut);
      count(replay);
      long scanned = execution.nanoTime();

      RecoveryOutcome outcome =
          ringsUsed
              ? new RecoveryOutcome.AfterKill(cut.lsn(), cut.holes())
              : new RecoveryOutcome.AfterPowerCut(
                  cut.lsn(), cut.partitionsBeyond(), discarded(tail, cut), reader.tornBytes());
      // Also for readers: with an old copy of the superblock they would show an old state.
      evidence().discardUnused(scan, readOnly);
      Findings findings = new Findings(outcome, trust, reader.scannedBytes(), scanned - started);
      if (readOnly) {
        return finish(
            scan,
            closed(cut, reader.lastSequence()),
            findings,
            unchanged(scan, Math.max(cut.lsn(), replay.largest())));
      }
      Relog relog = relog(scan, reader, replay, sections);
      return finish(
          scan,
          closed(cut, relog.lastSequence()),
          findings,
          new Continuation(
              Math.max(cut.lsn(), replay.largest()),
              relog.nextSegment(),
              relog.nextName(),
              relog.written(),
              execution.nanoTime() - scanned));
    } finally {
      if (place.isPresent()) {
        place.get().close();
      }
    }
  }

  /** Makes the log durable, and copies records to it that only the rings contain. */
  private Relog relog(
      SegmentScan scan, BatchReader reader, Replay replay, List<Relog.Section> sections) {
    Relog relog =
        new Relog(
            storage,
            memory,
            identity,
            superblock.generation(),
            reader,
            scan,
            new RingScan(superblock, identity, memory));
    try (relog) {
      beforeChange.run();
      relog.force();
      // A trimmed log may contain only parts of a transaction, which have no LSN. Then the largest
      // LSN found is below the cut, and the next recovery would reject a batch with that maximum.
      long maxLsn = Math.max(replay.maxCut(), replay.largest());
      relog.write(sections, replay.maxCut(), replay.maxStable(), maxLsn);
    }
    return relog;
  }

  private ClosedGeneration closed(Cut cut, long lastBatch) {
    return new ClosedGeneration(
        superblock.generation(), superblock.baseLsn(), cut.lsn(), lastBatch, cut.survivorEnds());
  }

  /** The result of reading and replaying the log. */
  private record Findings(
      RecoveryOutcome outcome, RingTrust trust, long scannedBytes, long scanNanos) {}

  /**
   * Where the next generation continues.
   *
   * @param relogged names of segments that recovery has written
   * @param nanos time it took to make the recovery durable
   */
  private record Continuation(
      long baseLsn, long nextSegment, int nextName, List<String> relogged, long nanos) {}

  /** Returns where the next generation continues if recovery has written nothing. */
  private static Continuation unchanged(SegmentScan scan, long baseLsn) {
    return new Continuation(baseLsn, scan.nextSequence(), scan.nextName(), List.of(), 0);
  }

  private RecoveredLog finish(
      SegmentScan scan, @Nullable ClosedGeneration closed, Findings findings, Continuation next) {
    List<String> read = new ArrayList<>(next.relogged());
    for (SegmentFile segment : scan.needed()) {
      if (!segment.truncated()) {
        read.add(segment.name());
      }
    }
    return new RecoveredLog(
        closed,
        next.baseLsn(),
        next.nextSegment(),
        next.nextName(),
        scan.free(),
        read,
        findings.outcome(),
        findings.trust(),
        new LogCounts(scan.needed().size(), batches, records, words, findings.scannedBytes()),
        findings.scanNanos(),
        next.nanos());
  }

  /** Returns the sequence of the first batch of a generation that was not trimmed. */
  private long firstBatch(SegmentScan scan, long generation) {
    if (shortcut != null && shortcut.generation() == generation) {
      return shortcut.batch();
    }
    SegmentFile first = scan.firstSegmentOf(generation);
    return first != null && first.sequence() == log.oldestSegment() ? log.oldestBatch() : 1;
  }

  /** Returns the index of the first segment to read of a generation. */
  private int firstSegment(SegmentScan scan, long generation) {
    return shortcut != null && shortcut.generation() == generation
        ? shortcutIndex(scan.needed(), shortcut)
        : scan.firstOf(generation);
  }

  private long replayAboveLsn() {
    long checkpointed = superblock.checkpoint().replayAboveLsn();
    return shortcut == null ? checkpointed : Math.max(checkpointed, shortcut.replayAboveLsn());
  }

  private Replay replay(long baseLsn, boolean trimmed) {
    return new Replay(
        SegmentNames.DIRECTORY,
        partitions,
        baseLsn,
        replayAboveLsn(),
        appliedLsn,
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

  /**
   * Throws if the cut is below an LSN that was durable according to the image or a summary
   * (docs/protocol.md, R12, R34).
   */
  private void requireDurable(Cut cut) {
    long imageLsn = superblock.checkpoint().imageLsn();
    if (cut.lsn() < imageLsn) {
      throw new CorruptStoreException(
          SegmentNames.DIRECTORY,
          -1,
          "the newest checkpoint contains effects of LSNs up to "
              + imageLsn
              + ", but LSN "
              + (cut.lsn() + 1)
              + " is missing from the log; restore the log's files from a copy");
    }
    long durableLsn = proof.durableLsn(superblock.generation());
    if (cut.lsn() < durableLsn) {
      throw new CorruptStoreException(
          SegmentNames.DIRECTORY,
          -1,
          "a summary of the log names all LSNs up to "
              + durableLsn
              + " as durable, but LSN "
              + (cut.lsn() + 1)
              + " is missing from the log; restore the log's files from a copy");
    }
  }

  /**
   * Replays the records up to the LSN of a shortcut.
   *
   * @throws CorruptStoreException if a batch of this part is missing or damaged
   */
  LogCounts replayBefore(LogShortcut end) {
    SegmentScan scan = scan(log.oldestSegment());
    List<SegmentFile> segments = scan.needed();
    try (ReadAhead source = new ReadAhead(storage, memory, segments, 0, execution)) {
      BatchReader reader =
          new BatchReader(identity, segments, new SegmentWindow(segments, source, memory));
      for (ClosedGeneration closed : superblock.closedGenerations()) {
        if (closed.generation() < end.generation()) {
          replayClosed(scan, reader, closed);
        }
      }
      ClosedGeneration closed = closed(end.generation());
      long first = firstBatch(scan, end.generation());
      Replay replay = replay(closed == null ? superblock.baseLsn() : closed.baseLsn(), first > 1);
      reader.start(
          end.generation(),
          first,
          scan.firstOf(end.generation()),
          scan.firstOf(end.generation() + 1),
          BatchReader.TO_THE_END);
      // At least to the first batch of the shortcut, since the chain of batches must lead there.
      while (replay.maxCut() < end.replayAboveLsn() || reader.lastSequence() < end.batch()) {
        if (!reader.next()) {
          requireLastBatch(reader, end);
          replay.replayUpTo(end.replayAboveLsn());
          break;
        }
        replay.add(reader.batch());
        batches++;
      }
      count(replay);
      return new LogCounts(segments.size(), batches, records, words, reader.scannedBytes());
    }
  }

  private static void requireLastBatch(BatchReader reader, LogShortcut end) {
    long last = end.lastBatch().sequence();
    if (reader.lastSequence() < last) {
      throw reader.missing("a summary of the log names batch " + last);
    }
  }

  private @Nullable ClosedGeneration closed(long generation) {
    for (ClosedGeneration closed : superblock.closedGenerations()) {
      if (closed.generation() == generation) {
        return closed;
      }
    }
    return null;
  }

  private static long discarded(LogTail tail, Cut cut) {
    long discarded = 0;
    for (int i = 0; i < tail.size(); i++) {
      discarded += cut.keeps(tail, i) ? 0 : 1;
    }
    return discarded;
  }

  /** Frees the memory of records that waited for earlier LSNs. */
  @Override
  public void close() {
    stash.close();
  }
}
