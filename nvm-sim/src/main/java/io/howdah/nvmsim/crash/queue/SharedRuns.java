package io.howdah.nvmsim.crash.queue;

import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Outcome;
import io.howdah.nvmsim.crash.queue.QueueCrashCheck.Setup;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.QueueSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks subjects, running each program once for all models that share it. */
public final class SharedRuns {
  /** Makes the run of a program. */
  @FunctionalInterface
  public interface Setups {
    Setup of(QueueSpec program);
  }

  /** Prepares and runs the check of one program. */
  @FunctionalInterface
  public interface Checks {
    /**
     * Examines a run.
     *
     * @return an outcome for each model, in their order
     */
    List<Outcome> of(Setup setup, List<PersistencyModel> models);
  }

  private SharedRuns() {}

  /** Checks every subject; the outcomes come in the order of the subjects. */
  public static Map<CrashSubject, Outcome> check(
      List<CrashSubject> subjects, Setups setups, Checks checks) {
    Map<QueueSpec, List<CrashSubject>> byProgram = new LinkedHashMap<>();
    for (CrashSubject subject : subjects) {
      byProgram.computeIfAbsent(subject.program(), _ -> new ArrayList<>()).add(subject);
    }
    Map<CrashSubject, Outcome> found = new LinkedHashMap<>();
    byProgram.forEach(
        (program, sharing) -> {
          List<PersistencyModel> models =
              sharing.stream().map(CrashSubject::persistency).distinct().toList();
          List<Outcome> outcomes = checks.of(setups.of(program), models);
          for (CrashSubject subject : sharing) {
            found.put(subject, outcomes.get(models.indexOf(subject.persistency())));
          }
        });
    Map<CrashSubject, Outcome> ordered = new LinkedHashMap<>();
    for (CrashSubject subject : subjects) {
      Outcome outcome = found.get(subject);
      if (outcome != null) {
        ordered.put(subject, outcome);
      }
    }
    return ordered;
  }
}
