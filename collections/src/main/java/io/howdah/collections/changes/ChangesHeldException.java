package io.howdah.collections.changes;

import io.howdah.core.HowdahException;
import java.time.Duration;

/**
 * A transaction was not committed, because it changes a map whose change journal holds writers, and
 * the readers of the journal did not release enough changes in time. The transaction has had no
 * effect and may be repeated, once the readers go on. See {@code ChangeJournal.holdingWriters}.
 */
public final class ChangesHeldException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final long released;

  /**
   * Creates one.
   *
   * @param journal what to call the journal in the message
   * @param why it takes no change
   * @param released the last position that was released
   * @param nanos for how long the transaction was to wait at most
   */
  public ChangesHeldException(String journal, String why, long released, long nanos) {
    super(
        journal
            + " takes no change: "
            + why
            + ", and those behind position "
            + released
            + " are not released. The transaction waits "
            + Duration.ofNanos(nanos).toMillis()
            + " ms at most. Let its readers go on, and call Changes.release with what they have"
            + " used; or open the map with a ChangeJournal that does not hold writers");
    this.released = released;
  }

  /** Returns the last position that was released when the transaction ended. */
  public long released() {
    return released;
  }
}
