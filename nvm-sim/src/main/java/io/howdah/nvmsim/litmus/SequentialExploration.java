package io.howdah.nvmsim.litmus;

import io.howdah.nvmsim.crash.CrashStates;
import io.howdah.nvmsim.crash.ScheduleSearch;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.program.LitmusProgram;
import io.howdah.nvmsim.px86.ReachableStates;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Every outcome of a program under sequential consistency and a persistency model: all schedules,
 * and for each all states that a failure can leave.
 */
final class SequentialExploration {
  private static final int LINE = 64;
  private static final int MAX_EVENTS = 1 << 10;
  private static final long MAX_SCHEDULES = 1_000_000;
  private static final long MAX_CUTS = 1 << 20;

  private final LitmusProgram program;
  private final PersistencyModel model;
  private final Set<List<Integer>> durable = new HashSet<>();
  private final Set<List<Integer>> ended = new HashSet<>();
  private int explored;

  SequentialExploration(LitmusProgram program, PersistencyModel model) {
    this.program = program;
    this.model = model;
  }

  ReachableStates explore() {
    int threads = program.threads().size();
    ScheduleSearch.Coverage coverage =
        new ScheduleSearch(threads, Long.BYTES, MAX_SCHEDULES)
            .explore(
                (policy, observer) -> {
                  try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(1 << 12, 1 << 12))) {
                    TraceBuffer trace = new TraceBuffer(MAX_EVENTS);
                    DeterministicScheduler scheduler =
                        new DeterministicScheduler(memory, policy, trace);
                    long[] addresses = addresses(memory);
                    int[] registers = new int[program.firstRegister(threads)];
                    for (int t = 0; t < threads; t++) {
                      scheduler.add(
                          observer.watch(
                              scheduler, new LitmusThread(program, t, addresses, registers)));
                    }
                    scheduler.run();
                    ended.add(boxed(registers));
                    recover(trace, addresses);
                    return true;
                  }
                });
    if (!coverage.complete()) {
      throw new IllegalStateException("more than " + MAX_SCHEDULES + " schedules");
    }
    return new ReachableStates(explored, durable, ended);
  }

  private long[] addresses(SimMemory memory) {
    long[] addresses = new long[program.locations().size()];
    for (int i = 0; i < addresses.length; i++) {
      addresses[i] =
          program.volatileLocations().get(i)
              ? memory.allocateVolatile(LINE, LINE)
              : memory.allocatePersistent(LINE, LINE);
    }
    return addresses;
  }

  private void recover(TraceBuffer trace, long[] addresses) {
    CrashStates states = new CrashStates(PersistDagBuilder.of(trace, model));
    long cuts =
        states.visit(
            image -> {
              List<Integer> values = new ArrayList<>(addresses.length);
              for (int i = 0; i < addresses.length; i++) {
                values.add(
                    program.volatileLocations().get(i) ? 0 : (int) image.getLong(addresses[i]));
              }
              durable.add(values);
              return List.of();
            },
            MAX_CUTS,
            (_, _, _) -> true);
    if (cuts == MAX_CUTS) {
      throw new IllegalStateException("more than " + MAX_CUTS + " crash states in one run");
    }
    explored += (int) cuts;
  }

  private static List<Integer> boxed(int[] values) {
    List<Integer> list = new ArrayList<>(values.length);
    for (int value : values) {
      list.add(value);
    }
    return list;
  }
}
