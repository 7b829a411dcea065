package io.howdah.server.net;

/** What a reply promises. */
public enum ReplyMode {
  /** What was acknowledged survives the end of the process, not that of the machine. */
  ASYNC,
  /** What was acknowledged, or read, survives a power cut. */
  SYNC,
  /** Nothing survives: the items are in memory only. */
  NONE
}
