package io.howdah.store.open;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.ForwardingSystem;
import io.howdah.HeardMessages;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The lines of an opening: every part of them, and their order. */
final class OpeningMessagesTest {

  private static final long SECOND = 1_000_000_000;

  @RegisterExtension private final HeardMessages messages = new HeardMessages("io.howdah.store");

  @RegisterExtension
  private final HeardMessages routineMessages =
      new HeardMessages("io.howdah.store.opening", Level.FINE);

  private final OpeningMessages told = new OpeningMessages(Execution.system());

  private static RecoveryReport report(
      RecoveryOutcome outcome, long laterBytes, long folded, long checkpointed, boolean healed) {
    return report(outcome, new MemoryOrigin.Unshared(""), laterBytes, folded, checkpointed, healed);
  }

  private static RecoveryReport report(
      RecoveryOutcome outcome,
      MemoryOrigin memory,
      long laterBytes,
      long folded,
      long checkpointed,
      boolean healed) {
    return new RecoveryReport(
        outcome,
        new RingTrust.Trusted(2, 96),
        memory,
        3,
        40,
        new LogCounts(1, 5, 7, 70, 4096),
        70,
        laterBytes,
        folded,
        checkpointed,
        healed,
        new RecoveryReport.Durations(1, 2, 3, 4, 5, 6));
  }

  private static OpeningFacts facts(RecoveryReport report, boolean replayed) {
    return new OpeningFacts(
        "/s",
        OpeningFacts.Kind.TO_WRITE,
        Backing.MAPPED,
        true,
        report,
        Optional.empty(),
        () -> replayed);
  }

  private static OpeningFacts killed(boolean replayed) {
    return facts(report(new RecoveryOutcome.AfterKill(40, 0), 0, 0, 0, false), replayed);
  }

  @Test
  void theWholeLineOfARecovery() {
    assertThat(OpeningMessage.of(killed(true), 2 * SECOND))
        .isEqualTo(
            "store /s was recovered: the previous process ended without closing it, and the machine"
                + " continued to run: every commit that had returned is there, up to LSN 40 (its"
                + " rings were found, with 2 records in 96 bytes that were nowhere else). Redone: 7"
                + " records with 70 words from 4096 bytes of log; no journal was left to fold. Its"
                + " image is mapped in small pages, and it grows in large ones; ready for the first"
                + " write after 2000.0 ms, with all of its memory recovered");
  }

  @Test
  void whatARecoveryMayHaveDoneBeside() {
    RecoveryReport report =
        report(new RecoveryOutcome.AfterPowerCut(40, 0, 3, 512), 1 << 20, 9, 11, true);
    assertThat(OpeningMessage.of(facts(report, false), SECOND))
        .contains("records given up, not acknowledged: 3")
        .contains("bytes of a batch that was being written: 512")
        .contains("one of the two slots of the superblock was damaged")
        .contains("4096 bytes of log (and 1048576 bytes beside the first transactions)")
        .contains("the journal of a checkpoint was folded, 9 pages")
        .contains("a checkpoint of 11 pages was taken")
        .endsWith("after 1000.0 ms; the rest of its memory is being recovered");
    RecoveryReport damaged = report(new RecoveryOutcome.AfterKill(40, 0), 0, -1, 0, false);
    assertThat(OpeningMessage.of(facts(damaged, true), SECOND))
        .contains("the journal of the last checkpoint is damaged, so the one before it counts");
  }

  @Test
  void memoryThatOutlivesTheProcessIsToldWithTheReason() {
    assertThat(shared(new MemoryOrigin.Attached(3, 1 << 20)))
        .contains(
            "Its memory is that of the process before; commits that were under way and redone: 3;"
                + " bytes of log that were not needed: 1048576; ready for the first write");
    assertThat(shared(new MemoryOrigin.Loaded("there is none")))
        .contains(
            "Its image was loaded into memory that outlives this process (of the process before:"
                + " there is none); ready");
    assertThat(shared(new MemoryOrigin.Unshared("no room")))
        .contains(
            "Its image is mapped in small pages, because its memory cannot outlive this process: no"
                + " room; ready");
  }

