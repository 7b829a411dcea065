package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.log.flush.SegmentNames;
import org.jspecify.annotations.Nullable;

/**
 * Holds a log to a {@link LogShortcut}: the chain of batches must lead through the batch that the
 * shortcut names as its last. Since each batch carries the checksum of the one before, the log is
 * then the one of which the shortcut tells, from its first batch to this one.
 */
final class ShortcutProof {

  private final @Nullable LogShortcut shortcut;
  private boolean seen;

  /** Creates one; without a shortcut there is nothing to prove. */
  ShortcutProof(@Nullable LogShortcut shortcut) {
    this.shortcut = shortcut;
  }

  /** Looks at the next batch of a generation's chain. */
  void see(long generation, Batch batch) {
    LogShortcut expected = shortcut;
    if (expected == null
        || generation != expected.generation()
        || batch.sequence != expected.lastBatch().sequence()) {
      return;
    }
    if (batch.crc != expected.lastBatch().crc()) {
      throw contradicted("has another checksum");
    }
    // The batch of LSN imageLsn has a bound of at least that, and bounds do not fall.
    if (batch.lsnBound < expected.imageLsn()) {
      throw contradicted("holds LSNs up to " + batch.lsnBound + " only");
    }
    seen = true;
  }

  /**
   * Requires, at the end of a generation's chain, that the batch was there.
   *
   * @throws CorruptStoreException if it was not
   */
  void requireSeen(long generation) {
    if (shortcut != null && generation == shortcut.generation() && !seen) {
      throw contradicted("is missing");
    }
  }

  private CorruptStoreException contradicted(String how) {
    return new CorruptStoreException(
        SegmentNames.DIRECTORY,
        -1,
        "a batch that a summary of the log names " + how + ": " + shortcut);
  }
}
