package io.howdah.collections.expiry;

/** Reclaims what has expired in one map, step by step. Called by one thread at a time. */
public interface ReclaimTask {

  /** What a step has left to do. */
  enum Progress {
    /** The pass goes on. */
    MORE,

    /** The pass through the map has ended. */
    PASS_ENDED,

    /** The map has gone. */
    GONE
  }

  /** Looks at some entries, and reclaims those that have expired. */
  Progress step();

  /**
   * A step has thrown this, so its pass has ended and another will begin. Entries that have expired
   * stay until then, unseen, and take memory.
   *
   * @param isFirst whether the pass before has not failed
   */
  void passFailed(Throwable thrown, boolean isFirst);

  /** Returns how many entries the pass has looked at. */
  long looked();

  /** Returns how many of them it has reclaimed. */
  long reclaimed();

  /** Begins another pass. */
  void begin();

  /**
   * Returns whether an entry has expired since, as far as is known, so that a pass would find
   * something.
   */
  boolean isWorthwhile();

  /** Returns the name of the map, by which a later handle takes the place of this one. */
  String name();
}
