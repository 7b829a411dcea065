package io.howdah.nvmsim.litmus;

import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.program.LitmusProgram;
import io.howdah.nvmsim.px86.Px86Machine;
import io.howdah.nvmsim.px86.Quirk;
import io.howdah.nvmsim.px86.ReachableStates;
import io.howdah.nvmsim.px86.StoreBufferMachine;
import io.howdah.nvmsim.px86.SynchronousPx86Machine;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs litmus tests in full: every interleaving, every buffer's every move, every failure. */
public final class LitmusRunner {
  /**
   * What a test gave under one model.
   *
   * @param test the test
   * @param model the model
   * @param explored states visited
   * @param durable states of memory a failure can leave
   * @param mismatches what is not as expected, empty if all is
   * @param states the outcomes of each expectation, found, as text
   */
  public record Result(
      LitmusTest test,
      LitmusModel model,
      int explored,
      int durable,
      List<String> mismatches,
      List<String> states) {
    public Result {
      mismatches = List.copyOf(mismatches);
      states = List.copyOf(states);
    }
  }

  private final Set<Quirk> quirks;

  /** A runner on the right machine. */
  public LitmusRunner() {
    this(EnumSet.noneOf(Quirk.class));
  }

  /** A runner whose x86 machine is wrong in the given ways. */
  public LitmusRunner(Set<Quirk> quirks) {
    this.quirks = Set.copyOf(quirks);
  }

  /** Runs a test under every model it has expectations for. */
  public List<Result> run(LitmusTest test) {
    Map<LitmusModel, List<Expectation>> byModel = new EnumMap<>(LitmusModel.class);
    for (Expectation expectation : test.expectations()) {
      for (LitmusModel model : expectation.models()) {
        byModel.computeIfAbsent(model, _ -> new ArrayList<>()).add(expectation);
      }
    }
    List<Result> results = new ArrayList<>();
    byModel.forEach((model, expectations) -> results.add(run(test, model, expectations)));
    return results;
  }

  private Result run(LitmusTest test, LitmusModel model, List<Expectation> expectations) {
    List<String> mismatches = new ArrayList<>();
    ReachableStates reachable = explore(test.program(), model, mismatches);
    List<String> states = new ArrayList<>();
    for (Expectation expectation : expectations) {
      boolean memory = expectation.kind().ofMemory();
      Set<List<Integer>> found =
          project(memory ? reachable.durable() : reachable.ended(), expectation.columns());
      states.add((memory ? "nvm " : "final ") + expectation.format(found));
      if (!expectation.holdsFor(found)) {
        mismatches.add(
            expectation.kind()
                + ": expected "
                + expectation.format(expectation.outcomes())
                + ", found "
                + expectation.format(found));
      }
    }
    Set<List<Integer>> durable = project(reachable.durable(), persistent(test.program()));
    return new Result(test, model, reachable.explored(), durable.size(), mismatches, states);
  }

  private ReachableStates explore(
      LitmusProgram program, LitmusModel model, List<String> mismatches) {
    PersistencyModel persistency = model.persistency();
    if (persistency != null) {
      return new SequentialExploration(program, persistency).explore();
    }
    ReachableStates found =
        new Px86Machine(program, quirks).explore(StoreBufferMachine.DEFAULT_MAX_STATES);
    if (quirks.isEmpty()) {
      ReachableStates other =
          new SynchronousPx86Machine(program).explore(StoreBufferMachine.DEFAULT_MAX_STATES);
      if (!found.durable().equals(other.durable()) || !found.ended().equals(other.ended())) {
        mismatches.add("the machines with asynchronous and synchronous write-backs disagree");
      }
    }
    return found;
  }

  private static List<Integer> persistent(LitmusProgram program) {
    List<Integer> columns = new ArrayList<>();
    for (int i = 0; i < program.locations().size(); i++) {
      if (!program.volatileLocations().get(i)) {
        columns.add(i);
      }
    }
    return columns;
  }

  private static Set<List<Integer>> project(Set<List<Integer>> outcomes, List<Integer> columns) {
    Set<List<Integer>> projected = new HashSet<>();
    for (List<Integer> outcome : outcomes) {
      projected.add(columns.stream().map(outcome::get).toList());
    }
    return projected;
  }
}
