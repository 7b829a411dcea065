package io.howdah.nvmsim.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.crash.queue.RecordedSchedule;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SchedulerTest {
  private static final SpaceLayout SPACES = SpaceLayout.ofLengths(4096, 4096);

  /** Two threads of two loads each; returns the threads in the order they ran. */
  private static String order(SchedulePolicy policy) {
    return order(policy, 2);
  }

  private static String order(SchedulePolicy policy, int loads) {
    TraceBuffer trace = new TraceBuffer(10_000);
    try (SimMemory memory = new SimMemory(SPACES)) {
      long word = memory.allocateVolatile(8, 8);
      DeterministicScheduler scheduler = new DeterministicScheduler(memory, policy, trace);
      for (int i = 0; i < 2; i++) {
        int[] left = {loads};
        scheduler.add(
            self -> {
              self.load(word, 0);
              return --left[0] > 0;
            });
      }
      scheduler.run();
    }
    StringBuilder order = new StringBuilder();
    for (int i = 0; i < trace.count(); i++) {
      if (Event.kind(trace.packed(i)) == Event.LOAD) {
        order.append(Event.thread(trace.packed(i)));
      }
    }
    return order.toString();
  }

  @Test
  void roundRobinTakesTurnsOfItsQuantum() {
    assertThat(order(Policies.roundRobin(1), 4)).isEqualTo("01010101");
    assertThat(order(Policies.roundRobin(2), 4)).isEqualTo("00110011");
  }

  @Test
  void randomFollowsFromItsSeed() {
    assertThat(order(Policies.random(1), 40)).isEqualTo(order(Policies.random(1), 40));
    assertThat(order(Policies.random(1), 40)).isNotEqualTo(order(Policies.random(2), 40));
  }

  @Test
  void pctRunsOneThreadUntilAChangePoint() {
    Set<Integer> switches = new HashSet<>();
    for (int seed = 0; seed < 50; seed++) {
      String order = order(Policies.pct(seed, 2, 40), 20);
      switches.add(
          (int)
              java.util.stream.IntStream.range(1, order.length())
                  .filter(i -> order.charAt(i) != order.charAt(i - 1))
                  .count());
    }
    assertThat(switches).allMatch(count -> count <= 2).contains(1, 2);
  }

  @Test
  void recordedScheduleReplays() {
    RecordedSchedule recorded = new RecordedSchedule(Policies.random(7), 1000);
    String order = order(recorded, 40);
    assertThat(order(Policies.replay(recorded.choices()), 40)).isEqualTo(order);
    assertThatThrownBy(() -> order(Policies.replay(new byte[] {0, 1}), 2))
        .hasMessageContaining("ends after 2 turns");
    assertThatThrownBy(() -> order(Policies.replay(new byte[] {0, 5}), 2))
        .hasMessageContaining("turn 1 of the recorded schedule runs thread 5");
  }

  @Test
  void exhaustiveSearchRunsEveryInterleavingOnce() {
    Set<String> orders = new HashSet<>();
    ExhaustiveExplorer.Coverage coverage =
        new ExhaustiveExplorer(1000)
            .explore(policy -> assertThat(orders.add(order(policy))).isTrue());
    assertThat(coverage).isEqualTo(new ExhaustiveExplorer.Coverage(6, true));
    assertThat(orders).containsExactlyInAnyOrder("0011", "0101", "0110", "1001", "1010", "1100");
    assertThat(new ExhaustiveExplorer(4).explore(policy -> order(policy)))
        .isEqualTo(new ExhaustiveExplorer.Coverage(4, false));
  }

  @Test
  void deadlockNamesThreadsAndAddresses() {
    try (SimMemory memory = new SimMemory(SPACES)) {
      long word = memory.allocateVolatile(8, 8);
      DeterministicScheduler scheduler =
          new DeterministicScheduler(memory, Policies.random(3), batch -> {});
      for (int i = 0; i < 2; i++) {
        scheduler.add(new BlockingProgram(port -> port.spinWhile(word, 0, 0)));
      }
      assertThatThrownBy(scheduler::run)
          .isInstanceOf(DeadlockException.class)
          .hasMessageContaining("deadlock at event 4")
          .hasMessageContaining("thread 0 waits for 0x" + Long.toHexString(word))
          .hasMessageContaining("thread 1 waits for")
          .hasMessageContaining("policy=random seed=3");
    }
  }

  @Test
  void aWaitTracesOneLoadPerWrite() {
    TraceBuffer trace = new TraceBuffer(100);
    try (SimMemory memory = new SimMemory(SPACES)) {
      long word = memory.allocateVolatile(8, 8);
      DeterministicScheduler scheduler =
          new DeterministicScheduler(memory, Policies.roundRobin(1), trace);
      scheduler.add(new BlockingProgram(port -> port.spinWhile(word, 0, 0)));
      scheduler.add(
          new BlockingProgram(
              port -> {
                for (int i = 0; i < 5; i++) {
                  port.load(word + 64, 0);
                }
                port.store(word, 0, 0);
                port.store(word, 1, 0);
              }));
      scheduler.run();
    }
    long loads = 0;
    for (int i = 0; i < trace.count(); i++) {
      loads +=
          Event.kind(trace.packed(i)) == Event.LOAD && Event.thread(trace.packed(i)) == 0 ? 1 : 0;
    }
    assertThat(loads).isEqualTo(3);
  }

  @Test
  void failuresOfAProgramReachTheCaller() {
    try (SimMemory memory = new SimMemory(SPACES)) {
      DeterministicScheduler scheduler =
          new DeterministicScheduler(memory, Policies.roundRobin(1), batch -> {});
      scheduler.add(new BlockingProgram(port -> port.load(1, 0)));
      assertThatThrownBy(scheduler::run)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("word access at 0x1 is not aligned");
    }
  }

  @Test
  void runsStopAtTheirLimit() {
    try (SimMemory memory = new SimMemory(SPACES)) {
      long word = memory.allocateVolatile(8, 8);
      DeterministicScheduler scheduler =
          new DeterministicScheduler(memory, Policies.roundRobin(1), batch -> {})
              .limitEvents(10_000);
      scheduler.add(
          self -> {
            self.load(word, 0);
            return true;
          });
      assertThatThrownBy(scheduler::run).hasMessageContaining("limit of 10000 events");
    }
  }
}
