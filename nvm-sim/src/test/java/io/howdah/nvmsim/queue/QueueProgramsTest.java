package io.howdah.nvmsim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.schedule.BlockingProgram;
import io.howdah.nvmsim.schedule.DeadlockException;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class QueueProgramsTest {

  /** By native threads, which wait for each other by spinning: more threads than processors. */
  private static final int INSERTS = 600;

  static Stream<QueueSpec> queues() {
    return Stream.of(
        QueueSpec.cwl(),
        QueueSpec.cwlRacing(),
        QueueSpec.twoLockListed(),
        QueueSpec.twoLockPaper(),
        QueueSpec.twoLockFenced(),
        QueueSpec.twoLockRepaired());
  }

  @ParameterizedTest
  @MethodSource("queues")
  void turnsOfASchedulerAndCodeThatWaitsMakeTheSameTrace(QueueSpec queue) {
    List<Supplier<SchedulePolicy>> policies =
        List.of(() -> Policies.roundRobin(1), () -> Policies.random(1), () -> Policies.random(2));
    for (Supplier<SchedulePolicy> policy : policies) {
      TraceBuffer turns = new TraceBuffer(100_000);
      QueueRun.trace(queue, 4, 40, policy.get(), turns);
      assertThat(describe(waitingTrace(queue, 4, 10, policy.get()))).isEqualTo(describe(turns));
    }
    QueueSpec checked = queue.withRoomChecked().withCapacity(16);
    TraceBuffer turns = new TraceBuffer(100_000);
    QueueRun.trace(checked, 4, 16, Policies.random(9), turns);
    assertThat(describe(waitingTrace(checked, 4, 4, Policies.random(9))))
        .isEqualTo(describe(turns));
  }

  /** Checksums of traces made by state machines that were written by hand, before the one text. */
  @Test
  void tracesAreThoseOfTheHandWrittenMachines() {
    List<Long> sums = new ArrayList<>();
    for (QueueSpec queue : queues().toList()) {
      CRC32 sum = new CRC32();
      addTrace(sum, queue, 40, Policies.roundRobin(1));
      addTrace(sum, queue, 40, Policies.random(1));
      addTrace(sum, queue, 40, Policies.random(2));
      addTrace(sum, queue, 40, Policies.pct(5, 3, 2000));
      addTrace(sum, queue.withRoomChecked().withCapacity(16), 16, Policies.random(9));
      sums.add(sum.getValue());
    }
    assertThat(sums)
        .containsExactly(
            0x37e3ebbdL, 0xddbcdd73L, 0xd4893113L, 0xb1b66e52L, 0x3bfccc39L, 0x0f689c8fL);
  }

  private static void addTrace(CRC32 sum, QueueSpec queue, int inserts, SchedulePolicy policy) {
    TraceBuffer trace = new TraceBuffer(100_000);
    QueueRun.trace(queue, 4, inserts, policy, trace);
    for (String line : describe(trace)) {
      sum.update((line + "\n").getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static TraceBuffer waitingTrace(
      QueueSpec spec, int threads, int inserts, SchedulePolicy policy) {
    TraceBuffer trace = new TraceBuffer(100_000);
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(spec, threads))) {
      DeterministicScheduler scheduler = new DeterministicScheduler(memory, policy, trace);
      QueueMemory queue = QueueMemory.allocate(spec, threads, memory, scheduler.setUp());
      for (int i = 0; i < threads; i++) {
        PersistentQueue view = PersistentQueue.of(queue);
        scheduler.add(
            new BlockingProgram(
                port -> {
                  for (int op = 0; op < inserts; op++) {
                    view.insert(port, op);
                  }
                }));
      }
      scheduler.run();
    }
    return trace;
  }

  private static List<String> describe(TraceBuffer trace) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < trace.count(); i++) {
      lines.add(Event.describe(trace.packed(i), trace.address(i)) + " = " + trace.value(i));
    }
    return lines;
  }

  @ParameterizedTest
  @MethodSource("queues")
  void insertsAndRemovesKeepOrderAndLoseNothing(QueueSpec queue) {
    for (int seed = 0; seed < 5; seed++) {
      QueueSpec spec = queue.withRoomChecked().withCapacity(5);
      List<QueueEntry> removed = new ArrayList<>();
      QueueRecovery.Outcome left;
      try (SimMemory memory = new SimMemory(QueueMemory.spaces(spec, 4))) {
        DeterministicScheduler scheduler =
            new DeterministicScheduler(memory, Policies.random(seed), batch -> {});
        QueueMemory q = QueueMemory.allocate(spec, 4, memory, scheduler.setUp());
        for (int i = 0; i < 3; i++) {
          PersistentQueue view = PersistentQueue.of(q);
          scheduler.add(
              new BlockingProgram(
                  port -> {
                    for (int op = 0; op < 20; op++) {
                      view.insert(port, op);
                    }
                  }));
        }
        PersistentQueue remover = PersistentQueue.of(q);
        scheduler.add(
            new BlockingProgram(
                port -> {
                  for (int op = 0; op < 57; op++) {
                    removed.add(remover.remove(port));
                  }
                }));
        scheduler.run();
        left = QueueRecovery.recover(memory::getLong, q);
      }
      assertThat(left.damage()).isEmpty();
      assertThat(left.entries()).hasSize(3);
      List<QueueEntry> all = new ArrayList<>(removed);
      all.addAll(left.entries());
      long[] next = new long[3];
      for (QueueEntry entry : all) {
        assertThat(entry.operation())
            .as("seed %d, %s", seed, entry)
            .isEqualTo(next[entry.thread()]++);
      }
      assertThat(next).containsExactly(20, 20, 20);
    }
  }

  @Test
  void recoveryReportsTornRecordsAndWildPointers() {
    QueueSpec spec = QueueSpec.cwl().withRoomChecked().withCapacity(8);
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(spec, 1))) {
      DeterministicScheduler scheduler =
          new DeterministicScheduler(memory, Policies.roundRobin(1), batch -> {});
      QueueMemory q = QueueMemory.allocate(spec, 1, memory, scheduler.setUp());
      scheduler.add(QueueInserter.of(q, 0, 3)).run();
      assertThat(QueueRecovery.recover(memory::getLong, q).entries())
          .containsExactly(new QueueEntry(0, 0), new QueueEntry(0, 1), new QueueEntry(0, 2));
      memory.setLong(q.slot(q.slotLength) + 40, 1);
      assertThat(QueueRecovery.recover(memory::getLong, q).damage())
          .singleElement()
          .asString()
          .contains("position 128");
      memory.setLong(q.headAddress(), 1L << 40);
      assertThat(QueueRecovery.recover(memory::getLong, q).isSound()).isFalse();
    }
  }

  @Test
  void fullQueueWithoutRemoverIsReportedAsDeadlock() {
    QueueSpec spec = QueueSpec.cwl().withRoomChecked().withCapacity(4);
    assertThatThrownBy(() -> QueueRun.trace(spec, 2, 10, Policies.random(1), batch -> {}))
        .isInstanceOf(DeadlockException.class)
        .hasMessageContaining("thread 0 waits for 0x")
        .hasMessageContaining("policy=random seed=1");
  }

  @Test
  void capacityTooSmallForTheThreadsIsReported() {
    assertThatThrownBy(
            () ->
                QueueRun.trace(
                    QueueSpec.twoLockListed().withCapacity(2),
                    8,
                    800,
                    Policies.random(1),
                    batch -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("capacity of 2 records is too small for 8 threads");
  }

  @Test
  void nativeQueuesGiveEachPositionOnce() throws InterruptedException {
    for (QueueSpec queue : List.of(QueueSpec.cwl(), QueueSpec.twoLockListed())) {
      NativeRun.Outcome outcome = NativeRun.run(queue.withCapacity(64), 3, INSERTS, true);
      Set<Long> positions = new HashSet<>();
      for (long[] thread : outcome.positions()) {
        for (int i = 0; i < thread.length; i++) {
          assertThat(positions.add(thread[i])).isTrue();
          assertThat(i == 0 || thread[i] > thread[i - 1]).isTrue();
        }
      }
      assertThat(positions).hasSize(INSERTS).contains(0L, (INSERTS - 1L) * queue.slotLength());
    }
  }
}
