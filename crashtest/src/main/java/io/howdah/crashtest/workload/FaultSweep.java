package io.howdah.crashtest.workload;

import io.howdah.core.HowdahException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.Machine;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Every call of the storage port in a workload fails, once or from then on, with every kind of
 * error. The call that fails may be one of the opening, of a step, or of the close. Afterwards the
 * process is killed or the power cut, the error is gone, and the next opening must have what was
 * acknowledged. For one thread.
 */
public final class FaultSweep {

  /** What a port may report without the file being another one than it was. */
  private static final Reason[] REASONS = {
    Reason.IO,
    Reason.NO_SPACE,
    Reason.FILE_TOO_LARGE,
    Reason.READ_ONLY,
    Reason.ACCESS_DENIED,
    Reason.NO_MEMORY,
    Reason.TOO_MANY_FILES
  };

  private static final int PREEMPT_ONE_IN = 2048;

  private static final List<String> WORKLOADS =
      List.of(
          "put,checkpoint,put-sync",
          "put-sync,reopen",
          "remove,put-sync",
          "grow,checkpoint",
          "clear,put-sync",
          "sorted-put,sorted-remove",
          "add,poll",
          "allocate,free",
          "free,allocate,checkpoint",
          "multi-word,partition",
          "partition,put",
          "savepoint,put-sync",
          "abort,put-sync",
          "checkpoint,put,checkpoint",
          "grow,reopen,checkpoint",
          "put,backup,put-sync");

  private final long seed;
  private final String text;
  private final List<Step> steps;

  /** The operations of an undisturbed run, and which of its kind each is. */
  private final List<Fault> calls = new ArrayList<>();

  /**
   * Runs a workload once without a fault, to count.
   *
   * @param text steps, with commas between
   */
  public FaultSweep(long seed, String text) {
    this.seed = seed;
    this.text = text;
    this.steps = Arrays.stream(text.split(",", -1)).map(Step::named).toList();
    Life life = new Life();
    life.prepare();
    long first = life.disk.operations() + 1;
    life.work();
    Map<Operation, Long> seen = new EnumMap<>(Operation.class);
    for (long n = first; n <= life.disk.operations(); n++) {
      Operation operation = life.disk.operation(n);
      calls.add(Fault.onNth(operation, seen.merge(operation, 1L, Long::sum)));
    }
  }

  /** Returns the workloads that a sweep goes through if none is named. */
  public static List<String> workloads() {
    return WORKLOADS;
  }

  /** How a life with a fault went. */
  public enum Outcome {
    /** The fault was not noticed: what failed can be done without. */
    UNNOTICED,
    /** The store could not be opened, and said why. */
    REFUSED,
    /** A step failed, and the store went on. */
    USABLE,
    /** A step failed, and the store said that it had stopped. */
    STOPPED
  }

  /** Returns how many faults there are: each call, with each error, once and for ever. */
  public long count() {
    return (long) calls.size() * REASONS.length * 2;
  }

  /** Returns a fault in words. */
  public String describe(long index) {
    Fault fault = fault(index);
    return fault.operation()
        + " "
        + fault.nth()
        + " "
        + fault.reason()
        + (fault.sticky() ? " and every later one" : "");
  }

  private Fault fault(long index) {
    Fault fault = calls.get((int) (index / 2 / REASONS.length));
    fault = fault.with(REASONS[(int) (index / 2 % REASONS.length)]);
    return index % 2 == 0 ? fault : fault.forEver();
  }

  /**
   * Runs the workload with one fault, ends the process, and checks what is there.
   *
   * @param index 0 to count - 1
   * @throws Violation if a promise is broken; the message says how to see it again
   */
  public Outcome run(long index) {
    try {
      Life life = new Life();
      life.prepare();
      life.disk.inject(fault(index));
      Outcome outcome = life.work();
      life.disk.clearFaults();
      life.end(index % 4 < 2 ? CrashKind.KILL : CrashKind.POWER_CUT, index);
      return outcome;
    } catch (Violation | RuntimeException e) {
      Throwable cause = e.getCause() instanceof Violation v ? v : e;
      throw new Violation(
          "[replay: howdah test faults --workload "
              + text
              + " --seed "
              + seed
              + " --fault "
              + index
              + "] "
              + describe(index)
              + ": "
              + cause,
          e);
    }
  }

  /** One disk, and the processes on it. */
  private final class Life {

    private final SmallWorkload workload = new SmallWorkload(steps);
    private SimulatedExecution execution = execution();
    final SimulatedDisk disk =
        SimulatedDisk.builder(seed)
            .unit(CrashUnit.SECTOR)
            .failedForce(FailedForce.UNKNOWN_UNTIL_REWRITTEN) // the image is folded in place
            .execution(execution)
            .build();

    private SimulatedExecution execution() {
      return SimulatedExecution.builder(Schedule.random(seed, PREEMPT_ONE_IN))
          .virtualThreads((seed & 1) == 0)
          .build();
    }

    void prepare() {
      execution.run(() -> workload.prepare(new Machine(disk, execution, List.of())));
      disk.kill();
    }

    Outcome work() {
      execution.use(Schedule.random(seed, PREEMPT_ONE_IN));
      try {
        execution.run(() -> workload.work(new Machine(disk, execution, List.of())));
      } catch (RuntimeException | AssertionError e) {
        if (!(e instanceof HowdahException) && !(e.getCause() instanceof HowdahException)) {
          throw e;
        }
        if (!workload.hasFailed()) {
          return Outcome.REFUSED;
        }
      }
      if (!workload.hasFailed()) {
        return Outcome.UNNOTICED;
      }
      return workload.wasUsable() ? Outcome.USABLE : Outcome.STOPPED;
    }

    void end(CrashKind kind, long choice) {
      if (kind == CrashKind.KILL) {
        disk.kill();
      } else {
        CrashStates states = disk.crashStates();
        // In turn: everything lost, and states between.
        disk.powerCut(
            choice % 8 < 4
                ? CrashChoice.LOSE_ALL
                : states.choice(((choice * 0x9E3779B97F4A7C15L) >>> 1) % states.count()));
      }
      execution = execution();
      disk.scheduleWith(execution);
      execution.run(() -> workload.check(new Machine(disk, execution, List.of(kind))));
    }
  }
}
