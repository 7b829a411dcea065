package io.howdah.log.flush;

import io.howdah.log.commit.CommitLanes;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps the log from growing without bound where checkpoints do not keep up: from a length on no
 * commit begins until some of the log was given back. Commits under way end, and the flusher forces
 * all there is, so a checkpoint finds what it needs (docs/checkpoint.md, section 6). Owned by the
 * flusher's thread, but for what it counts.
 */
public final class LogLimit {

  private final SegmentHistory history;
  private final CommitLanes lanes;
  private final long maxBytes;

  private LogHoldEvent event = new LogHoldEvent();
  private boolean held;
  private volatile Runnable whenBlocked = () -> {};
  private final AtomicLong timesBlocked = new AtomicLong();

  public LogLimit(SegmentHistory history, CommitLanes lanes, long maxBytes) {
    this.history = history;
    this.lanes = lanes;
    this.maxBytes = maxBytes;
  }

  /** Closes or opens the gate as the length of the log demands; once in a round. */
  void check() {
    boolean over = history.bytes() >= maxBytes;
    // Once it was held, in every round: who leaves the gate may have looked long before.
    if (over || timesBlocked.get() > 0) {
      lanes.block(over);
    }
    if (over && !held) {
      timesBlocked.incrementAndGet();
      event.begin();
      whenBlocked.run();
    } else if (held && !over) {
      end();
    }
    held = over;
  }

  private void end() {
    event.end();
    if (event.shouldCommit()) {
      event.limit = maxBytes;
      event.commit();
    }
    event = new LogHoldEvent();
  }

  /** Has something called, by the flusher's thread, when commits are held. Any thread. */
  public void whenBlocked(Runnable action) {
    whenBlocked = action;
  }

  /** Ends with the flusher. */
  void close() {
    if (held) {
      end();
    }
  }

  /** Returns how often commits were held. Any thread. */
  public long timesBlocked() {
    return timesBlocked.get();
  }

  /** Returns the length. */
  public long maxBytes() {
    return maxBytes;
  }
}
