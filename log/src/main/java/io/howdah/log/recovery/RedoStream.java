package io.howdah.log.recovery;

import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import java.nio.ByteBuffer;

/**
 * The redo records of one partition in one generation, in their order: first the stashed ones, then
 * those of the loaded section. It checks the head of each record and the order of LSNs and
 * dependencies, and collects the parts of large transactions. {@link LsnMerge} merges the streams
 * of all partitions. Not thread-safe.
 */
final class RedoStream {

  private final int partition;
  private final RecordStash stash;

  /** Position in the generation after the last section. */
  private long endPosition;

  /**
   * Up to this LSN, parts of a commit may have been trimmed. -1 from the first record on whose
   * parts cannot have been trimmed.
   */
  private long trimmedLsn = -1;

  private long lastLsn;
  private long lastDep;

  private long stashedHead;
  private long stashedTail;

  // Parts of a group whose commit, or whose end without one, was not read yet.
  private long partsHead;
  private long partsTail;
  private long partCount;
  private long group;

  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private int at;
  private int end;

  // The first unread record of the section with an LSN; its length is 0 if there is none.
  private int frontLength;
  private long frontParts;

  RedoStream(int partition, RecordStash stash) {
    this.partition = partition;
    this.stash = stash;
  }

  /** Returns the position after the last section. */
  long endPosition() {
    return endPosition;
  }

  /**
   * Starts in the middle of the generation, since the records before were trimmed.
   *
   * @param replayAboveLsn dense LSN: no group with a trimmed part has a commit with a larger LSN
   */
  void startAt(long position, long replayAboveLsn) {
    endPosition = position;
    trimmedLsn = replayAboveLsn;
  }

  /**
   * Continues with a section. All records of the previous one are read or stashed.
   *
   * @throws MalformedRecordException if the section does not start with a record
   */
  void load(ByteBuffer source, int from, int length) {
    bytes = source;
    at = from;
    end = from + length;
    endPosition += length;
    frontLength = 0;
    findFront();
  }

  /** Returns the packed LSN of the last record that was loaded, 0 if there was none. */
  long lastLsn() {
    return lastLsn;
  }

  /** Returns the packed LSN of the head, the next record of this partition, or -1. */
  long headLsn() {
    if (stashedHead != 0) {
      return stash.lsn(stashedHead);
    }
    return frontLength == 0 ? -1 : bytes.getLong(at + RedoRecordLayout.LSN_OFFSET);
  }

  /** Passes the head and its parts to a reader, and moves to the next record. */
  void read(RecordReader reader) {
    if (stashedHead != 0) {
      read(detach(), reader);
      return;
    }
    readParts(frontParts, reader);
    reader.commit(bytes, at);
    passFront();
  }

  /** Moves to the next record. The head, which is stashed, stays there; returns its node. */
  long detach() {
    long node = stashedHead;
    unlinkStashed();
    return node;
  }

  /** Moves to the next record without reading the head. */
  void skip() {
    if (stashedHead != 0) {
      long node = stashedHead;
      unlinkStashed();
      drop(node);
    } else {
      dropParts(frontParts);
      passFront();
    }
  }

  /** Passes a detached record and its parts to a reader, and drops them. */
  void read(long node, RecordReader reader) {
    readParts(stash.partsHead(node), reader);
    reader.commit(stash.record(node), 0);
    stash.drop();
  }

  /** Drops a detached record and its parts without reading them. */
  void drop(long node) {
    dropParts(stash.partsHead(node));
    stash.drop();
  }

  private void unlinkStashed() {
    stashedHead = stash.next(stashedHead);
    if (stashedHead == 0) {
      stashedTail = 0;
    }
  }

  private void readParts(long head, RecordReader reader) {
    for (long node = head; node != 0; ) {
      long next = stash.next(node);
      reader.part(stash.record(node), 0);
      node = next;
    }
    dropParts(head);
  }

  private void dropParts(long head) {
    for (long node = head; node != 0; ) {
      // Dropping the last node may reset the stash, but leaves its words.
      long next = stash.next(node);
      stash.drop();
      node = next;
    }
  }

  /** Stashes the rest of the section, so that its bytes are no longer needed. */
  void stashRest() {
    while (frontLength != 0) {
      long node = stash.add(bytes, at, frontLength, frontParts);
      if (stashedTail == 0) {
        stashedHead = node;
      } else {
        stash.link(stashedTail, node);
      }
      stashedTail = node;
      passFront();
    }
  }

