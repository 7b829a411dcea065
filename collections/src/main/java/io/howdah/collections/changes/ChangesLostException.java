package io.howdah.collections.changes;

import io.howdah.core.HowdahException;

/**
 * Changes behind a position are no longer in the journal: the reader was slower than the journal is
 * long. What the map holds now must be read from the map; then go on behind {@link Changes#newest},
 * read in the same transaction.
 */
public final class ChangesLostException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final long position;
  private final long oldest;

  /**
   * Creates one.
   *
   * @param journal what to call the journal in the message
   * @param position behind which changes were to be read
   * @param oldest the oldest position behind which there are all changes
   */
  public ChangesLostException(String journal, long position, long oldest) {
    super(
        journal
            + " has the changes behind position "
            + oldest
            + " only, and those behind "
            + position
            + " were requested; read the map as it is, and continue behind its newest change, or keep more changes by ChangeJournal.keeping");
    this.position = position;
    this.oldest = oldest;
  }

  /** Returns the position behind which changes were to be read. */
  public long position() {
    return position;
  }

  /** Returns the oldest position behind which the journal has all changes. */
  public long oldest() {
    return oldest;
  }
}
