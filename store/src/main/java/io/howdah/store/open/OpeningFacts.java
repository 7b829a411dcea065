package io.howdah.store.open;

import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What an opening found and did.
 *
 * @param store name of the store for messages
 * @param kind of the opening
 * @param backing of the region
 * @param largePages whether memory that no file backs is asked for in large pages
 * @param report of the recovery
 * @param ringsOnDisk why the rings of this opening are files of the store's directory; empty if
 *     they are in memory, or if there are none
 * @param replayed asks whether every word of the log is in memory by now
 */
public record OpeningFacts(
    String store,
    Kind kind,
    Backing backing,
    boolean largePages,
    RecoveryReport report,
    Optional<String> ringsOnDisk,
    BooleanSupplier replayed) {

  /** What was opened, and for what. */
  public enum Kind {
    /** A store that this opening has created. */
    NEW,
    /** A store that existed, for reading and writing. */
    TO_WRITE,
    /** A store that existed, for reading only: no file changes. */
    TO_READ
  }
}
