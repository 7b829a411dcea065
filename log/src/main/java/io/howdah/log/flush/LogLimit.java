package io.howdah.log.flush;

import io.howdah.core.report.FlightRecording;
import io.howdah.log.commit.CommitLanes;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the log where checkpoints do not keep up: at its maximum length no commit begins until a
 * checkpoint has freed segments. Commits under way finish and the flusher forces all of them, so a
 * checkpoint can complete (docs/checkpoint.md, section 6). Owned by the flusher's thread, except
 * for the counter.
 */
public final class LogLimit {

  private final SegmentHistory history;
  private final CommitLanes lanes;
  private final long maxBytes;

  private @Nullable LogHoldEvent event;
  private boolean held;
  private volatile Runnable whenBlocked = () -> {};
  private final AtomicLong timesBlocked = new AtomicLong();

  public LogLimit(SegmentHistory history, CommitLanes lanes, long maxBytes) {
    this.history = history;
    this.lanes = lanes;
    this.maxBytes = maxBytes;
  }

  /** Closes or opens the gate according to the length of the log; called once in a round. */
  void check() {
    boolean over = history.bytes() >= maxBytes;
    // After the first time, in every round: a transaction that leaves the gate may have read an old
    // state.
    if (over || timesBlocked.get() > 0) {
      lanes.block(over);
    }
    if (over && !held) {
      timesBlocked.incrementAndGet();
      event = FlightRecording.isOn() ? new LogHoldEvent() : null;
      if (event != null) {
        event.begin();
      }
      whenBlocked.run();
    } else if (held && !over) {
      end();
    }
    held = over;
  }

  private void end() {
    if (event != null) {
      event.end();
      if (event.shouldCommit()) {
        event.limit = maxBytes;
        event.commit();
      }
    }
    event = null;
  }

  /** Sets an action that the flusher's thread runs when commits are blocked. Any thread. */
  public void whenBlocked(Runnable action) {
    whenBlocked = action;
  }

  /** Ends the current event; called when the flusher ends. */
  void close() {
    if (held) {
      end();
    }
  }

  /** Returns how often commits were blocked. Any thread. */
  public long timesBlocked() {
    return timesBlocked.get();
  }

  /** Returns the maximum length, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }
}
