package io.howdah.testkit;

import io.howdah.testkit.crash.CrashKind;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.crash.FailedForce;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** What a crash test is to try, and on which machine. */
final class CrashSettings {

  final long seed;
  Set<CrashKind> kinds = EnumSet.of(CrashKind.KILL, CrashKind.POWER_CUT);
  @Nullable LongFunction<Schedule> schedules;
  FailedForce failedForce = FailedForce.UNKNOWN_FOR_EVER;
  long volatileBytes = 1L << 30;
  int maxStates = 100;
  int maxRecoveryPoints = 2;
  int maxRecoveryStates = 3;

  CrashSettings(long seed) {
    this.seed = seed;
  }

  /** Returns the same settings with another seed. */
  CrashSettings seeded(long other) {
    CrashSettings copy = new CrashSettings(other);
    copy.kinds = kinds;
    copy.schedules = schedules;
    copy.failedForce = failedForce;
    copy.volatileBytes = volatileBytes;
    copy.maxStates = maxStates;
    copy.maxRecoveryPoints = maxRecoveryPoints;
    copy.maxRecoveryStates = maxRecoveryStates;
    return copy;
  }

  Machine firstMachine(CrashUnit unit) {
    SimulatedExecution execution = execution();
    SimulatedDisk disk =
        SimulatedDisk.builder(seed)
            .unit(unit)
            .failedForce(failedForce)
            .volatileBytes(volatileBytes)
            .execution(execution)
            .build();
    return new Machine(disk, execution, List.of());
  }

  SimulatedExecution execution() {
    return SimulatedExecution.builder(schedule()).virtualThreads().build();
  }

  Schedule schedule() {
    return schedules == null ? Schedule.roundRobin(Integer.MAX_VALUE) : schedules.apply(seed);
  }

  /** Runs a life of the process; returns how many steps it took. */
  long live(Machine machine, SimulatedExecution.Body body) throws Throwable {
    if (schedules != null) {
      return machine.execution().run(body).steps();
    }
    try {
      body.run();
    } catch (Throwable e) {
      // Whatever a program makes of its own death is its own affair.
      if (!machine.disk().hasCrashed()) {
        throw e;
      }
    }
    return 0;
  }
}
