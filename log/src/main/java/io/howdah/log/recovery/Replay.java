package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import java.nio.ByteBuffer;
import java.util.Collections;

/**
 * Replays one generation: receives its batches one by one, passes on the words of every surviving
 * record in the order of LSNs, and verifies the log against the headers of batches. Not
 * thread-safe.
 *
 * <p>Invariants, each checked here or in {@link RedoStream}:
 *
 * <ul>
 *   <li>LSNs of a generation lie above its base, and none occurs twice;
 *   <li>up to a batch's cut no LSN is missing from it and the batches before, but for those at or
 *       below {@code replayAboveLsn}, whose segments may be gone;
 *   <li>no record has an LSN above its batch's bound;
 *   <li>in a partition, positions are contiguous, LSNs ascend, dependencies never fall.
 * </ul>
 */
final class Replay implements RedoStream.RecordReader {

  private final int partitions;
  private final long baseLsn;
  private final long capacityBytes;
  private final RedoSink sink;
  private final RecordStash stash;
  private final LsnMerge merge;
  private final String log;

  /** Records above are not replayed, though they are there. */
  private final long limitLsn;

  /** Up to here records need no replay. */
  private final long skipTo;

  /** Whether the first batch to come is not the generation's first: the log was trimmed. */
  private boolean trimmed;

  /** All LSNs below are accounted for, but for those up to {@link #skipTo}. */
  private long expected;

  private long maxCut;
  private long maxStable;
  private String stableFile = "";
  private long stableOffset;
  private long largest;

  private Batch batch = new Batch();
  private long records;
  private long words;

  /**
   * Prepares for a generation.
   *
   * @param limitLsn dense LSN: later records are checked and not replayed
   * @param trimmed whether the log before the first batch to come was trimmed
   * @param log what to name in errors about records that are no longer in their batch
   */
  Replay(
      String log,
      int partitions,
      long baseLsn,
      long replayAboveLsn,
      long limitLsn,
      boolean trimmed,
      long capacityBytes,
      RecordStash stash,
      RedoSink sink) {
    this.log = log;
    this.partitions = partitions;
    this.baseLsn = baseLsn;
    this.limitLsn = limitLsn;
    this.trimmed = trimmed;
    this.capacityBytes = capacityBytes;
    this.sink = sink;
    this.stash = stash;
    this.merge = new LsnMerge(partitions, stash);
    this.skipTo = Math.max(baseLsn, replayAboveLsn);
    this.expected = skipTo + 1;
    this.maxCut = skipTo;
    this.largest = baseLsn;
  }

  /** Takes a batch, replays what its cut allows and stashes the rest. */
  void add(Batch next) {
    batch = next;
    try {
      checkHeader();
      if (trimmed) {
        merge.startAt(next, skipTo);
        trimmed = false;
      }
      merge.load(next);
      if (next.cut > maxCut) {
        maxCut = next.cut;
      }
      if (next.stableAtWrite > maxStable) {
        maxStable = next.stableAtWrite;
        stableFile = next.file;
        stableOffset = next.fileOffset;
      }
      replayToCut();
      merge.stashRest();
      if (Lsn.dense(merge.largestLsn()) > next.lsnBound) {
        throw new MalformedRecordException(
            next.at,
            "a record has LSN "
                + Lsn.dense(merge.largestLsn())
                + ", the bound is "
                + next.lsnBound);
      }
    } catch (MalformedRecordException e) {
      throw new CorruptStoreException(
          next.file,
          next.offsetInFile(e.at()),
          "the batch has a valid checksum and impossible contents: " + e.problem());
    }
  }

  private void checkHeader() {
    if (batch.cut < 0
        || batch.cut > Lsn.MAX
        || batch.stableAtWrite < 0
        || batch.stableAtWrite > Lsn.MAX
        || batch.lsnBound < batch.cut
        || batch.lsnBound > Lsn.MAX) {
      throw new MalformedRecordException(
          batch.at,
          "cut "
              + batch.cut
              + ", stable LSN "
              + batch.stableAtWrite
              + " and bound "
              + batch.lsnBound
              + " contradict each other");
    }
  }

  private void replayToCut() {
    merge.begin();
    while (Lsn.dense(merge.headLsn()) <= maxCut) {
      long lsn = Lsn.dense(merge.headLsn());
      if (lsn > skipTo) {
        if (lsn != expected) {
          throw misplaced(lsn);
        }
        expected++;
        if (lsn <= limitLsn) {
          merge.head().take(this);
        } else {
          merge.head().skip();
        }
      } else {
        requireAboveBase(lsn);
        merge.head().skip();
      }
      largest = Math.max(largest, lsn);
      merge.next();
    }
    if (expected <= maxCut) {
      throw misplaced(expected + 1);
    }
  }

  private CorruptStoreException misplaced(long found) {
    return new CorruptStoreException(
        batch.file,
        batch.fileOffset,
        found < expected
            ? "LSN " + found + " occurs twice"
            : "LSN "
                + expected
                + " is in no batch up to this one, although a batch says that all up to "
                + maxCut
                + " are");
  }

