package io.howdah;

import io.howdah.store.archive.ArchiveIndex;
import java.time.Instant;
import java.util.List;

/** What an archive has. Immutable. */
public final class ArchiveReport {

  private final ArchiveIndex index;
  private final List<String> damages;

  ArchiveReport(ArchiveIndex index, List<String> damages) {
    this.index = index;
    this.damages = List.copyOf(damages);
  }

  /**
   * A range without a gap: the store can be restored as of each of its LSNs.
   *
   * @param run number of the run
   * @param fromLsn the first LSN
   * @param fromTime the first time
   * @param lsn the last LSN
   * @param time the last time
   */
  public record Range(long run, long fromLsn, Instant fromTime, long lsn, Instant time) {}

  /** Returns the id of the store, as text. */
  public String storeId() {
    return index.storeId().toString();
  }

  /** Returns what the store can be restored as of, oldest first. What lies between is missing. */
  public List<Range> ranges() {
    return index.ranges().stream()
        .map(
            range ->
                new Range(
                    range.run(),
                    range.fromLsn(),
                    Instant.ofEpochMilli(range.from().millis()),
                    range.to().lsn(),
                    Instant.ofEpochMilli(range.to().millis())))
        .toList();
  }

  /** Returns the length of all parts. */
  public long bytes() {
    return index.bytes();
  }

  /**
   * Returns what is incomplete, in words: what a crash of the store or of the archive's place has
   * left, a base that is being written, or damage. It is in none of the ranges.
   */
  public List<String> remarks() {
    return index.problems();
  }

  /** Returns what is damaged within the ranges, in words; only if the archive was verified. */
  public List<String> damages() {
    return damages;
  }
}
