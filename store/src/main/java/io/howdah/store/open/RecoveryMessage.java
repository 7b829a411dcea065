package io.howdah.store.open;

import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import java.util.Locale;
import java.util.Optional;

/** Says in one sentence or two what an opening has found and done that followed no close. */
final class RecoveryMessage {

  private static final double NANOS_PER_MILLI = 1e6;

  private RecoveryMessage() {}

  /** Returns the message, empty if the store had been closed. */
  static Optional<String> of(String store, RecoveryReport report) {
    String found =
        switch (report.outcome()) {
          case RecoveryOutcome.Clean _ -> "";
          case RecoveryOutcome.AfterKill(long lsn, int _) ->
              "the process before has ended without closing it, and the machine ran on: every commit"
                  + " that had returned is there, up to LSN "
                  + lsn
                  + rings(report.rings());
          case RecoveryOutcome.AfterPowerCut(long cut, int _, long discarded, long torn) ->
              "it was not closed"
                  + rings(report.rings())
                  + ", as after a power cut: every commit that was acknowledged as durable is there,"
                  + " up to LSN "
                  + cut
                  + (discarded > 0 ? "; records given up, not acknowledged: " + discarded : "")
                  + (torn > 0 ? "; bytes of a batch that was being written: " + torn : "");
        };
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of("store " + store + " was recovered: " + found + ". " + redone(report));
  }

  private static String rings(RingTrust trust) {
    return switch (trust) {
      case RingTrust.NotNeeded _ -> "";
      case RingTrust.Trusted(long records, long _) -> " (only in rings: " + records + " records)";
      case RingTrust.Untrusted(String reason) -> " and its rings cannot be used (" + reason + ")";
    };
  }

  private static String redone(RecoveryReport report) {
    return String.format(
        Locale.ROOT,
        "Redone: %d records with %d words from %d bytes of log%s%s, in %.1f ms",
        report.counts().records(),
        report.counts().words(),
        report.counts().scannedBytes(),
        report.laterLogBytes() > 0
            ? " (and " + report.laterLogBytes() + " bytes beside the first transactions)"
            : "",
        report.foldedPages() > 0
            ? ", and " + report.foldedPages() + " pages of a checkpoint"
            : report.foldedPages() < 0 ? "; the journal of the last checkpoint is damaged" : "",
        report.durations().total() / NANOS_PER_MILLI);
  }
}