  private void requireAboveBase(long lsn) {
    if (lsn <= baseLsn) {
      throw new CorruptStoreException(
          batch.file,
          batch.fileOffset,
          "LSN " + lsn + " occurs in a generation that starts above " + baseLsn);
    }
  }

  /**
   * Stashes published records of a partition that no batch holds, after {@link #tail} has taken
   * those of the log; the next {@code tail} has them.
   *
   * @throws MalformedRecordException if they do not continue their partition
   */
  void addRing(int partition, ByteBuffer records) {
    RedoStream stream = merge.stream(partition);
    stream.load(records, 0, records.limit());
    stream.stashRest();
  }

  /**
   * Takes what is stashed above the largest cut, in the order of LSNs.
   *
   * @throws MalformedRecordException if an LSN occurs twice
   */
  LogTail tail() {
    LogTail tail = new LogTail();
    merge.begin();
    while (merge.headLsn() != Long.MAX_VALUE) {
      long lsn = merge.headLsn();
      long node = merge.head().detach();
      if (Lsn.dense(lsn) == Lsn.dense(tail.largest())) {
        throw new MalformedRecordException(0, "LSN " + Lsn.dense(lsn) + " occurs twice");
      }
      tail.add(lsn, stash.dep(node), node);
      merge.next();
    }
    return tail;
  }

  /**
   * Takes what batches hold above the largest cut, in the order of LSNs.
   *
   * @throws CorruptStoreException if an LSN occurs twice
   */
  LogTail logTail() {
    try {
      return tail();
    } catch (MalformedRecordException e) {
      throw new CorruptStoreException(
          log, -1, "batches have valid checksums and impossible contents: " + e.problem());
    }
  }

  /**
   * Replays what batches hold up to an LSN that no batch claims as its cut: the process was killed
   * before. Every commit up to the LSN had published its record, and the record was forced, so none
   * is missing.
   *
   * @throws CorruptStoreException if one is missing
   */
  void replayUpTo(long lsn) {
    LogTail tail = logTail();
    long found = Cut.byDensity(maxCut, tail, partitions).lsn();
    if (found < lsn) {
      throw new CorruptStoreException(
          log,
          -1,
          "LSN "
              + (found + 1)
              + " is in no batch, although a summary of the log says that all up to "
              + lsn
              + " are; restore the log's files from a copy");
    }
    replay(tail, new Cut(lsn, Collections.nCopies(partitions, 0L), 0));
  }

  /** Replays the records of a tail that survive. */
  void replay(LogTail tail, Cut cut) {
    for (int i = 0; i < tail.size(); i++) {
      long lsn = tail.lsn(i);
      if (Lsn.dense(lsn) > skipTo && Lsn.dense(lsn) <= limitLsn && cut.keeps(tail, i)) {
        merge.stream(Lsn.partition(lsn)).take(tail.node(i), this);
      } else {
        merge.stream(Lsn.partition(lsn)).drop(tail.node(i));
      }
      largest = Math.max(largest, Lsn.dense(lsn));
    }
  }

  @Override
  public void part(ByteBuffer source, int at) {
    replay(source, at);
  }

  @Override
  public void commit(ByteBuffer source, int at) {
    records++;
    replay(source, at);
  }

  @SuppressWarnings("ReferenceEquality") // whether it is that buffer is the question
  private void replay(ByteBuffer source, int at) {
    try {
      words += RecordEntries.replay(source, at, capacityBytes, sink);
    } catch (MalformedRecordException e) {
      if (source == batch.bytes) {
        throw e;
      }
      throw new CorruptStoreException(
          log,
          -1,
          "record with LSN word 0x"
              + Long.toHexString(source.getLong(at + RedoRecordLayout.LSN_OFFSET))
              + " has a valid checksum and impossible contents: "
              + e.problem());
    }
  }

  /**
   * Verifies a cut against the stable LSNs in batches: a stable commit cannot be lost.
   *
   * @throws CorruptStoreException if the cut is below one of them
   */
  void requireStable(Cut cut) {
    if (cut.lsn() < maxStable) {
      throw new CorruptStoreException(
          stableFile,
          stableOffset,
          "this batch says that all up to LSN "
              + maxStable
              + " was durable, but LSN "
              + (cut.lsn() + 1)
              + " is missing; restore the log's files from a copy");
    }
  }

  /** Returns the position after the last record of a partition. */
  long endPosition(int partition) {
    return merge.stream(partition).endPosition();
  }

  /** Returns the dense LSN up to which no record is missing according to the batches. */
  long maxCut() {
    return maxCut;
  }

  /** Returns the largest dense LSN that a batch calls stable. */
  long maxStable() {
    return maxStable;
  }

  /** Returns the largest dense LSN seen. */
  long largest() {
    return largest;
  }

  long records() {
    return records;
  }

  long words() {
    return words;
  }
}
