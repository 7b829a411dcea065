package io.howdah;

/** A store's figures for JMX; see {@link StoreStats} and {@link CheckpointStats}. */
public interface StoreMXBean {

  /** Returns how many transactions wrote and committed. */
  long getCommits();

  /** Returns how many attempts were aborted, whatever the cause. */
  long getAborts();

  /** Returns the newest LSN. */
  long getLsn();

  /** Returns the newest LSN that survives a power cut, with all before it. */
  long getStableLsn();

  /** Returns how many times commits were forced. */
  long getForces();

  /**
   * Returns whether nothing has become durable for more than five seconds although commits wait for
   * it.
   */
  boolean isStalled();

  /** Returns since when nothing becomes durable, in milliseconds since 1970; 0 if all is well. */
  long getStalledSinceMillis();

  /** Returns why nothing becomes durable and what to do about it; empty if all is well. */
  String getStallReason();

  /** Returns the partition that holds the others back, -1 if it is not one of them. */
  int getStallPartition();

  /** Returns how many checkpoints were taken. */
  long getCheckpoints();

  /** Returns whether a checkpoint is being taken. */
  boolean isCheckpointRunning();

  /**
   * Returns how many words of the last opening's replay are not in memory yet, as far as the log
   * has been read.
   */
  long getReplayWordsLeft();

  /** Returns whether the last opening's replay is done. */
  boolean isReplayDone();

  /** Returns how many bytes of log an opening would read after a crash now. */
  long getReplayBytes();

  /** Returns how many milliseconds that would take. */
  long getExpectedRecoveryMillis();

  /** Returns how many bytes the log's segments take that an opening would need. */
  long getLogBytes();

  /** Returns whether no commit begins because the log is as long as it may get. */
  boolean isCommitsHeld();
}
