package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import java.nio.ByteBuffer;
import java.util.Collections;

/**
 * Replays one generation. {@link RecoveryRun} passes its batches one by one; this class passes the
 * words of every surviving record to a {@link RedoSink}, in the order of LSNs, and verifies the log
 * against the headers of the batches. Not thread-safe.
 *
 * <p>Invariants, each checked here or in {@link RedoStream}:
 *
 * <ul>
 *   <li>The LSNs of a generation are larger than its base, and none occurs twice.
 *   <li>Up to the cut of a batch, no LSN is missing from this batch and the batches before, except
 *       LSNs up to {@code replayAboveLsn}, whose segments may have been trimmed.
 *   <li>No record has a larger LSN than the {@code maxLsn} of its batch.
 *   <li>In a partition, positions are contiguous, LSNs increase, and dependencies do not decrease.
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

  /** Records up to this LSN are checked and not replayed. */
  private final long appliedLsn;

  /** Records with larger LSNs are checked and not replayed. */
  private final long limitLsn;

  /** Records up to this LSN need no replay. */
  private final long skipTo;

  /** Whether the log was trimmed and the first remaining batch was not added yet. */
  private boolean trimmed;

  /** The next LSN to replay: all LSNs between {@link #skipTo} and this one were read. */
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
   * @param appliedLsn dense LSN: the region has the words of all records up to it, which are
   *     checked and not replayed
   * @param limitLsn dense LSN: later records are checked and not replayed
   * @param trimmed whether the log before the first batch was trimmed
   * @param log name for errors about records that are no longer in their batch
   */
  Replay(
      String log,
      int partitions,
      long baseLsn,
      long replayAboveLsn,
      long appliedLsn,
      long limitLsn,
      boolean trimmed,
      long capacityBytes,
      RecordStash stash,
      RedoSink sink) {
    this.log = log;
    this.partitions = partitions;
    this.baseLsn = baseLsn;
    this.appliedLsn = appliedLsn;
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

  /** Adds a batch: replays the records up to its cut and stashes the others. */
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
      if (Lsn.dense(merge.largestLsn()) > next.maxLsn) {
        throw new MalformedRecordException(
            next.at,
            "a record has LSN " + Lsn.dense(merge.largestLsn()) + ", the bound is " + next.maxLsn);
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
        || batch.maxLsn < batch.cut
        || batch.maxLsn > Lsn.MAX) {
      throw new MalformedRecordException(
          batch.at,
          "cut "
              + batch.cut
              + ", stable LSN "
              + batch.stableAtWrite
              + " and bound "
              + batch.maxLsn
              + " contradict each other");
    }
  }

  private void replayToCut() {
    merge.begin();
    while (Lsn.dense(merge.headLsn()) <= maxCut) {
      long lsn = Lsn.dense(merge.headLsn());
      if (lsn > skipTo) {
        if (lsn != expected) {
          throw wrongLsn(lsn);
        }
        expected++;
        if (isReplayed(lsn)) {
          merge.head().read(this);
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
      throw wrongLsn(expected + 1);
    }
  }

  private CorruptStoreException wrongLsn(long found) {
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

  private boolean isReplayed(long lsn) {
    return lsn > appliedLsn && lsn <= limitLsn;
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
   * Stashes published records of a partition that are in no batch. The caller has removed the
   * records of the log by {@link #tail}; the next {@code tail} returns these.
   *
   * @throws MalformedRecordException if they do not continue their partition
   */
  void addRing(int partition, ByteBuffer records) {
    RedoStream stream = merge.stream(partition);
    stream.load(records, 0, records.limit());
    stream.stashRest();
  }

  /**
   * Removes the stashed records, which are above the largest cut, and returns them in the order of
   * LSNs.
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
   * Returns the records of batches above the largest cut, in the order of LSNs.
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
   * Replays the records of batches up to an LSN that is not the cut of any batch, because the
   * process was killed before it wrote such a batch. All records up to the LSN were forced, so none
   * may be missing.
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
      if (Lsn.dense(lsn) > skipTo && isReplayed(Lsn.dense(lsn)) && cut.keeps(tail, i)) {
        merge.stream(Lsn.partition(lsn)).read(tail.node(i), this);
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

  @SuppressWarnings("ReferenceEquality") // identity is meant
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

  /** Returns the largest cut of a batch: the dense LSN up to which no record is missing. */
  long maxCut() {
    return maxCut;
  }

  /** Returns the largest stable LSN in the header of a batch. */
  long maxStable() {
    return maxStable;
  }

  /** Returns the largest dense LSN of a record. */
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
