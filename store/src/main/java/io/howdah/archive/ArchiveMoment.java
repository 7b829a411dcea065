package io.howdah.archive;

import java.time.Instant;

/** The moment as of which a store is restored from an archive. */
public sealed interface ArchiveMoment {

  /** The newest moment that the archive has. */
  record Latest() implements ArchiveMoment {}

  /**
   * The state after a commit.
   *
   * @param lsn of the last commit that is in the restored store
   */
  record AtLsn(long lsn) implements ArchiveMoment {}

  /**
   * The state at a time of day. The restored store has no commit that was made later. Commits of
   * the last interval of the archive before this time may be missing.
   *
   * @param time by the clock of the machine that had the store open
   */
  record AtTime(Instant time) implements ArchiveMoment {}

  /** Returns the newest moment. */
  static ArchiveMoment latest() {
    return new Latest();
  }

  /** Returns the moment after a commit. */
  static ArchiveMoment atLsn(long lsn) {
    return new AtLsn(lsn);
  }

  /** Returns a time of day. */
  static ArchiveMoment atTime(Instant time) {
    return new AtTime(time);
  }
}
