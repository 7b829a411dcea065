package io.howdah.nvmsim.queue;

/**
 * Places in the queue programs where a persist barrier may stand. Numbers are Algorithm 1's lines.
 */
public enum BarrierPoint {
  /** Before each lock is taken (3). */
  BEFORE_LOCK,
  /** After each lock is taken (5). */
  AFTER_LOCK,
  /** Between the copy of the record and what follows it; the listing has none here. */
  AFTER_COPY,
  /** Before the head is persisted (8, 27). */
  BEFORE_HEAD,
  /** After the head is persisted; the listing of the two-lock queue has none here. */
  AFTER_HEAD,
  /** Before each lock is released (11). */
  BEFORE_UNLOCK,
  /** After each lock is released (13). */
  AFTER_UNLOCK,
  /**
   * Checked queues: between reading the tail and overwriting the slots it freed, and between
   * reading the head and persisting the tail.
   */
  AROUND_TAIL
}
