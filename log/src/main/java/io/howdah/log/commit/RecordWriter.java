package io.howdah.log.commit;

import io.howdah.core.layout.RedoRecordLayout;

/**
 * Encodes the words of a transaction as redo records: one record with all words, or parts and a
 * record that refers to them. The writer is at one of these records, the current one: {@link
 * #selectWhole} and {@link #split} select the first, {@link #moveToNext} the next. A lane appends
 * the current record ({@link Lane#append}, {@link Lane#appendPart}). Single words with consecutive
 * addresses share an entry, and so do the words of a row.
 *
 * <p>There are rows of two kinds. The rows of the write set, which is the source, are in a record
 * with all words only: the caller makes them single words before {@link #split}. No word is in two
 * of them. Those of nodes follow everything else, in their order, because a later one may have
 * words of an earlier one: replay applies the entries of a transaction in order. Parts end between
 * two of these rows.
 *
 * <p>Each attempt has one writer and reuses it. Not thread-safe.
 */
public final class RecordWriter {

  private final RecordSource source;
  private final RecordRows nodes;

  /** Range of the single words of the current record. */
  private int from;

  private int to;

  /** Range of {@link RecordRows#rowEntries} of nodes in the current record. */
  private int nodesFrom;

  private int nodesTo;

  private int lengthBytes;

  /** Number of entries of the current record: runs of single words, and rows. */
  private int entryCount;

  private int maxPartBytes;
  private long group;

  /** Number of parts that were appended before the current record. */
  private int precedingParts;

  public RecordWriter(RecordSource source, RecordRows nodes) {
    this.source = source;
    this.nodes = nodes;
  }

  /**
   * Makes the record with all words the current record, and determines its length.
   *
   * @return its length in bytes. If it exceeds the maximum length of a record, the caller must call
   *     {@link #split}
   */
  public long selectWhole() {
    group = 0;
    precedingParts = 0;
    from = 0;
    to = source.singles();
    nodesFrom = 0;
    nodesTo = nodes.rowEntriesEnd();
    entryCount = runs(from, to);
    long words = (long) to + entryCount + source.rowEntriesEnd() + nodesTo;
    long bytes = RedoRecordLayout.MIN_LENGTH + words * Long.BYTES;
    entryCount += source.rowCount() + nodes.rowCount(); // each row is an entry, as each run is
    lengthBytes = (int) Math.min(bytes, Integer.MAX_VALUE);
    return bytes;
  }

  /**
   * Makes the first part the current record, after {@link #selectWhole}. The source has no rows
   * left.
   */
  public void split(int maxRecordBytes) {
    maxPartBytes = maxRecordBytes - RedoRecordLayout.MULTIPART_PREFIX_BYTES;
    moveTo(0, 0);
  }

  /** Returns whether the current record is a part. */
  public boolean isAtPart() {
    return to < source.singles() || nodesTo < nodes.rowEntriesEnd();
  }

  /** Returns the length of the current record in bytes. */
  public int lengthBytes() {
    return lengthBytes;
  }

  /** Sets the group number of the parts, by which the last record refers to them. */
  void group(long group) {
    this.group = group;
  }

  /** Moves to the next part or, after the last part, to the record that refers to the parts. */
  public void moveToNext() {
    precedingParts++;
    moveTo(to, nodesTo);
    if (!isAtPart()) {
      lengthBytes += RedoRecordLayout.MULTIPART_PREFIX_BYTES;
    }
  }

  private void moveTo(int first, int firstOfNodes) {
    from = first;
    to = endOfPart(first);
    entryCount = runs(first, to);
    int words = to - first + entryCount;
    nodesFrom = firstOfNodes;
    nodesTo = firstOfNodes;
    if (to == source.singles()) {
      words += takeNodes((maxPartBytes - RedoRecordLayout.MIN_LENGTH) / Long.BYTES - words);
    }
    lengthBytes = RedoRecordLayout.MIN_LENGTH + words * Long.BYTES;
  }

  /**
   * Adds to a part the longest sequence of rows of nodes that has room; returns its length in
   * words. A part without any words takes a row in any case.
   */
  private int takeNodes(int room) {
    long[] entries = nodes.rowEntries();
    int end = nodes.rowEntriesEnd();
    while (nodesTo < end) {
      int next = nodesTo + 1 + RedoRecordLayout.entryRun(entries[nodesTo]);
      if (next - nodesFrom > room && (from != to || nodesTo != nodesFrom)) {
        break;
      }
      nodesTo = next;
      entryCount++;
    }
    return nodesTo - nodesFrom;
  }

  /** Returns the end of the longest part from a single word on that does not exceed its limit. */
  private int endOfPart(int first) {
    int room = (maxPartBytes - RedoRecordLayout.MIN_LENGTH) / Long.BYTES;
    int count = source.singles();
    int end = first;
    while (end < count) {
      room -= end != first && follows(end) ? 1 : 2;
      if (room < 0) {
        break;
      }
      end++;
    }
    return end;
  }

  /** Returns the number of runs of consecutive single words in a range. */
  private int runs(int first, int end) {
    int count = 0;
    long next = -1;
    for (int i = first; i < end; i++) {
      long address = source.address(i);
      if (address != next) {
        count++;
      }
      next = address + Long.BYTES;
    }
    return count;
  }

  /** Returns the first word of the transaction's record. */
  long head() {
    int kind =
        precedingParts == 0 ? RedoRecordLayout.KIND_COMMIT : RedoRecordLayout.KIND_MULTIPART_COMMIT;
    return RedoRecordLayout.head(lengthBytes, kind, entryCount);
  }

  /** Returns the first word of a part. */
  long partHead() {
    return RedoRecordLayout.head(lengthBytes, RedoRecordLayout.KIND_PART, entryCount);
  }

  long group() {
    return group;
  }

  int precedingParts() {
    return precedingParts;
  }

  /** Puts the words after LSN and dependency into a lane. */
  void put(Lane lane) {
    if (precedingParts != 0) {
      lane.put(group);
      lane.put(precedingParts);
    }
    putEntries(lane);
  }

  void putEntries(Lane lane) {
    RecordSource source = this.source;
    int end = to;
    for (int i = from; i < end; ) {
      int behind = i + 1;
      while (behind < end && follows(behind)) {
        behind++;
      }
      lane.put(RedoRecordLayout.entryHead(source.address(i), behind - i));
      for (; i < behind; i++) {
        lane.put(source.value(i));
      }
    }
    int rowsEnd = source.rowEntriesEnd();
    if (rowsEnd != 0) {
      lane.put(source.rowEntries(), 0, rowsEnd);
    }
    if (nodesFrom != nodesTo) {
      lane.put(nodes.rowEntries(), nodesFrom, nodesTo);
    }
  }

  private boolean follows(int single) {
    return source.address(single) == source.address(single - 1) + Long.BYTES;
  }
}
