package io.howdah.log.report;

import java.time.Instant;
import java.util.OptionalInt;

/**
 * A state in which commits wait for the log and nothing becomes durable. It ends when its cause
 * ends. No commit is lost.
 *
 * @param since the last change of the stable LSN, or the begin of the first of these waits;
 *     accurate to a quarter of a second
 * @param reason what the log waits for
 * @param partition the partition whose commit delays all others, if that is the reason
 * @param stableLsn the newest LSN that survives a power cut, with all before it
 * @param newestLsn the largest LSN taken
 */
public record LogStall(
    Instant since, Reason reason, OptionalInt partition, long stableLsn, long newestLsn) {

  /** What the log waits for. */
  public enum Reason {
    /** The file system has no space for a further segment of the log. */
    FILE_SYSTEM_FULL("the file system is full and the log cannot grow: free some space"),

    /** A write or force of the log's current segment has not returned. */
    FORCE("a write or force of the log has not returned: check the disk and the kernel's messages"),

    /** A majority of the replica group has not confirmed what was written. */
    MAJORITY(
        "a majority of the replica group has not confirmed what was written: check the network and the other replicas"),

    /** The next segment of the log is being written and is not ready. */
    SEGMENT("the next segment of the log is not ready: check the disk"),

    /** A commit that has begun has not ended. */
    COMMIT("a commit has begun and not ended: a thread dump shows where its thread is"),

    /** None of these: the thread that forces the log makes no progress. */
    FLUSHER("the thread that forces the log makes no progress: a thread dump shows where it is");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  /** Returns what the log waits for and what to do about it, in one line. */
  public String describe() {
    return partition.isPresent()
        ? reason.text + " (partition " + partition.getAsInt() + ")"
        : reason.text;
  }
}
