package io.howdah.log.recovery;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import java.util.ArrayList;
import java.util.List;

/**
 * Merges the records of all partitions of one generation in the order of their LSNs, for {@link
 * Replay}. The merge proceeds up to a batch's cut; records above it wait in the stash. Not
 * thread-safe.
 */
final class LsnMerge {

  private final List<RedoStream> streams;

  // A heap of packed LSNs, each naming its stream in its low bits.
  private final long[] heap;
  private int heapSize;

  LsnMerge(int partitions, RecordStash stash) {
    List<RedoStream> list = new ArrayList<>(partitions);
    for (int p = 0; p < partitions; p++) {
      list.add(new RedoStream(p, stash));
    }
    this.streams = List.copyOf(list);
    this.heap = new long[partitions];
  }

  RedoStream stream(int partition) {
    return streams.get(partition);
  }

  /**
   * Starts in the middle of the generation, with the first batch of a trimmed log.
   *
   * @param replayAboveLsn dense LSN: no trimmed record has a larger one
   * @throws MalformedRecordException if a section is missing: the first batch of a segment has one
   *     for each partition
   */
  void startAt(Batch batch, long replayAboveLsn) {
    int at = batch.at + BatchLayout.HEADER_LENGTH;
    int end = batch.at + batch.length;
    for (int p = 0; p < streams.size(); p++) {
      if (end - at < BatchLayout.SECTION_HEADER_LENGTH
          || batch.bytes.getInt(at + BatchLayout.SECTION_PARTITION_OFFSET) != p) {
        throw new MalformedRecordException(
            at, "the first batch of a trimmed log has no section of partition " + p);
      }
      int length = batch.bytes.getInt(at + BatchLayout.SECTION_LENGTH_OFFSET);
      long position = batch.bytes.getLong(at + BatchLayout.SECTION_POSITION_OFFSET);
      at += BatchLayout.SECTION_HEADER_LENGTH;
      if (length < 0 || length > end - at || position < 0 || (position & 7) != 0) {
        throw new MalformedRecordException(
            at, "section of " + length + " bytes at position " + position);
      }
      streams.get(p).startAt(position, replayAboveLsn);
      at += length;
    }
  }

  /**
   * Loads the sections of a batch. The remaining records of the batch before are stashed.
   *
   * @throws MalformedRecordException if the sections do not fill the batch, or do not continue
   *     their partitions
   */
  void load(Batch batch) {
    int at = batch.at + BatchLayout.HEADER_LENGTH;
    int end = batch.at + batch.length;
    int lastPartition = -1;
    for (int i = 0; i < batch.sectionCount; i++) {
      if (end - at < BatchLayout.SECTION_HEADER_LENGTH) {
        throw new MalformedRecordException(
            at, "the batch ends before section " + i + " of " + batch.sectionCount);
      }
      int partition = batch.bytes.getInt(at + BatchLayout.SECTION_PARTITION_OFFSET);
      int length = batch.bytes.getInt(at + BatchLayout.SECTION_LENGTH_OFFSET);
      long position = batch.bytes.getLong(at + BatchLayout.SECTION_POSITION_OFFSET);
      if (partition <= lastPartition || partition >= streams.size()) {
        throw new MalformedRecordException(
            at,
            "section of partition "
                + partition
                + " after that of "
                + lastPartition
                + ", of "
                + streams.size()
                + " partitions");
      }
      if ((length != 0 && length < RedoRecordLayout.MIN_LENGTH)
          || (length & 7) != 0
          || length > end - at - BatchLayout.SECTION_HEADER_LENGTH) {
        throw new MalformedRecordException(at, "section of " + length + " bytes");
      }
      RedoStream stream = streams.get(partition);
      if (position != stream.endPosition()) {
        throw new MalformedRecordException(
            at,
            "section of partition "
                + partition
                + " starts at position "
                + position
                + ", the one before ended at "
                + stream.endPosition());
      }
      at += BatchLayout.SECTION_HEADER_LENGTH;
      stream.load(batch.bytes, at, length);
      at += length;
      lastPartition = partition;
    }
    if (at != end) {
      throw new MalformedRecordException(at, "bytes after the batch's last section");
    }
  }

  /** Starts to merge the loaded and the stashed records. */
  void begin() {
    heapSize = 0;
    for (RedoStream stream : streams) {
      long lsn = stream.headLsn();
      if (lsn != -1) {
        heap[heapSize++] = lsn;
      }
    }
    for (int i = heapSize / 2 - 1; i >= 0; i--) {
      siftDown(i);
    }
  }

  /** Returns the smallest remaining packed LSN, or {@link Long#MAX_VALUE}. */
  long headLsn() {
    return heapSize == 0 ? Long.MAX_VALUE : heap[0];
  }

  /** Returns the largest packed LSN loaded so far, 0 if there was none. */
  long largestLsn() {
    long largest = 0;
    for (RedoStream stream : streams) {
      largest = Math.max(largest, stream.lastLsn());
    }
    return largest;
  }

  /**
   * Returns the stream whose head has the smallest LSN. The caller removes the head, then calls
   * {@link #next}.
   */
  RedoStream head() {
    return streams.get(Lsn.partition(heap[0]));
  }

  /** Moves to the next LSN, after the caller has removed the head from its stream. */
  void next() {
    long lsn = streams.get(Lsn.partition(heap[0])).headLsn();
    if (lsn == -1) {
      lsn = heap[--heapSize];
    }
    heap[0] = lsn;
    siftDown(0);
  }

  /** Stashes the remaining records, so that the bytes of the batch are no longer needed. */
  void stashRest() {
    for (RedoStream stream : streams) {
      stream.stashRest();
    }
  }

  private void siftDown(int from) {
    long value = heap[from];
    int i = from;
    while (true) {
      int child = 2 * i + 1;
      if (child >= heapSize) {
        break;
      }
      if (child + 1 < heapSize && heap[child + 1] < heap[child]) {
        child++;
      }
      if (heap[child] >= value) {
        break;
      }
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = value;
  }
}
