package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.log.commit.Lsn;
import io.howdah.log.flush.SegmentNames;
import java.util.ArrayList;
import java.util.List;

/**
 * The decision which records of a generation survive: all up to an LSN, and in each partition those
 * up to a larger LSN.
 *
 * @param lsn dense: every record up to it survives. An LSN up to it without a record belongs to a
 *     commit that did not happen
 * @param survivorEnds for each partition the last dense LSN that survives beyond {@code lsn}, 0 for
 *     none
 * @param holes number of LSNs up to {@code lsn} without a record
 */
public record Cut(long lsn, List<Long> survivorEnds, int holes) {

  /** Copies the list. */
  public Cut {
    survivorEnds = List.copyOf(survivorEnds);
  }

  /** Returns whether a record survives. */
  boolean keeps(LogTail tail, int index) {
    long packed = tail.lsn(index);
    long dense = Lsn.dense(packed);
    return dense <= lsn || dense <= survivorEnds.get(Lsn.partition(packed));
  }

  /** Returns the number of partitions with survivors beyond the cut. */
  public int partitionsBeyond() {
    return (int) survivorEnds.stream().filter(end -> end != 0).count();
  }

  /**
   * Returns the cut if only forced batches count: the last LSN before the first missing one. Beyond
   * it, in each partition, records survive up to the first one that depends on an LSN above the cut
   * (docs/protocol.md, R9).
   *
   * @param from dense LSN up to which no record is missing
   */
  static Cut byDensity(long from, LogTail tail, int partitions) {
    long cut = from;
    int i = 0;
    while (i < tail.size() && Lsn.dense(tail.lsn(i)) == cut + 1) {
      cut++;
      i++;
    }
    long[] ends = new long[partitions];
    boolean[] stopped = new boolean[partitions];
    for (; i < tail.size(); i++) {
      int partition = Lsn.partition(tail.lsn(i));
      if (Lsn.dense(tail.dep(i)) > cut) {
        stopped[partition] = true;
      }
      if (!stopped[partition]) {
        ends[partition] = Lsn.dense(tail.lsn(i));
      }
    }
    return new Cut(cut, boxed(ends), 0);
  }

  /**
   * Returns the cut if all rings are available: the largest LSN seen. A missing LSN was taken by a
   * commit that was killed before it published, so no other transaction has read its writes
   * (docs/protocol.md, R22).
   *
   * @param from dense LSN up to which no record is missing
   * @param announcements of the commits that ran
   * @throws CorruptStoreException if an LSN occurs twice
   * @throws UntrustedRingsException if no announcement explains a missing LSN: then the rings are
   *     not as the commits left them (R26)
   */
  static Cut withRings(long from, LogTail tail, List<Long> announcements, int partitions) {
    long expected = from + 1;
    int holes = 0;
    for (int i = 0; i < tail.size(); i++) {
      long dense = Lsn.dense(tail.lsn(i));
      if (dense < expected) {
        // The checksum of each record covers its position in this generation, so this is not a ring
        // of another opening. A recovery without the rings would discard commits that returned.
        throw new CorruptStoreException(
            SegmentNames.LOG_DIRECTORY,
            -1,
            "LSN "
                + dense
                + " occurs twice, in partition "
                + Lsn.partition(tail.lsn(i))
                + " and at or below LSN "
                + (expected - 1)
                + " in the log or another ring; restore the store from a backup");
      }
      if (dense - expected > announcements.size() - holes) {
        throw new UntrustedRingsException(
            "LSNs from "
                + expected
                + " to "
                + (dense - 1)
                + " are missing, and only "
                + announcements.size()
                + " commits were under way");
      }
      for (; expected < dense; expected++) {
        requireExplained(expected, announcements);
        holes++;
      }
      expected = dense + 1;
      requireSource(tail, i, from);
    }
    return new Cut(expected - 1, boxed(new long[partitions]), holes);
  }

  private static void requireExplained(long hole, List<Long> announcements) {
    for (long announcement : announcements) {
      if (announcement < hole) {
        return;
      }
    }
    throw new UntrustedRingsException(
        "LSN " + hole + " is missing, and no announcement of a commit explains it");
  }

  /** Requires that no record depends on a version that was never released. */
  private static void requireSource(LogTail tail, int index, long from) {
    long dep = tail.dep(index);
    if (Lsn.dense(dep) > from && !tail.contains(dep)) {
      throw new UntrustedRingsException(
          "LSN "
              + Lsn.dense(tail.lsn(index))
              + " depends on LSN "
              + Lsn.dense(dep)
              + ", which is missing");
    }
  }

  private static List<Long> boxed(long[] values) {
    List<Long> list = new ArrayList<>(values.length);
    for (long value : values) {
      list.add(value);
    }
    return list;
  }
}
