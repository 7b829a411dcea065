package io.howdah.log.flush;

import io.howdah.core.engine.NoAction;
import io.howdah.core.report.FlightRecording;
import io.howdah.log.commit.CommitLanes;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the length of the log. At the maximum length, commits are blocked until a checkpoint has
 * freed segments. Running commits complete and the flusher forces them, so a checkpoint can
 * complete (docs/checkpoint.md, section 6). Owned by the flusher's thread, except for the counter.
 */
public final class LogLimit {

  private final LongSupplier retainedBytes;
  private final CommitLanes lanes;
  private final long maxBytes;

  private @Nullable LogBlockEvent event;
  private boolean blocked;
  private volatile Runnable whenBlocked = NoAction.NONE;
  private final AtomicLong timesBlocked = new AtomicLong();

  /**
   * Creates the limit of a log.
   *
   * @param retainedBytes returns the length of the log, in bytes; called in each round
   */
  public LogLimit(LongSupplier retainedBytes, CommitLanes lanes, long maxBytes) {
    this.retainedBytes = retainedBytes;
    this.lanes = lanes;
    this.maxBytes = maxBytes;
  }

  /** Blocks or unblocks commits according to the length of the log; called once in a round. */
  void check() {
    boolean over = retainedBytes.getAsLong() >= maxBytes;
    // After the first time, in every round: an irrevocable transaction that leaves the gate may
    // have set it according to the former state.
    if (over || timesBlocked.get() > 0) {
      lanes.block(over);
    }
    if (over && !blocked) {
      timesBlocked.incrementAndGet();
      event = FlightRecording.isOn() ? new LogBlockEvent() : null;
      if (event != null) {
        event.begin();
      }
      whenBlocked.run();
    } else if (blocked && !over) {
      end();
    }
    blocked = over;
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
    if (blocked) {
      end();
    }
  }

  /** Returns the number of times that commits were blocked. Any thread. */
  public long timesBlocked() {
    return timesBlocked.get();
  }

  /** Returns the maximum length, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }
}
