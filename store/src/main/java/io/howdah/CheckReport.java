package io.howdah;

import io.howdah.store.open.StoreCheck;
import java.util.List;

/** What a check of a store that nobody has open has found. Immutable. */
public final class CheckReport {

  private final StoreCheck.Found found;

  CheckReport(StoreCheck.Found found) {
    this.found = found;
  }

  /** Returns whether the store was closed, so that nothing is to be replayed. */
  public boolean closed() {
    return found.closed();
  }

  /** Returns the smallest LSN as of which the store can be restored. */
  public long fromLsn() {
    return found.fromLsn();
  }

  /** Returns the newest commit that opening the store would bring back. */
  public long lsn() {
    return found.lsn();
  }

  /**
   * Returns the largest LSN as of which the store can be restored: the newest commit in its log. It
   * is less than {@link #lsn} if the process that had the store was killed, and some commits are in
   * its rings alone.
   */
  public long restorableLsn() {
    return found.logLsn();
  }

  /** Returns how many records opening the store would replay. */
  public long records() {
    return found.records();
  }

  /** Returns how many bytes of log were read and checked. */
  public long logBytes() {
    return found.logBytes();
  }

  /** Returns what an opening would repair or give up, in words; empty if there is nothing. */
  public List<String> remarks() {
    return found.remarks();
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return found.toString().replaceFirst("Found", "CheckReport");
  }
}
