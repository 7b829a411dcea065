package io.howdah.server.net;

import io.howdah.txn.Durability;
import org.jspecify.annotations.Nullable;

/** What a reply promises. */
public enum ReplyMode {
  /**
   * What was acknowledged survives the end of the process, not that of the machine. The log is
   * forced every 4 ms, every 40 ms after a second without writes, and every 100 ms after a minute.
   */
  ASYNC(null),
  /**
   * As {@link #ASYNC}, but the log is forced at intervals, which spares the disk: {@link
   * ServerOptions#forceInterval}.
   */
  PERIODIC(null),
  /**
   * What was acknowledged, or read, survives a power cut. A reply waits for the log partition of
   * its commit and for what the commit depends on, not for older commits of other connections.
   */
  PARTITION(Durability.PARTITION),
  /** What was acknowledged, or read, survives a power cut, with all commits before it. */
  SYNC(Durability.SYNC),
  /** Nothing survives: the items are in memory only. */
  NONE(null);

  private final @Nullable Durability awaited;

  ReplyMode(@Nullable Durability awaited) {
    this.awaited = awaited;
  }

  /** Returns what replies wait for; null if for nothing. */
  @Nullable Durability awaited() {
    return awaited;
  }
}
