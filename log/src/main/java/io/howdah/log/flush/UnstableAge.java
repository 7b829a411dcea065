package io.howdah.log.flush;

import org.jspecify.annotations.Nullable;

/**
 * The age of the oldest commit that is not stable. No commit notes its time. Instead a thread notes
 * the newest LSN from time to time: if that is not stable, the oldest commit that is not stable was
 * at least as old by then. The result is a lower bound. It is too low by at most the distance of
 * two notes, which is that of the calls for recent notes, and grows with their age, since at most
 * {@value #NOTES} are kept.
 *
 * <p>One thread calls {@link #note}, any thread {@link #nanos}.
 */
final class UnstableAge {

  static final int NOTES = 64;

  private final long[] lsns = new long[NOTES];
  private final long[] times = new long[NOTES];
  private int count;

  private volatile @Nullable Oldest oldest;

  /** At a time, the newest LSN was this one. */
  private record Oldest(long lsn, long nanos) {}

  /**
   * Notes the newest LSN, and forgets the notes of LSNs that are stable.
   *
   * @param stable read before {@code newest}
   */
  void note(long stable, long newest, long nanos) {
    int kept = 0;
    while (kept < count && lsns[kept] <= stable) {
      kept++;
    }
    if (kept > 0) {
      count -= kept;
      System.arraycopy(lsns, kept, lsns, 0, count);
      System.arraycopy(times, kept, times, 0, count);
    }
    if (newest > stable && (count == 0 || newest > lsns[count - 1])) {
      if (count == NOTES) {
        forgetEverySecond();
      }
      lsns[count] = newest;
      times[count] = nanos;
      count++;
    }
    Oldest known = oldest;
    if (count == 0) {
      oldest = null;
    } else if (known == null || known.lsn != lsns[0]) {
      oldest = new Oldest(lsns[0], times[0]);
    }
  }

  /** Keeps the oldest note, which has the result, and the newest. */
  private void forgetEverySecond() {
    for (int i = 1; i < NOTES / 2; i++) {
      lsns[i] = lsns[2 * i];
      times[i] = times[2 * i];
    }
    count = NOTES / 2;
  }

  /**
   * Returns for how long at least the oldest commit that is not stable has not been; 0 if all are,
   * or none was noted.
   */
  long nanos(long stable, long now) {
    Oldest known = oldest;
    return known == null || stable >= known.lsn ? 0 : Math.max(0, now - known.nanos);
  }
}
