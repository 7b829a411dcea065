package io.howdah.nvmsim.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.crash.queue.PersistOrderKey;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.queue.QueueInserter;
import io.howdah.nvmsim.queue.QueueMemory;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.ExhaustiveExplorer;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.schedule.SimProgram;
import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("scaled")
class ScheduleSearchTest {
  /** One in so many programs is searched; odd, as programs have two and three threads in turn. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 5);

  private static final ScheduleSearch.Observer UNOBSERVED = (_, program) -> program;

  /** A thread of random accesses to four words; each stored value depends on what was loaded. */
  private static SimProgram randomThread(long seed, int length, long[] words) {
    SplitMix random = new SplitMix(seed);
    int[] kinds = new int[length];
    long[] addresses = new long[length];
    for (int i = 0; i < length; i++) {
      kinds[i] = random.below(5);
      addresses[i] = words[random.below(words.length)];
    }
    long[] state = {0, seed};
    return self -> {
      int i = (int) state[0]++;
      switch (kinds[i]) {
        case 0 -> self.persistBarrier(0);
        case 1 -> state[1] = state[1] * 31 + self.load(addresses[i], 0);
        case 2 -> state[1] = state[1] * 31 + self.fetchAndAdd(addresses[i], seed + 1, 0);
        default -> self.store(addresses[i], SplitMix.mix(state[1] + i), 0);
      }
      return state[0] < length;
    };
  }

