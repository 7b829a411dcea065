package io.howdah.crashtest.scenario;

import io.howdah.crashtest.oracle.Violation;

/**
 * Runs one scenario in a JVM of its own: {@code NAME SEED SECONDS}. Exit code 0 if no promise was
 * broken, {@value #VIOLATED} if one was, anything else if the run itself failed.
 */
public final class ScenarioMain {

  /** Exit code for a broken promise. */
  public static final int VIOLATED = 1;

  private static final int FAILED = 3;

  private ScenarioMain() {}

  /** Runs the scenario. */
  public static void main(String[] args) {
    Budget budget =
        new Budget(Long.parseLong(args[1]), Double.parseDouble(args[2]), Long.MAX_VALUE);
    int exit = 0;
    try {
      Scenarios.named(args[0]).run(budget);
      System.out.println(budget.attempts() + " attempts, no promise broken");
    } catch (Violation violation) {
      System.out.println(violation.getMessage());
      exit = VIOLATED;
    } catch (Throwable t) {
      t.printStackTrace(System.out);
      exit = FAILED;
    }
    System.out.flush();
    // Not System.exit: a broken engine may have left threads that shutdown would wait for.
    Runtime.getRuntime().halt(exit);
  }
}
