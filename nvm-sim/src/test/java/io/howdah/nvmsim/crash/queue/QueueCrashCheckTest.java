package io.howdah.nvmsim.crash.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.crash.ScheduleText;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Outcome;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Setup;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.BarrierPoint;
import io.howdah.nvmsim.queue.QueueSpec;
import java.math.BigInteger;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueCrashCheckTest {
  /** A part of what the campaign below shows of every model and barrier. */
  @ParameterizedTest
  @ValueSource(strings = {"CWL", "2LC-listed", "2LC-paper", "2LC-fenced", "2LC-repaired"})
  void aQueueHoldsUnderEpochsIfExpectedAndBreaksWithoutANeededBarrier(String queue) {
    CrashSubject subject = CrashSubject.of(queue, "epoch");
    Outcome whole = everySchedule(subject);
    assertThat(whole.held()).isEqualTo(subject.expectedSafe());
    assertThat(whole.complete() || !whole.held()).isTrue();
    if (queue.equals("CWL") || queue.equals("2LC-repaired")) {
      assertThat(subject.neededBarriers()).isNotEmpty();
      for (BarrierPoint needed : subject.neededBarriers()) {
        CrashSubject without = subject.with(subject.program().without(needed));
        assertThat(everySchedule(without).held()).as("without %s", needed).isFalse();
      }
    }
  }

  private static Outcome everySchedule(CrashSubject subject) {
    // One thread inserts twice where barriers between its inserts count.
    int inserts = subject.queue().equals("CWL") ? 3 : 2;
    Setup setup = Setup.of(subject.program().withCapacity(CrashCampaign.CAPACITY), 2, inserts);
    return check(setup, subject.persistency()).everySchedule(CrashCampaign.MAX_RUNS).getFirst();
  }

  @Tag("campaign")
  @Test
  void queuesHoldOrBreakAsExpectedAndNeededBarriersAreNeeded() {
    CrashCampaign.Findings findings = new CrashCampaign((_, _) -> {}).run();
    assertThat(findings.rows()).hasSize(36).allMatch(CrashCampaign.Row::asExpected);
    assertThat(findings.trials()).allMatch(BarrierTrial::asExpected);
    assertThat(findings.trials())
        .extracting(BarrierTrial::verdict)
        .contains(BarrierTrial.Verdict.values());
    assertThat(findings.rows())
        .filteredOn(row -> !row.outcome().held())
        .extracting(row -> row.subject().queue())
        .containsOnly("2LC-listed", "2LC-paper", "2LC-fenced", "2LC-repaired");
  }

  @Test
  void pruningLeavesFewOfManyStates() {
    Setup setup = Setup.of(QueueSpec.cwl().withCapacity(4), 2, 2);
    Outcome outcome = check(setup, Models.STRAND).everySchedule(CrashCampaign.MAX_RUNS).getFirst();
    assertThat(outcome.held()).isTrue();
    assertThat(outcome.complete()).isTrue();
    // Per order of the two inserts: 2^26 subsets of both records' words while the head is 0,
    // 2^13 of the second's once it covers the first, and the end.
    assertThat(outcome.states().value())
        .isEqualTo(BigInteger.valueOf(2L * ((1 << 26) + (1 << 13) + 1)));
    assertThat(outcome.recoveries()).isEqualTo(6);
  }

  @Test
  void witnessReplaysToTheSameDamage() {
    Setup setup = Setup.of(QueueSpec.twoLockListed().withCapacity(4), 2, 2);
    CrashWitness witness =
        new QueueCrashCheck(setup, List.of(Models.EPOCH), true, _ -> {})
            .everySchedule(CrashCampaign.MAX_RUNS)
            .getFirst()
            .witness();
    assertThat(witness).isNotNull();
    assertThat(witness.violations()).anyMatch(v -> v.contains("torn or was never written"));
    assertThat(witness.details()).anyMatch(line -> line.startsWith("lost "));
    byte[] schedule = ScheduleText.parse(witness.schedule());
    CrashWitness again = QueueCrashCheck.replay(setup, Models.EPOCH, schedule, witness.durable());
    assertThat(again.violations()).isEqualTo(witness.violations());
    assertThat(again.recovered()).isEqualTo(witness.recovered());
    assertThat(again.details()).isEqualTo(witness.details());
    // Strict persistency does not leave that cut: the copy comes before the flag and the head.
    assertThatThrownBy(
            () -> QueueCrashCheck.replay(setup, Models.STRICT, schedule, witness.durable()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no failure leaves");
    assertThatThrownBy(
            () ->
                QueueCrashCheck.replay(
                    setup, Models.EPOCH, schedule, BitSet.valueOf(new long[] {1L << 60})))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void someDamageTakesThreeThreads() {
    // With two, whoever pops the other's record finds the list empty and locks it, and the barrier
    // before that lock stands in for the two that are gone.
    QueueSpec mutant =
        QueueSpec.twoLockFenced()
            .without(BarrierPoint.BEFORE_HEAD)
            .without(BarrierPoint.AFTER_LOCK)
            .withCapacity(8);
    Outcome two =
        check(Setup.of(mutant, 2, 2), Models.EPOCH)
            .everySchedule(CrashCampaign.MAX_RUNS)
            .getFirst();
    assertThat(two.complete()).isTrue();
    assertThat(two.held()).isTrue();
    Outcome three = check(Setup.of(mutant, 3, 3), Models.EPOCH).randomSchedules(1, 300).getFirst();
    assertThat(three.held()).isFalse();
  }

  @Test
  void largerRunsHoldUnderRandomSchedules() {
    for (QueueSpec queue : List.of(QueueSpec.cwl(), QueueSpec.twoLockRepaired())) {
      Setup setup = Setup.of(queue.withCapacity(16), 3, 9);
      List<Outcome> outcomes =
          new QueueCrashCheck(
                  setup, List.of(Models.STRICT, Models.EPOCH, Models.STRAND), false, _ -> {})
              .randomSchedules(7, 30);
      assertThat(outcomes).allMatch(Outcome::held).noneMatch(Outcome::complete);
    }
  }

  @Test
  void largerAtomicPersistsAndCoalescingKeepTheQueueSafe() {
    for (int granularity : new int[] {8, 64, 256}) {
      AnalysisOptions options = AnalysisOptions.DEFAULT.withGranularity(granularity, 8);
      Setup setup = new Setup(QueueSpec.cwl().withCapacity(4), 2, 3, 0, options, granularity > 8);
      List<Outcome> outcomes =
          new QueueCrashCheck(setup, Models.all(), false, _ -> {}).everySchedule(100_000);
      assertThat(outcomes).allMatch(Outcome::held).allMatch(Outcome::complete);
    }
  }

  @Test
  void coalescingAllowsFewerStates() {
    Setup words = Setup.of(QueueSpec.cwl().withCapacity(4), 1, 2);
    Setup lines =
        new Setup(words.queue(), 1, 2, 0, AnalysisOptions.DEFAULT.withGranularity(64, 8), true);
    BigInteger many = check(words, Models.EPOCH).everySchedule(10).getFirst().states().value();
    BigInteger few = check(lines, Models.EPOCH).everySchedule(10).getFirst().states().value();
    assertThat(few).isLessThan(many);
  }

  @Test
  void wrongSetupsAreRefused() {
    assertThatThrownBy(() -> Setup.of(QueueSpec.cwl(), 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("threads must be 1 to 16");
    assertThatThrownBy(() -> new Setup(QueueSpec.cwl(), 1, 1, 1, AnalysisOptions.DEFAULT, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("only a checked queue");
    assertThatThrownBy(() -> CrashSubject.of("CWL", "sequential"))
        .hasMessageContaining("no model \"sequential\", there are [strict");
    assertThatThrownBy(() -> CrashSubject.of("LIFO", "strict"))
        .hasMessageContaining("no queue \"LIFO\", there are [CWL");
    assertThatThrownBy(() -> ScheduleText.parse("0x3,1y4"))
        .hasMessageContaining("schedule part \"1y4\"");
    assertThatThrownBy(() -> ScheduleText.parse("0x99999999"))
        .hasMessageContaining("schedule part \"0x99999999\"");
  }

  private static QueueCrashCheck check(Setup setup, PersistencyModel model) {
    return new QueueCrashCheck(setup, List.of(model), false, _ -> {});
  }
}