  private static TraceBuffer runRandom(
      long seed, SchedulePolicy policy, ScheduleSearch.Observer observer) {
    try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
      TraceBuffer trace = new TraceBuffer(200);
      DeterministicScheduler scheduler = new DeterministicScheduler(memory, policy, trace);
      long[] words = {
        memory.allocateVolatile(8, 8),
        memory.allocatePersistent(8, 8),
        memory.allocatePersistent(8, 8),
        memory.allocatePersistent(8, 8)
      };
      int threads = 2 + (int) (seed % 2);
      for (int t = 0; t < threads; t++) {
        scheduler.add(
            observer.watch(scheduler, randomThread(seed * 10 + t, threads == 2 ? 5 : 3, words)));
      }
      scheduler.run();
      return trace;
    }
  }

  /**
   * Names a trace up to the order of accesses that do not conflict: each thread's events with their
   * values, and the order of the accesses to each word, loads between two stores in any order.
   */
  private static Object equivalenceClass(TraceBuffer trace) {
    Map<Integer, List<String>> threads = new HashMap<>();
    Map<Long, List<Set<String>>> words = new HashMap<>();
    for (int i = 0; i < trace.count(); i++) {
      long event = trace.packed(i);
      List<String> own = threads.computeIfAbsent(Event.thread(event), _ -> new ArrayList<>());
      String name = Event.describe(event, trace.address(i)) + trace.value(i) + "#" + own.size();
      own.add(name);
      if (Event.isAccess(event)) {
        List<Set<String>> order = words.computeIfAbsent(trace.address(i), _ -> new ArrayList<>());
        if (Event.isStore(event)) {
          order.add(Set.of(name));
          order.add(new HashSet<>());
        } else {
          if (order.isEmpty()) {
            order.add(new HashSet<>());
          }
          order.getLast().add(name);
        }
      }
    }
    return List.of(threads, words);
  }

  @Test
  void coversEveryOrderOfConflictsThatTheExhaustiveSearchFinds() {
    long all = 0;
    long reduced = 0;
    for (long seed = 0; seed < 60; seed += STRIDE) {
      long program = seed;
      Set<Object> exhaustive = new HashSet<>();
      all +=
          new ExhaustiveExplorer(1_000_000)
              .explore(
                  policy ->
                      exhaustive.add(equivalenceClass(runRandom(program, policy, UNOBSERVED))))
              .schedules();
      Set<Object> searched = new HashSet<>();
      ScheduleSearch.Coverage coverage =
          new ScheduleSearch(3, 8, 1_000_000)
              .explore(
                  (policy, observer) -> {
                    boolean fresh =
                        searched.add(equivalenceClass(runRandom(program, policy, observer)));
                    assertThat(fresh).as("each order once, program %d", program).isTrue();
                    return true;
                  });
      assertThat(coverage.complete()).isTrue();
      assertThat(searched).as("program %d", seed).isEqualTo(exhaustive);
      reduced += coverage.schedules() + coverage.abandoned();
    }
    assertThat(reduced).isLessThan(all / 2);
  }

  /** A counter behind a lock: threads that cannot run must not be overlooked. */
  private static TraceBuffer runLocked(
      int threads, SchedulePolicy policy, ScheduleSearch.Observer observer) {
    try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
      TraceBuffer trace = new TraceBuffer(200);
      DeterministicScheduler scheduler = new DeterministicScheduler(memory, policy, trace);
      long lock = memory.allocateVolatile(8, 8);
      long counter = memory.allocatePersistent(8, 8);
      for (int t = 0; t < threads; t++) {
        long[] state = {0, 0};
        SimProgram program =
            self -> {
              switch ((int) state[0]) {
                case 0 -> {
                  if (self.compareAndSet(lock, 0, 1, 0)) {
                    state[0] = 1;
                  } else {
                    self.blockUntilWritten(lock);
                  }
                }
                case 1 -> {
                  state[1] = self.load(counter, 0);
                  state[0] = 2;
                }
                case 2 -> {
                  self.store(counter, state[1] * 10 + self.thread() + 1, 0);
                  state[0] = 3;
                }
                default -> {
                  self.store(lock, 0, 0);
                  return false;
                }
              }
              return true;
            };
        scheduler.add(observer.watch(scheduler, program));
      }
      scheduler.run();
      return trace;
    }
  }

  @Test
  void coversEveryOrderOfThreadsThatWaitForEachOther() {
    for (int threads = 2; threads <= 3; threads++) {
      int count = threads;
      Set<Object> exhaustive = new HashSet<>();
      ExhaustiveExplorer.Coverage all =
          new ExhaustiveExplorer(1_000_000)
              .explore(
                  policy -> exhaustive.add(equivalenceClass(runLocked(count, policy, UNOBSERVED))));
      Set<Object> searched = new HashSet<>();
      ScheduleSearch.Coverage few =
          new ScheduleSearch(threads, 8, 1_000_000)
              .explore(
                  (policy, observer) -> {
                    searched.add(equivalenceClass(runLocked(count, policy, observer)));
                    return true;
                  });
      assertThat(all.complete()).isTrue();
      assertThat(few.complete()).isTrue();
      assertThat(searched).isEqualTo(exhaustive);
    }
  }

  @Test
  void coversEveryPersistOrderThatRandomSchedulesFind() {
    QueueSpec spec = QueueSpec.twoLockListed().withEntryLength(12).withCapacity(4);
    Set<Object> searched = new HashSet<>();
    ScheduleSearch.Coverage coverage =
        new ScheduleSearch(2, 8, 200_000)
            .explore(
                (policy, observer) -> {
                  searched.add(orders(spec, policy, observer));
                  return true;
                });
    assertThat(coverage.complete()).isTrue();
    Set<Object> random = new HashSet<>();
    for (int seed = 0; seed < 3000; seed += STRIDE) {
      random.add(orders(spec, Policies.random(seed), UNOBSERVED));
    }
    assertThat(searched).containsAll(random);
    assertThat(random).hasSizeGreaterThan(3);
  }

  private static Object orders(
      QueueSpec spec, SchedulePolicy policy, ScheduleSearch.Observer observer) {
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(spec, 2))) {
      TraceBuffer trace = new TraceBuffer(500);
      DeterministicScheduler scheduler = new DeterministicScheduler(memory, policy, trace);
      QueueMemory queue = QueueMemory.allocate(spec, 2, memory, scheduler.setUp());
      for (int i = 0; i < 2; i++) {
        scheduler.add(observer.watch(scheduler, QueueInserter.of(queue, i, 1)));
      }
      scheduler.run();
      return List.of(
          PersistOrderKey.of(PersistDagBuilder.of(trace, Models.STRICT)),
          PersistOrderKey.of(PersistDagBuilder.of(trace, Models.EPOCH)));
    }
  }

  @Test
  void boundIsReported() {
    ScheduleSearch.Coverage coverage =
        new ScheduleSearch(3, 8, 3)
            .explore(
                (policy, observer) -> {
                  runRandom(1, policy, observer);
                  return true;
                });
    assertThat(coverage.complete()).isFalse();
    assertThat(coverage.schedules() + coverage.abandoned()).isEqualTo(3);
  }

  @Test
  void runTooLongForTheSearchIsRefused() {
    assertThatThrownBy(
            () ->
                new ScheduleSearch(1, 8, 10)
                    .explore(
                        (policy, observer) -> {
                          try (SimMemory memory =
                              new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
                            DeterministicScheduler scheduler =
                                new DeterministicScheduler(memory, policy, _ -> {});
                            int[] turns = {0};
                            scheduler.add(
                                observer.watch(
                                    scheduler,
                                    self -> {
                                      self.persistBarrier(0);
                                      return ++turns[0] < 3000;
                                    }));
                            scheduler.run();
                            return true;
                          }
                        }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("shorter than 2048 events");
  }
}
