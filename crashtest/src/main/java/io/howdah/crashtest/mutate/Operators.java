package io.howdah.crashtest.mutate;

/** Which changes are made to instructions. */
public enum Operators {

  /** Those that pitest makes if nothing is said: one comparison, sum, result or void call. */
  PITEST("DEFAULTS"),

  /**
   * Those that a reader makes who plants a bug: also branches taken always or never, constants,
   * what is assigned to a field, what a builder's call sets, calls replaced by an argument,
   * arguments that are exchanged or 1 too large, other units, and returns in the middle.
   */
  PLANTERS(
      "DEFAULTS",
      "REMOVE_CONDITIONALS",
      "REMOVE_INCREMENTS",
      "INLINE_CONSTS",
      "NON_VOID_METHOD_CALLS",
      "EXPERIMENTAL_MEMBER_VARIABLE",
      "EXPERIMENTAL_NAKED_RECEIVER",
      "EXPERIMENTAL_ARGUMENT_PROPAGATION",
      "HOWDAH_SWAPPED_ARGUMENTS",
      "HOWDAH_LARGER_ARGUMENT",
      "HOWDAH_OTHER_UNIT",
      "HOWDAH_EARLY_RETURN");

  private final String mutators;

  Operators(String... mutators) {
    this.mutators = String.join(",", mutators);
  }

  /** Returns what pitest calls them. */
  String mutators() {
    return mutators;
  }
}
