package io.howdah.crashtest.scenario;

import java.util.List;

/** All scenarios, by name. */
public final class Scenarios {

  private static final List<Scenario> ALL = List.of();

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
