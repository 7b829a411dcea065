package io.howdah.crashtest.scenario;

import java.util.ArrayList;
import java.util.List;

/**
 * All scenarios, by name. Each scenario of stores that are killed is there twice: {@code NAME} has
 * memory that ends with the process, and {@code NAME-shared} memory that outlives it.
 */
public final class Scenarios {

  private static final List<Scenario> ALL = all(StoreMemory.OWN, StoreMemory.SHARED);

  private static List<Scenario> all(StoreMemory... memories) {
    List<Scenario> all = new ArrayList<>();
    for (StoreMemory memory : memories) {
      all.addAll(crashes(memory));
    }
    all.add(new TableOvertaken());
    all.add(new EntriesReplaced());
    for (StoreMemory memory : memories) {
      all.add(ArchiveCrash.inDirectory(memory));
      all.add(ArchiveCrash.inObjects(memory));
    }
    return List.copyOf(all);
  }

  /** Returns the scenarios of stores that are killed, in either kind of memory. */
  private static List<Scenario> crashes(StoreMemory memory) {
    return List.of(
        new EngineCrash(
            "engine-kill",
            "a commit that had returned is lost when the process is killed",
            false,
            memory,
            EngineCrash.Death.KILL,
            EngineCrash.Death.CLOSE),
        new EngineCrash(
            "engine-power",
            "an acknowledged commit is lost, or the state is no legal cut, after a power cut",
            false,
            memory,
            EngineCrash.Death.POWER),
        new EngineCrash(
            "engine-mixed",
            "incarnations that end in different ways disagree about what happened",
            false,
            memory,
            EngineCrash.Death.KILL,
            EngineCrash.Death.POWER,
            EngineCrash.Death.SHUTDOWN,
            EngineCrash.Death.REPLACEMENT,
            EngineCrash.Death.CLOSE),
        EngineCrash.inCreation(
            "engine-creation",
            "a store whose creation was cut short is less durable than what it then promises",
            memory,
            EngineCrash.Death.KILL,
            EngineCrash.Death.POWER,
            EngineCrash.Death.SHUTDOWN),
        new InstantOpen(memory),
        new SummarisedLog(memory),
        new EngineOvertaken(memory),
        new EngineDamage(memory),
        new EngineFaults(
            "engine-faults",
            "a failed operation loses or invents a commit, or is reported as something else",
            false,
            memory),
        new EngineCrash(
            "checkpoint-power",
            "a checkpoint beside commits loses one of them, or shows a lost one, in a power cut",
            true,
            memory,
            EngineCrash.Death.POWER),
        new EngineCrash(
            "checkpoint-mixed",
            "a checkpoint, a fold or a trim that was cut short costs a commit",
            true,
            memory,
            EngineCrash.Death.KILL,
            EngineCrash.Death.POWER,
            EngineCrash.Death.SHUTDOWN,
            EngineCrash.Death.REPLACEMENT,
            EngineCrash.Death.CLOSE),
        new EngineCrash(
            "checkpoint-damage",
            "a damaged journal costs a commit though the log still reaches back",
            true,
            memory,
            EngineCrash.Death.KILL,
            EngineCrash.Death.DAMAGED_JOURNALS),
        new CheckpointOvertaken(memory),
        new CheckpointTrim(memory),
        new LargeTransactions(memory),
        new LogLimit(memory),
        new EngineFaults(
            "checkpoint-faults",
            "an operation that fails during a checkpoint, a fold or a trim costs a commit",
            true,
            memory));
  }

  private Scenarios() {}

  /** Returns all of them, in the order they are run. */
  public static List<Scenario> all() {
    return ALL;
  }

  /**
   * Returns one.
   *
   * @throws IllegalArgumentException if there is none of this name; lists those there are
   */
  public static Scenario named(String name) {
    return ALL.stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no scenario is called "
                        + name
                        + "; there are: "
                        + String.join(", ", ALL.stream().map(Scenario::name).toList())));
  }
}
