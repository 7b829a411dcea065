package io.howdah;

import io.howdah.store.archive.ArchiveState;
import java.time.Instant;
import java.util.Optional;

/** How far the archive of an open store is. Immutable. */
public final class ArchiveStatus {

  private final ArchiveState state;

  ArchiveStatus(ArchiveState state) {
    this.state = state;
  }

  /** Returns the LSN up to which every commit is durable in the archive; 0 if none is yet. */
  public long lsn() {
    return state.lsn();
  }

  /** Returns the time of that moment; empty before the first one. */
  public Optional<Instant> time() {
    return state.millis() == 0
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(state.millis()));
  }

  /**
   * Returns whether the store can be restored as of {@link #lsn}. It cannot while the base is
   * written to which the log belongs; the moments of older bases can.
   */
  public boolean restorable() {
    return state.restorable();
  }

  /**
   * Returns how often the archive has begun again since the store was opened, because the log was
   * reused before it was copied. The moments between are missing.
   */
  public long gaps() {
    return Math.max(0, state.runs() - 1);
  }

  /** Returns how many bases were completed since the store was opened. */
  public long bases() {
    return state.bases();
  }

  /** Returns how many bytes of log and bases were written since the store was opened. */
  public long writtenBytes() {
    return state.writtenBytes();
  }

  /** Returns how many attempts have failed since the last one that succeeded. */
  public long failedAttempts() {
    return state.failures();
  }

  /** Returns what the last of these has failed of. */
  public Optional<String> problem() {
    return Optional.ofNullable(state.problem());
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return state.toString().replaceFirst("ArchiveState", "ArchiveStatus");
  }
}
