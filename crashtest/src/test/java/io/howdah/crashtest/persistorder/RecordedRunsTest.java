package io.howdah.crashtest.persistorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.persistorder.RecordedRuns.Run;
import io.howdah.crashtest.persistorder.RecordedRuns.Size;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.loc.LocMachine;
import io.howdah.nvmsim.study.loc.LocTrial;
import io.howdah.nvmsim.study.thynvm.Mode;
import io.howdah.nvmsim.study.thynvm.ThyNvmPlan;
import io.howdah.nvmsim.study.thynvm.ThyNvmTrial;
import io.howdah.nvmsim.workload.AccessTrace;
import io.howdah.nvmsim.workload.RecordedTransactions;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs of the store, recorded at its region's words, under the protocols of Loose-Ordering
 * Consistency: docs/nvm-sim-howdah.md has the figures.
 */
final class RecordedRunsTest {
  private static StudyOutcome recordAndRun(Run run) throws IOException {
    LocTrial trial = new LocTrial(LocMachine.HEADLINE, run.toString(), List.of());
    trial.run(run.toString(), record(run, Size.SMALL));
    return trial.outcome();
  }

  private static AccessTrace record(Run run, Size size) throws IOException {
    return RecordedTransactions.read(RecordedRuns.record(run, size).source(), 1);
  }

  private static double value(StudyOutcome outcome, String name, Protocol protocol) {
    return outcome.values().stream()
        .filter(value -> value.name().equals(name))
        .filter(value -> protocol.text().equals(value.params().get("protocol")))
        .mapToDouble(StudyValue::value)
        .findFirst()
        .orElseThrow();
  }

  /** The orders that hold for the simulator's own workloads hold for the store's. */
  @ParameterizedTest
  @EnumSource
  void theProtocolsKeepTheirOrder(Run run) throws IOException {
    StudyOutcome outcome = recordAndRun(run);
    String throughput = "loc.normalizedThroughput";
    assertThat(value(outcome, throughput, Protocol.S_WAL))
        .isLessThan(value(outcome, throughput, Protocol.H_WAL));
    assertThat(value(outcome, throughput, Protocol.H_WAL))
        .isLessThan(value(outcome, throughput, Protocol.EC_WAL));
    assertThat(value(outcome, throughput, Protocol.EC_WAL))
        .isLessThan(value(outcome, throughput, Protocol.LOC_WAL));
    assertThat(value(outcome, throughput, Protocol.LOC_WAL))
        .isLessThan(value(outcome, throughput, Protocol.LOC_KILN));
  }

  private static double thyNvm(StudyOutcome outcome, String name, String system) {
    return outcome.values().stream()
        .filter(value -> value.name().equals(name) && system.equals(value.params().get("system")))
        .mapToDouble(StudyValue::value)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @EnumSource(names = "QUEUE")
  void thyNvmBeatsJournalAndShadowWhereMemoryIsWaitedFor(Run run) throws IOException {
    compareWithJournalAndShadow(run);
  }

  @Tag("campaign")
  @ParameterizedTest
  @EnumSource(names = "MAP")
  void thyNvmBeatsJournalAndShadowForAMapToo(Run run) throws IOException {
    compareWithJournalAndShadow(run);
  }

  @Tag("campaign") // these runs are long
  @ParameterizedTest
  @EnumSource(names = {"BANK", "SIX_WORDS"})
  void soItDoesWhereTheCachesDoNotHoldAll(Run run) throws IOException {
    compareWithJournalAndShadow(run);
  }

  private static void compareWithJournalAndShadow(Run run) throws IOException {
    ThyNvmTrial trial =
        new ThyNvmTrial(new ThyNvmPlan(List.of(Mode.PAPER), 2048, 4096, 10, 1, 1, true));
    trial.run(run.toString(), record(run, Size.LARGE));
    StudyOutcome outcome = trial.outcome();
    String time = "thynvm.trial.overIdealDram";
    double thynvm = thyNvm(outcome, time, "ThyNVM");
    if (run == Run.MAP || run == Run.QUEUE) {
      // The caches hold the map and the queue, so the other systems hardly write; the BTT, of 2048
      // entries, ends ThyNVM's epochs.
      assertThat(thynvm).isBetween(1.0, 1.15);
      return;
    }
    assertThat(thynvm).isLessThan(thyNvm(outcome, time, "Journal"));
    assertThat(thynvm).isLessThan(thyNvm(outcome, time, "Shadow"));
  }

  /** A transaction touches the words of its body and no others: there is no log in the region. */
  @Test
  void aTransferStoresTwoLines() throws IOException {
    StudyOutcome outcome = recordAndRun(Run.BANK);
    // Two lines home, their log blocks, the META line, the record and the head.
    assertThat(value(outcome, "loc.linesPerTransaction", Protocol.H_WAL)).isBetween(6.0, 9.0);
  }
}
