package io.howdah;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the transactions of a run have read and written, and the judgement whether that was
 * serializable and opaque. Each writes its number, which nobody else has, so that a read tells
 * whose write it saw.
 *
 * <p>LSNs give the order of writers, so nothing has to be searched for: a writer must have read the
 * state just before its LSN, and come after all commits that had returned before it began; what
 * only reads, and every attempt that was given up, must have seen one state, no older than when it
 * began. Each read bounds the states in which it is true; the bounds must leave one.
 */
final class RecordedRun {

  /** An attempt of a transaction. Filled by its thread. */
  static final class Attempt {
    private final long number;
    private final long returnedBefore;
    private final Map<Integer, Long> reads = new HashMap<>();
    private final List<Integer> writes = new ArrayList<>();
    private long lsn;

    Attempt(long number, long returnedBefore) {
      this.number = number;
      this.returnedBefore = returnedBefore;
    }

    /** Notes whose write was found in a word, before own writes. */
    void read(int word, long writer) {
      reads.put(word, writer);
    }

    void wrote(int word) {
      writes.add(word);
    }

    /** Notes that it committed. */
    void committed(long value) {
      lsn = value;
    }

    long number() {
      return number;
    }

    private boolean isWriter() {
      return lsn != 0 && !writes.isEmpty();
    }

    @Override
    public String toString() {
      return "attempt " + number + " (LSN " + lsn + ") that read " + reads + ", wrote " + writes;
    }
  }

  private final List<Attempt> attempts;
  private final Map<Long, Attempt> byNumber = new HashMap<>();
  private final Map<Integer, List<Attempt>> writersOf = new HashMap<>();

  RecordedRun(List<Attempt> attempts) {
    this.attempts = attempts;
    attempts.forEach(attempt -> byNumber.put(attempt.number, attempt));
    attempts.stream()
        .filter(Attempt::isWriter)
        .sorted(Comparator.comparingLong(attempt -> attempt.lsn))
        .forEach(
            attempt ->
                attempt.writes.forEach(
                    word -> writersOf.computeIfAbsent(word, _ -> new ArrayList<>()).add(attempt)));
  }

  /** Returns what is wrong, or null. */
  @Nullable String complaint() {
    Map<Long, Attempt> lsns = new HashMap<>();
    for (Attempt attempt : attempts) {
      if (attempt.isWriter()) {
        Attempt other = lsns.put(attempt.lsn, attempt);
        if (other != null) {
          return attempt + " has the LSN of " + other;
        }
      }
      String complaint = complaint(attempt);
      if (complaint != null) {
        return complaint;
      }
    }
    return null;
  }

  private @Nullable String complaint(Attempt attempt) {
    if (attempt.isWriter() && attempt.lsn <= attempt.returnedBefore) {
      return attempt + " began after LSN " + attempt.returnedBefore + " had returned";
    }
    // The states, by the LSN of the last commit in them, in which all its reads are true.
    long first = attempt.isWriter() ? attempt.lsn - 1 : attempt.returnedBefore;
    long last = attempt.isWriter() ? attempt.lsn - 1 : Long.MAX_VALUE;
    for (Map.Entry<Integer, Long> read : attempt.reads.entrySet()) {
      List<Attempt> writers = writersOf.getOrDefault(read.getKey(), List.of());
      int at = -1;
      if (read.getValue() != 0) {
        Attempt writer = byNumber.get(read.getValue());
        at = writer == null || !writer.isWriter() ? -1 : indexOf(writers, writer);
        if (at < 0) {
          return attempt + " read " + read + ", which was never committed";
        }
        first = Math.max(first, writers.get(at).lsn);
      }
      if (at + 1 < writers.size()) {
        last = Math.min(last, writers.get(at + 1).lsn - 1);
      }
    }
    return first <= last ? null : attempt + " saw a state that never was";
  }

  private static int indexOf(List<Attempt> sorted, Attempt writer) {
    int low = 0;
    int high = sorted.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted.get(middle).lsn < writer.lsn) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < sorted.size() && sorted.get(low).number == writer.number ? low : -1;
  }
}
