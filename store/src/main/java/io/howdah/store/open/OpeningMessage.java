package io.howdah.store.open;

import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;

/**
 * The line in which an opening says what it has found and done. Plain tests and sums, no patterns
 * and formats: the JVM makes classes for these when they are first used, and a new JVM would wait.
 */
final class OpeningMessage {

  private static final long NANOS_PER_TENTH = 100_000;

  private OpeningMessage() {}

  /**
   * Returns the line.
   *
   * @param nanos from the begin of the opening until the store served
   */
  static String of(OpeningFacts facts, long nanos) {
    String ready = memory(facts) + "; ready for the first " + access(facts) + millis(nanos);
    String begin = "store " + facts.store();
    if (facts.kind() == OpeningFacts.Kind.NEW) {
      return begin + " was created. " + ready + rings(facts);
    }
    String found = begin + opened(facts) + found(facts) + repaired(facts.report());
    return isRecovery(facts)
        ? found + redone(facts) + ready + rest(facts) + rings(facts)
        : found + ". " + ready + rings(facts);
  }

  /** Returns the line that follows once the words are in memory that were not when it served. */
  static String replayed(String store, long words, long chunksOnDemand, long nanos) {
    return "store "
        + store
        + ": all of its memory is recovered"
        + millis(nanos)
        + "; "
        + words
        + " words of the log came into memory after it opened; transactions needed "
        + chunksOnDemand
        + " parts before their turn";
  }

  /** Returns whether an opening followed no close, so that it read the log. */
  static boolean isRecovery(OpeningFacts facts) {
    RecoveryReport report = facts.report();
    return !(report.outcome() instanceof RecoveryOutcome.Clean)
        || report.counts().scannedBytes() > 0
        || report.laterLogBytes() > 0;
  }

  /** Returns whether nothing of an opening needs attention: the store is new or was closed. */
  static boolean isRoutine(OpeningFacts facts) {
    return !isRecovery(facts)
        && !facts.report().healedSuperblock()
        && facts.ringsOnDisk().isEmpty();
  }

  private static String opened(OpeningFacts facts) {
    if (facts.kind() == OpeningFacts.Kind.TO_READ) {
      return isRecovery(facts)
          ? " was recovered in memory for reading, and no file was changed: "
          : " was opened for reading: ";
    }
    return isRecovery(facts) ? " was recovered: " : " was opened: ";
  }

  private static String found(OpeningFacts facts) {
    RecoveryReport report = facts.report();
    RecoveryOutcome outcome = report.outcome();
    if (outcome instanceof RecoveryOutcome.AfterKill kill) {
      return "the previous process ended without closing it, and the machine continued to run: every commit that had returned is there, up to LSN "
          + kill.lsn()
          + trust(report.rings());
    }
    if (outcome instanceof RecoveryOutcome.AfterPowerCut cut) {
      return "it was not closed"
          + trust(report.rings())
          + ", as after a power cut: every commit that was acknowledged as durable is there, up"
          + " to LSN "
          + cut.cut()
          + (cut.discardedRecords() > 0
              ? "; records given up, not acknowledged: " + cut.discardedRecords()
              : "")
          + (cut.tornBytes() > 0
              ? "; bytes of a batch that was being written: " + cut.tornBytes()
              : "");
    }
    return isRecovery(facts)
        ? "the opening before has accepted no commit, or was closed without a checkpoint, and"
            + " every commit that survived then is there, up to LSN "
            + report.lsn()
        : "it had been closed, at LSN " + report.lsn();
  }

  private static String trust(RingTrust trust) {
    if (trust instanceof RingTrust.Trusted trusted) {
      return " (its rings were found, with "
          + trusted.records()
          + " records in "
          + trusted.bytes()
          + " bytes that were nowhere else)";
    }
    return trust instanceof RingTrust.Untrusted untrusted
        ? " and its rings cannot be used (" + untrusted.reason() + ")"
        : "";
  }

  private static String repaired(RecoveryReport report) {
    return report.healedSuperblock()
        ? "; one of the two slots of the superblock was damaged, and the other one counts"
        : "";
  }

  private static String redone(OpeningFacts facts) {
    RecoveryReport report = facts.report();
    return ". Redone: "
        + report.counts().records()
        + " records with "
        + report.counts().words()
        + " words from "
        + report.counts().scannedBytes()
        + " bytes of log"
        + (report.laterLogBytes() > 0
            ? " (and " + report.laterLogBytes() + " bytes beside the first transactions)"
            : "")
        + journal(report.foldedPages())
        + (report.checkpointedPages() > 0
            ? "; a checkpoint of " + report.checkpointedPages() + " pages was taken"
            : "")
        + ". ";
  }

  private static String journal(long foldedPages) {
    if (foldedPages < 0) {
      return "; the journal of the last checkpoint is damaged, so the one before it counts";
    }
    return foldedPages == 0
        ? "; no journal was left to fold"
        : "; the journal of a checkpoint was folded, " + foldedPages + " pages";
  }

  private static String memory(OpeningFacts facts) {
    return switch (facts.backing()) {
      case Backing.MAPPED -> mapped(facts);
      case Backing.SHARED, Backing.AUTO -> shared(facts);
      case Backing.RESIDENT ->
          "Its image was loaded into " + (facts.largePages() ? "large" : "small") + " pages";
    };
  }

  private static String mapped(OpeningFacts facts) {
    return "Its image is mapped in small pages"
        + (facts.largePages() ? ", and it grows in large ones" : "");
  }

  private static String shared(OpeningFacts facts) {
    MemoryOrigin memory = facts.report().memory();
    if (memory instanceof MemoryOrigin.Attached attached) {
      return "Its memory is that of the process before; commits that were under way and redone: "
          + attached.redoneRecords()
          + "; bytes of log that were not needed: "
          + attached.skippedLogBytes();
    }
    if (memory instanceof MemoryOrigin.Loaded loaded) {
      return "Its image was loaded into memory that outlives this process (of the process before: "
          + loaded.reason()
          + ")";
    }
    return memory instanceof MemoryOrigin.Unshared unshared && !unshared.reason().isEmpty()
        ? mapped(facts) + ", because its memory cannot outlive this process: " + unshared.reason()
        : mapped(facts);
  }

  private static String access(OpeningFacts facts) {
    return facts.kind() == OpeningFacts.Kind.TO_READ ? "read" : "write";
  }

  /** Returns when, since the begin of the opening. */
  private static String millis(long nanos) {
    long tenths = (nanos + NANOS_PER_TENTH / 2) / NANOS_PER_TENTH;
    return " after " + tenths / 10 + "." + tenths % 10 + " ms";
  }

  private static String rest(OpeningFacts facts) {
    return facts.replayed().getAsBoolean()
        ? ", with all of its memory recovered"
        : "; the rest of its memory is being recovered";
  }

  private static String rings(OpeningFacts facts) {
    return facts.ringsOnDisk().isPresent()
        ? ". Its rings are in its directory, because "
            + facts.ringsOnDisk().get()
            + "; what this changes: docs/durability.md, What a store leaves in /dev/shm"
        : "";
  }
}