  private void passFront() {
    at += frontLength;
    frontLength = 0;
    frontParts = 0;
    findFront();
  }

  /** Finds the next record that has an LSN, and stashes the parts before it. */
  private void findFront() {
    while (at < end) {
      long head = bytes.getLong(at);
      int length = RedoRecordLayout.length(head);
      if (!RedoRecordLayout.isSaneHead(head) || length > end - at) {
        throw new MalformedRecordException(
            at, "no redo record starts with 0x" + Long.toHexString(head));
      }
      if (RedoRecordLayout.kind(head) == RedoRecordLayout.KIND_PART) {
        collectPart(length);
        at += length;
      } else {
        checkOrder();
        attachParts(RedoRecordLayout.kind(head));
        frontLength = length;
        return;
      }
    }
  }

  private void checkOrder() {
    long lsn = bytes.getLong(at + RedoRecordLayout.LSN_OFFSET);
    long dep = bytes.getLong(at + RedoRecordLayout.DEP_OFFSET);
    if (Lsn.partition(lsn) != partition || lsn <= lastLsn || Lsn.dense(lsn) > Lsn.MAX) {
      throw new MalformedRecordException(
          at,
          "record of partition "
              + partition
              + " has LSN "
              + describe(lsn)
              + " after "
              + describe(lastLsn));
    }
    if (dep < lastDep || dep >= lsn) {
      throw new MalformedRecordException(
          at,
          "record with LSN "
              + describe(lsn)
              + " depends on "
              + describe(dep)
              + ", the one before on "
              + describe(lastDep));
    }
    lastLsn = lsn;
    lastDep = dep;
  }

  private static String describe(long packed) {
    return Lsn.dense(packed) + " of partition " + Lsn.partition(packed);
  }

  private void collectPart(int length) {
    long partGroup = bytes.getLong(at + RedoRecordLayout.LSN_OFFSET);
    long index = bytes.getLong(at + RedoRecordLayout.DEP_OFFSET);
    if (index == 0) {
      dropCollectedParts();
      trimmedLsn = -1;
      group = partGroup;
    } else if (trimmedLsn >= 0) {
      // The group of this part began in a trimmed segment, so it needs no replay.
      return;
    } else if (partGroup != group || index != partCount) {
      throw new MalformedRecordException(
          at,
          "part "
              + index
              + " of group "
              + partGroup
              + " follows "
              + partCount
              + " parts of group "
              + group);
    }
    long node = stash.add(bytes, at, length, 0);
    if (partsTail == 0) {
      partsHead = node;
    } else {
      stash.link(partsTail, node);
    }
    partsTail = node;
    partCount++;
  }

  /**
   * Attaches the collected parts to the first record if it commits them. Any other record means
   * that their transaction has not committed, since the parts of a partition are never interleaved
   * with other records (R29).
   */
  private void attachParts(int kind) {
    frontParts = 0;
    long trimmedUpTo = trimmedLsn;
    trimmedLsn = -1;
    if (kind != RedoRecordLayout.KIND_MULTIPART_COMMIT) {
      dropCollectedParts();
      return;
    }
    long committed = bytes.getLong(at + RedoRecordLayout.ENTRIES_OFFSET);
    long count = bytes.getLong(at + RedoRecordLayout.ENTRIES_OFFSET + Long.BYTES);
    if (Lsn.dense(lastLsn) <= trimmedUpTo) {
      return; // needs no replay, so its parts may be incomplete
    }
    if (committed != group || count != partCount) {
      throw new MalformedRecordException(
          at,
          "commit of "
              + count
              + " parts of group "
              + committed
              + " follows "
              + partCount
              + " parts of group "
              + group);
    }
    frontParts = partsHead;
    partsHead = 0;
    partsTail = 0;
    partCount = 0;
  }

  private void dropCollectedParts() {
    dropParts(partsHead);
    partsHead = 0;
    partsTail = 0;
    partCount = 0;
  }

  /** Reads records in the order in which they are replayed. */
  interface RecordReader {

    /** Reads a part of the transaction that the next commit belongs to. */
    void part(ByteBuffer source, int at);

    /** Reads a record that has an LSN. */
    void commit(ByteBuffer source, int at);
  }
}
