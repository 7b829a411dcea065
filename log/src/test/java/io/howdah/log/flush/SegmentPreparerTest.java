package io.howdah.log.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.log.commit.LogStart;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the thread that prepares segments works, waits and ends, in simulated time. */
class SegmentPreparerTest {

  private static final LogStart NEW = new LogStart(1, 2, 1, 0, 1, List.of(), List.of(), 0);
  private static final long MILLISECOND = 1_000_000;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.roundRobin(1))
          .spuriousOneIn(0)
          .maxSteps(20_000)
          .virtualThreads()
          .build();
  private final SimulatedDisk disk = SimulatedDisk.builder(3).execution(execution).build();
  private final OpenFiles files = new OpenFiles(disk.storage());

  @BeforeEach
  void createLog() {
    disk.storage().createDirectory("log");
    disk.storage().createDirectory("log/0");
  }

  private SegmentPreparer start() {
    SegmentFactory factory =
        new SegmentFactory(
            files.storage(),
            NEW,
            SegmentLayout.MIN_LENGTH,
            SegmentLayout.MIN_LENGTH,
            SegmentLayout.MAX_LENGTH);
    return new SegmentPreparer(factory, execution, () -> {}, "preparer");
  }

  private void park(long nanos) {
    execution.parkNanos(this, nanos);
  }

  private Segment take(SegmentPreparer preparer) {
    for (Segment segment = preparer.poll(); ; segment = preparer.poll()) {
      if (segment != null) {
        return segment;
      }
      park(100_000);
    }
  }

  @Test
  void theNextSegmentIsPreparedAsSoonAsOneIsTaken() {
    execution.run(
        () -> {
          SegmentPreparer preparer = start();
          take(preparer).file.close();
          take(preparer).file.close();
          park(50 * MILLISECOND); // the third is ready, and the preparer sleeps
          long taken = execution.nanoTime();
          take(preparer).file.close();
          take(preparer).file.close();
          assertThat(execution.nanoTime() - taken).isLessThan(10 * MILLISECOND);
          preparer.close();
        });
  }

  @Test
  void oneSegmentAheadIsEnough() {
    execution.run(
        () -> {
          SegmentPreparer preparer = start();
          park(1_000 * MILLISECOND);
          assertThat(disk.storage().list("log/0")).hasSize(1);
          assertThat(files.open()).hasSize(1);
          preparer.close();
        });
  }

  @Test
  void closingEndsTheThreadAndLeavesTheUnusedSegmentClosed() {
    SimulationOutcome outcome =
        execution.run(
            () -> {
              SegmentPreparer preparer = start();
              take(preparer).file.close();
              park(50 * MILLISECOND);
              preparer.close();
              assertThat(preparer.poll()).isNull();
            });
    assertThat(outcome.leftover()).isEmpty();
    assertThat(files.open()).isEmpty();
    assertThat(disk.storage().list("log/0")).hasSize(2);
  }

  @Test
  void aFullDiskIsTriedAgainLessOftenAndAtOnceWhenASegmentIsFree() {
    execution.run(
        () -> {
          disk.inject(Fault.onNth(Operation.CREATE, 1).with(Reason.NO_SPACE).forEver());
          SegmentPreparer preparer = start();
          park(MILLISECOND);
          assertThat(preparer.isFileSystemFull()).isTrue();
          long tried = disk.operations(Operation.CREATE);
          park(1_000 * MILLISECOND);
          assertThat(disk.operations(Operation.CREATE) - tried).isBetween(3L, 5L);
          park(20_000 * MILLISECOND);
          assertThat(disk.operations(Operation.CREATE) - tried).isBetween(22L, 26L);
          disk.clearFaults();
          long cleared = execution.nanoTime();
          preparer.tryAgain();
          take(preparer).file.close();
          assertThat(execution.nanoTime() - cleared).isLessThan(50 * MILLISECOND);
          assertThat(preparer.isFileSystemFull()).isFalse();
          assertThat(preparer.failure()).isNull();
          preparer.close();
        });
  }
}
