package io.howdah.store.open;

import io.howdah.checkpoint.report.RecoveryReport;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** One opening of a store, with the phases of its recovery. */
@Name("io.howdah.Recovery")
@Label("Recovery")
@Category({"Howdah", "Recovery"})
@StackTrace(false)
final class RecoveryEvent extends Event {

  @Label("Outcome")
  String outcome = "";

  @Label("LSN")
  long lsn;

  @Label("Records")
  long records;

  @Label("Log read")
  @DataAmount
  long scannedBytes;

  @Label("Fold")
  @Timespan
  long fold;

  @Label("Image")
  @Timespan
  long image;

  @Label("Replay")
  @Timespan
  long replay;

  @Label("Log again")
  @Timespan
  long relog;

  @Label("Fence")
  @Timespan
  long fence;

  @Label("Checkpoint")
  @Timespan
  long checkpoint;

  /** Takes the figures over. */
  void take(RecoveryReport report) {
    outcome = report.outcome().toString();
    lsn = report.lsn();
    records = report.counts().records();
    scannedBytes = report.counts().scannedBytes();
    fold = report.durations().fold();
    image = report.durations().image();
    replay = report.durations().replay();
    relog = report.durations().relog();
    fence = report.durations().fence();
    checkpoint = report.durations().checkpoint();
  }
}
