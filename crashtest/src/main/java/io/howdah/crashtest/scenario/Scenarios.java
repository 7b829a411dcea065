package io.howdah.crashtest.scenario;

import java.util.List;

/** All scenarios, by name. */
public final class Scenarios {

  private static final List<Scenario> ALL =
      List.of(
          new EngineCrash(
              "engine-kill",
              "a commit that had returned is lost when the process is killed",
              false,
              EngineCrash.Death.KILL,
              EngineCrash.Death.CLOSE),
          new EngineCrash(
              "engine-power",
              "an acknowledged commit is lost, or the state is no legal cut, after a power cut",
              false,
              EngineCrash.Death.POWER),
          new EngineCrash(
              "engine-mixed",
              "incarnations that end in different ways disagree about what happened",
              false,
              EngineCrash.Death.KILL,
              EngineCrash.Death.POWER,
              EngineCrash.Death.SHUTDOWN,
              EngineCrash.Death.REPLACEMENT,
              EngineCrash.Death.CLOSE),
          EngineCrash.inCreation(
              "engine-creation",
              "a store whose creation was cut short is less durable than what it then promises",
              EngineCrash.Death.KILL,
              EngineCrash.Death.POWER,
              EngineCrash.Death.SHUTDOWN),
          EngineCrash.ofSharedMemory(
              "memory-kill",
              "memory that outlives the process is not what a recovery makes of files and rings",
              false,
              EngineCrash.Death.KILL,
              EngineCrash.Death.CLOSE),
          EngineCrash.ofSharedMemory(
              "memory-mixed",
              "memory that outlives the process and files disagree, or a page is not checkpointed",
              true,
              EngineCrash.Death.KILL,
              EngineCrash.Death.KILL,
              EngineCrash.Death.KILL,
              EngineCrash.Death.POWER,
              EngineCrash.Death.SHUTDOWN,
              EngineCrash.Death.REPLACEMENT,
              EngineCrash.Death.CLOSE),
          new InstantOpen(),
          new SummarisedLog(),
          new EngineOvertaken(),
          new TableOvertaken(),
          new EntriesReplaced(),
          new EngineDamage(),
          new EngineFaults(
              "engine-faults",
              "a failed operation loses or invents a commit, or is reported as something else",
              false),
          new EngineCrash(
              "checkpoint-power",
              "a checkpoint beside commits loses one of them, or shows a lost one, in a power cut",
              true,
              EngineCrash.Death.POWER),
          new EngineCrash(
              "checkpoint-mixed",
              "a checkpoint, a fold or a trim that was cut short costs a commit",
              true,
              EngineCrash.Death.KILL,
              EngineCrash.Death.POWER,
              EngineCrash.Death.SHUTDOWN,
              EngineCrash.Death.REPLACEMENT,
              EngineCrash.Death.CLOSE),
          new EngineCrash(
              "checkpoint-damage",
              "a damaged journal costs a commit though the log still reaches back",
              true,
              EngineCrash.Death.KILL,
              EngineCrash.Death.DAMAGED_JOURNALS),
          new CheckpointOvertaken(),
          new CheckpointTrim(),
          new LargeTransactions(),
          new LogLimit(),
          new EngineFaults(
              "checkpoint-faults",
              "an operation that fails during a checkpoint, a fold or a trim costs a commit",
              true));

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
