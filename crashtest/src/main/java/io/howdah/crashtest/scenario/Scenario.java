package io.howdah.crashtest.scenario;

import io.howdah.crashtest.oracle.Violation;

/**
 * A workload with crashes or faults, and the judgement of what is found afterwards. It runs
 * production code and knows nothing of planted bugs, so that the same scenario proves the engine
 * right and a broken engine wrong.
 */
public interface Scenario {

  /** Returns the name that selects it: lower case, words joined by hyphens. */
  String name();

  /** Returns, in one line, the hazard it hunts. */
  String hazard();

  /**
   * Runs until the budget is spent.
   *
   * @throws Violation if a promise is broken
   */
  void run(Budget budget) throws Exception;
}
