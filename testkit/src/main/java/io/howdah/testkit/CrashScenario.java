package io.howdah.testkit;

import io.howdah.testkit.schedule.SimulatedCrash;

/**
 * A program to be crash-tested, with what it promises. Each run has an instance of its own, so what
 * was acknowledged is kept in fields. Given the same machine it must do the same: no clock,
 * randomness or threads but the machine's.
 */
public interface CrashScenario {

  /**
   * Comes before the work, in a process of its own that ends in a kill; for a store that exists
   * already.
   */
  default void prepare(Machine machine) throws Exception {}

  /**
   * Works until done, or until it dies of a {@link SimulatedCrash} at any operation. It notes what
   * was acknowledged to it, at once.
   */
  void work(Machine machine) throws Exception;

  /**
   * Opens what is left, recovers, and throws if a promise is broken; see {@link CrashCheck#check}.
   * It must not change this object.
   */
  void check(Machine machine) throws Exception;
}