  private static String shared(MemoryOrigin memory) {
    return OpeningMessage.of(
        new OpeningFacts(
            "/s",
            OpeningFacts.Kind.TO_WRITE,
            Backing.SHARED,
            false,
            report(new RecoveryOutcome.AfterKill(40, 0), memory, 0, 0, 0, false),
            Optional.empty(),
            () -> true),
        SECOND);
  }

  @Test
  void ringsOnDiskAreToldWithTheReason() {
    OpeningFacts facts =
        new OpeningFacts(
            "/s",
            OpeningFacts.Kind.NEW,
            Backing.RESIDENT,
            true,
            report(new RecoveryOutcome.Clean(), 0, 0, 0, false),
            Optional.of("no tmpfs is available"),
            () -> true);
    assertThat(OpeningMessage.of(facts, SECOND))
        .startsWith("store /s was created. Its image was loaded into large pages; ready")
        .contains("Its rings are in its directory, because no tmpfs is available; what this");
    assertThat(OpeningMessage.isRoutine(facts)).isFalse();
  }

  @Test
  void aRecoveryThatEndsLaterIsToldByASecondLine() throws Exception {
    told.opened(killed(false));
    told.write();
    assertThat(messages.next().getMessage()).endsWith("the rest of its memory is being recovered");
    told.replayed(70, 2);
    assertThat(messages.next().getMessage())
        .matches(
            "store /s: all of its memory is recovered after \\d+\\.\\d ms; 70 words of the log came"
                + " into memory after it opened; transactions needed 2 parts before their turn");
    assertThat(messages.rest()).isEmpty();
  }

  @Test
  void theSecondLineFollowsTheFirst() throws Exception {
    told.opened(killed(false));
    told.replayed(70, 2);
    assertThat(messages.rest()).isEmpty();
    told.write();
    assertThat(messages.next().getMessage()).contains("was recovered");
    assertThat(messages.next().getMessage()).contains("all of its memory is recovered");
  }

  @Test
  void aRecoveryThatHasEndedIsToldByOneLine() throws Exception {
    told.replayed(70, 2);
    told.opened(killed(true));
    told.write();
    assertThat(messages.next().getMessage()).endsWith("with all of its memory recovered");
    assertThat(messages.rest()).isEmpty();
  }

  /** The program's logging, which it may start, is then not in the way of first transactions. */
  @Test
  void aRoutineOpeningIsToldHalfASecondLater() throws Exception {
    AtomicLong now = new AtomicLong();
    AtomicReference<Runnable> message = new AtomicReference<>();
    OpeningMessages routine =
        new OpeningMessages(
            new ForwardingSystem() {
              @Override
              public long nanoTime() {
                return now.get();
              }

              @Override
              public void parkNanos(Object blocker, long nanos) {
                assertThat(routineMessages.rest()).as("before the time").isEmpty();
                now.addAndGet(Math.max(1, nanos / 2)); // parks may end early
              }

              @Override
              public Thread start(String name, Runnable body) {
                message.set(body);
                return Thread.currentThread();
              }
            });
    RecoveryReport closed =
        new RecoveryReport(
            new RecoveryOutcome.Clean(),
            new RingTrust.NotNeeded(),
            new MemoryOrigin.Unshared(""),
            3,
            40,
            LogCounts.NONE,
            0,
            0,
            0,
            0,
            false,
            new RecoveryReport.Durations(1, 2, 3, 4, 5, 6));
    routine.opened(facts(closed, true));
    routine.write();
    requireNonNull(message.get()).run();
    assertThat(now).hasValueGreaterThanOrEqualTo(SECOND / 2);
    assertThat(routineMessages.next().getMessage()).contains("ready for the first write after");
  }

  @Test
  void aFailedOpeningTellsNothing() {
    told.write();
    assertThat(messages.rest()).isEmpty();
  }
}
