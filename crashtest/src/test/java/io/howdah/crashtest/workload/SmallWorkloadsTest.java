package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.Machine;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every operation alone, with a few crashes of each; {@code howdah test explore --length}. */
class SmallWorkloadsTest {

  @Test
  void everyOperationAloneSurvivesItsCrashes() {
    SmallWorkloads workloads = new SmallWorkloads(1, 1, 1, 1);
    long states = 0;
    for (long i = 0; i < workloads.count(); i++) {
      states += workloads.explore(i).states();
    }
    assertThat(workloads.count()).isGreaterThanOrEqualTo(12);
    assertThat(states).isGreaterThan(2 * workloads.count());
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
        .hasMessageContaining("content after none of the steps");
  }

  @Test
  void sequencesAreNumberedAndNamed() {
    SmallWorkloads pairs = new SmallWorkloads(2, 1, 1, 1);
    assertThat(pairs.count()).isEqualTo((long) SmallWorkloads.kinds() * SmallWorkloads.kinds());
    assertThat(pairs.text(SmallWorkloads.kinds())).isEqualTo("put,put-sync");
    assertThatThrownBy(() -> SmallWorkloads.replay("nothing", 1, ""))
        .hasMessageContaining("no operation is called nothing");
  }
}
