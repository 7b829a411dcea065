package io.howdah.log.commit;

import io.howdah.core.layout.RedoRecordLayout;

/**
 * Encodes the words of a transaction as redo records: one record of all words, or parts and the
 * record that names them. A lane appends what the writer stands at; see {@link Lane#append}. Single
 * words that follow one another share an entry, and so do the words of a row. Only a record of all
 * words has rows.
 *
 * <p>One for each attempt, used again by later ones. Not thread-safe.
 */
public final class RecordWriter {

  private final RecordSource source;

  /** The single words of the record. */
  private int from;

  private int to;

  private int lengthBytes;
  private int runs;
  private int maxPartBytes;
  private long group;

  /** How many parts were appended before the record. */
  private int parts;

  public RecordWriter(RecordSource source) {
    this.source = source;
  }

  /**
   * Stands at the one record of all words.
   *
   * @return its length in bytes. If that is more than a record may have, {@link #split} has to
   *     follow
   */
  public long measure() {
    group = 0;
    parts = 0;
    from = 0;
    to = source.singles();
    runs = runs(from, to);
    long words = (long) to + runs + source.rowEntriesEnd();
    long bytes = RedoRecordLayout.MIN_LENGTH + words * Long.BYTES;
    runs += source.rowCount(); // each row is an entry, as each run is
    lengthBytes = (int) Math.min(bytes, Integer.MAX_VALUE);
    return bytes;
  }

  /** Stands at the first part. The source has no rows. */
  public void split(int maxRecordBytes) {
    maxPartBytes = maxRecordBytes - RedoRecordLayout.MULTIPART_PREFIX_BYTES;
    stand(0);
  }

  /** Returns whether the record is a part that others follow. */
  public boolean isPart() {
    return to < source.singles();
  }

  /** Returns the length of the record in bytes. */
  public int lengthBytes() {
    return lengthBytes;
  }

  /** Names the group of the parts that will be appended. */
  void group(long group) {
    this.group = group;
  }

  /** Stands at the next part or, behind the last part, at the record that names the parts. */
  void next() {
    parts++;
    stand(to);
    if (!isPart()) {
      lengthBytes += RedoRecordLayout.MULTIPART_PREFIX_BYTES;
    }
  }

  private void stand(int first) {
    from = first;
    to = endOfPart(first);
    runs = runs(first, to);
    lengthBytes = RedoRecordLayout.MIN_LENGTH + (to - first + runs) * Long.BYTES;
  }

  /** Returns the end of the longest stretch from a single word on whose record is not too long. */
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

  /** Returns how many runs of neighbouring single words a stretch has. */
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

  /** Returns the word that a record of the transaction begins with. */
  long head() {
    int kind = parts == 0 ? RedoRecordLayout.KIND_COMMIT : RedoRecordLayout.KIND_MULTIPART_COMMIT;
    return RedoRecordLayout.head(lengthBytes, kind, runs);
  }

  /** Returns the word that a part begins with. */
  long partHead() {
    return RedoRecordLayout.head(lengthBytes, RedoRecordLayout.KIND_PART, runs);
  }

  long group() {
    return group;
  }

  int parts() {
    return parts;
  }

  /** Puts what follows LSN and dependency into a lane. */
  void put(Lane lane) {
    if (parts != 0) {
      lane.put(group);
      lane.put(parts);
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
      lane.put(source.rowEntries(), rowsEnd);
    }
  }

  private boolean follows(int single) {
    return source.address(single) == source.address(single - 1) + Long.BYTES;
  }
}
