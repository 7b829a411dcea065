package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every operation alone, with a few crashes of each; {@code howdah test explore --length}. */
class SmallWorkloadsTest {

  @Test
  void everyOperationAloneSurvivesItsCrashes() {
    WorkloadExplorer explorer =
        new WorkloadExplorer(1, CrashUnit.SECTOR, new ExploreBounds(1, 2, 0, 0, 0, true));
    for (Step step : Step.values()) {
      assertThat(explorer.explore(List.of(step), true).states()).as(step.text()).isGreaterThan(2);
    }
    assertThat(SmallWorkloads.kinds()).isGreaterThanOrEqualTo(12);
  }

  /** The judge itself: a step that was acknowledged and is not there is a violation. */
  @Test
  void anAcknowledgedStepThatIsMissingIsNoticed() {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.random(1, 2048));
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    Machine machine = new Machine(disk, execution, List.of());
    SmallWorkload workload = new SmallWorkload(List.of(Step.PUT_SYNC));
    execution.run(() -> workload.prepare(machine));
    SimulatedDisk before = disk.fork();
    execution.use(Schedule.random(1, 2048));
    execution.run(() -> workload.work(machine));

    SimulatedExecution next = SimulatedExecution.with(Schedule.random(1, 2048));
    before.scheduleWith(next);
    before.kill();
    assertThatThrownBy(() -> next.run(() -> workload.check(new Machine(before, next, List.of()))))
        .rootCause()
        .isInstanceOf(Violation.class)
        .hasMessageContaining("which is none of the");
  }

  /** What is known without a run is what a run finds; some states are run all the same. */
  @Test
  void statesThatAreNotRunEndAsIfTheyWere() {
    ExploreBounds audited = new ExploreBounds(2, 8, 1, 2, 500, true);
    Explored explored =
        new WorkloadExplorer(1, CrashUnit.SECTOR, audited).explore(List.of(Step.PUT), true);
    assertThat(explored.audited()).isPositive();
    assertThat(explored.states()).isGreaterThan(explored.runs());
    assertThat(explored.inRecovery()).isPositive();
  }

  @Test
  void aCrashIsRepeatedFromItsText() {
    String text =
        "SECTOR/OPERATION-60-BEFORE:POWER_CUT:lose/OPERATION-20-AFTER:KILL/OPERATION-9-BEFORE:KILL";
    assertThat(WorkloadReplay.parse(text)).hasToString(text);
    assertThatThrownBy(() -> SmallWorkloads.replay("put", 1, "SECTOR"))
        .hasMessageContaining("not a");
  }

  @Test
  void sequencesAreNumberedAndNamed() {
    SmallWorkloads pairs = new SmallWorkloads(2, 1, 1, 2, 1);
    assertThat(pairs.count()).isEqualTo((long) SmallWorkloads.kinds() * SmallWorkloads.kinds());
    assertThat(pairs.text(1)).isEqualTo("put,put-sync");
    assertThatThrownBy(() -> SmallWorkloads.replay("nothing", 1, ""))
        .hasMessageContaining("no operation is called nothing");
  }
}
