package io.howdah.checkpoint.recovery;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One transaction of a test, and what became of it. Its identity is its number. */
final class Commit {

  /** What later openings saw of it. */
  enum Fate {
    /** No opening came after it yet. */
    OPEN,
    /** An opening served it: it must stay. */
    KEPT,
    /** An opening came without it: it must never come back. */
    GONE
  }

  final int number;
  final int lane;

  /** Words of the region to write, the transaction's own cell among them. */
  final Map<Long, Long> writes = new LinkedHashMap<>();

  /** What it read or overwrites, by address; null where nothing was written in this life. */
  final Map<Long, @Nullable Commit> sources = new LinkedHashMap<>();

  int step;
  long lsn;
  long dep;
  long endPosition;
  boolean multipart;
  boolean doomed;
  boolean returned;
  boolean acknowledged;
  Fate fate = Fate.OPEN;

  Commit(int number, int lane) {
    this.number = number;
    this.lane = lane;
  }

  @Override
  public String toString() {
    return "commit "
        + number
        + " (lane "
        + lane
        + ", lsn "
        + lsn
        + ", dep "
        + dep
        + ", "
        + (acknowledged ? "acknowledged" : returned ? "returned" : "step " + step)
        + ", "
        + fate
        + ")";
  }
}
