package io.howdah.checkpoint;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A checkpoint of an open store, with its phases. */
@Name("io.howdah.Checkpoint")
@Label("Checkpoint")
@Category({"Howdah", "Checkpoint"})
@StackTrace(false)
final class CheckpointEvent extends Event {

  @Label("Sequence")
  long sequence;

  @Label("Replay above LSN")
  long lsn;

  @Label("Dirty pages")
  long dirtyPages;

  @Label("Written")
  @DataAmount
  long bytes;

  @Label("Drain")
  @Timespan
  long drain;

  @Label("Copy and journal")
  @Timespan
  long copy;

  @Label("Wait for the log")
  @Timespan
  long stable;

  @Label("Fold")
  @Timespan
  long fold;

  @Label("Rest")
  @Timespan
  long rest;

  /** Takes the figures over. */
  void take(CheckpointResult result) {
    sequence = result.sequence();
    lsn = result.lsn();
    dirtyPages = result.dirtyPages();
    bytes = result.writtenBytes();
    drain = result.drainNanos();
    copy = result.copyNanos();
    stable = result.stableNanos();
    fold = result.foldNanos();
    rest = result.restNanos();
  }
}
