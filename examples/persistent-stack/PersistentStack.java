import io.howdah.nvmsim.crash.CrashStates;
import io.howdah.nvmsim.crash.ScheduleSearch;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.mem.MemoryPort;
import io.howdah.nvmsim.mem.PersistentImage;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.schedule.BlockingProgram;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A crash test of a structure of one's own: a stack in persistent memory, whose nodes are a value
 * and the address of the node below. Two threads push at the same time, under every schedule; a
 * failure leaves every state that epoch persistency allows, and recovery walks each of them.
 */
public final class PersistentStack {
  private final boolean ordered;

  private PersistentStack(boolean ordered) {
    this.ordered = ordered;
  }

  /** Writes a node, then makes it the top. */
  private void push(MemoryPort memory, long top, long node, long value) {
    memory.store(node, value, 0);
    long below;
    do {
      below = memory.load(top, 0);
      memory.store(node + 8, below, 0);
      if (ordered) {
        memory.persistBarrier(0);
      }
    } while (!memory.compareAndSet(top, below, node, 0));
  }

  /** What is wrong with the stack that a failure left. */
  private static List<String> check(PersistentImage memory, long top) {
    List<String> wrong = new ArrayList<>();
    for (long node = memory.getLong(top); node != 0; node = memory.getLong(node + 8)) {
      if (memory.getLong(node) == 0) {
        wrong.add("the node at 0x" + Long.toHexString(node) + " has no value");
      }
    }
    return wrong;
  }

  private void test() {
    List<String> violations = new ArrayList<>();
    long[] recoveries = new long[1];
    ScheduleSearch search = new ScheduleSearch(2, 8, 10_000);
    ScheduleSearch.Coverage coverage =
        search.explore(
            (policy, observer) -> {
              try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
                TraceBuffer trace = new TraceBuffer(1000);
                long top = memory.allocatePersistent(192, 64);
                var scheduler = new DeterministicScheduler(memory, policy, trace);
                for (int i = 1; i <= 2; i++) {
                  long node = top + 64 * i;
                  long value = i;
                  var push = new BlockingProgram(port -> push(port, top, node, value));
                  scheduler.add(observer.watch(scheduler, push));
                }
                scheduler.run();
                CrashStates states = new CrashStates(PersistDagBuilder.of(trace, Models.EPOCH));
                recoveries[0] +=
                    states.search(
                        image -> check(image, top),
                        (_, _, wrong) -> violations.addAll(wrong) || wrong.isEmpty());
                return violations.isEmpty();
              }
            });
    System.out.printf(
        "%s barrier: schedules %d, recoveries %d, %s%n",
        ordered ? "with" : "without",
        coverage.schedules(),
        recoveries[0],
        violations.isEmpty() ? "sound" : violations.getFirst());
  }

  /** Tests the stack, and the same without the barrier that it needs. */
  public static void main(String[] args) {
    new PersistentStack(true).test();
    new PersistentStack(false).test();
  }
}
