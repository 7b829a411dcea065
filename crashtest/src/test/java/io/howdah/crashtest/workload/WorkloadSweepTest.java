package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.crash.CrashUnit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sequences are explored beside each other, and none is left out. */
final class WorkloadSweepTest {

  private final SmallWorkloads workloads = new SmallWorkloads(Sequences.all(1), 1, 1, 2, 0);
  private final List<Long> prefixes = new ArrayList<>();

  private final WorkloadSweep.Progress progress =
      new WorkloadSweep.Progress() {
        @Override
        public void done(long next, Explored explored) throws IOException {
          prefixes.add(next);
        }

        @Override
        public void goingOn(long states) {}

        @Override
        public void broken(Violation violation) {
          throw violation;
        }
      };

  @Test
  void allSequencesFromTheFirstAreDone() throws Exception {
    long first = WorkloadSweep.position(workloads.sequences().count() - 2);
    WorkloadSweep.Result result =
        new WorkloadSweep(workloads, 2, Long.MAX_VALUE, 600).run(first, progress);
    assertThat(result.sequences()).isEqualTo(2);
    assertThat(result.cutShort()).isZero();
    assertThat(result.next()).isEqualTo(WorkloadSweep.position(workloads.sequences().count()));
    Explored explored = result.explored();
    assertThat(explored.states()).isGreaterThanOrEqualTo(explored.runs());
    assertThat(explored.runs()).isGreaterThan(2);
    assertThat(prefixes).hasSize(2).isSorted().endsWith(result.next());
  }

  /** A limit ends a sequence, too; what was left of it is told, and comes next. */
  @Test
  void aSequenceThatWasCutShortGoesOnWhereItEnded() throws Exception {
    WorkloadSweep.Result result = new WorkloadSweep(workloads, 1, 1, 600).run(0, progress);
    assertThat(result.sequences()).isZero();
    assertThat(result.cutShort()).isEqualTo(1);
    assertThat(result.next()).isEqualTo(1);
    assertThat(result.explored().points()).isEqualTo(1);
    long left = result.explored().pointsLeft();
    assertThat(left).isPositive();

    WorkloadSweep.Result further = new WorkloadSweep(workloads, 1, 1, 600).run(1, progress);
    assertThat(further.next()).isEqualTo(2);
    assertThat(further.explored().points()).isEqualTo(1);
    assertThat(further.explored().pointsLeft()).isEqualTo(left - 1);

    WorkloadSweep.Result last = new WorkloadSweep(workloads, 1, 1, 600).run(left, progress);
    assertThat(last.sequences()).isEqualTo(1);
    assertThat(last.next()).isEqualTo(WorkloadSweep.position(1));
    assertThat(last.explored().pointsLeft()).isZero();
  }

  /** On all disks, from its first step on: crashes before the last step are its own. */
  @Test
  void oneSequenceIsExploredAlone() throws Exception {
    SmallWorkloads one = new SmallWorkloads(Sequences.only("poll,put"), 1, 2, 2, 0);
    WorkloadSweep.Result result = new WorkloadSweep(one, 2, Long.MAX_VALUE, 600).run(0, progress);
    assertThat(result.sequences()).isEqualTo(1);
    assertThat(result.next()).isEqualTo(WorkloadSweep.position(1));
    assertThat(result.explored().points()).isEqualTo(3L * CrashUnit.values().length);

    WorkloadSweep.Result none = new WorkloadSweep(one, 2, Long.MAX_VALUE, 1e-9).run(0, progress);
    assertThat(none.explored().states()).isZero();
    assertThat(none.next()).isZero();
  }

  @Test
  void noJobsAreRefused() {
    assertThatThrownBy(() -> new WorkloadSweep(workloads, 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
