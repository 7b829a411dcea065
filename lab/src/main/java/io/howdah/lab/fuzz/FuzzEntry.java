package io.howdah.lab.fuzz;

import io.howdah.crashtest.fuzz.FuzzTarget;

/** Where Jazzer calls in. The property {@value #PROPERTY} names the target. */
public final class FuzzEntry {

  /** The system property with the target's name. */
  public static final String PROPERTY = "howdah.fuzz";

  private static final FuzzTarget TARGET =
      FuzzTargets.named(System.getProperty(PROPERTY, "memcached"));

  private FuzzEntry() {}

  /**
   * Runs the first seed before the clock of the inputs starts; Jazzer finds the method by its name.
   * Loading and instrumenting the engine's classes takes longer on a busy machine than an input may
   * take.
   */
  public static void fuzzerInitialize() throws Exception {
    TARGET.run(TARGET.seeds().getFirst());
  }

  /** Runs one input; Jazzer finds the method by its name. */
  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    TARGET.run(input);
  }
}
