package io.howdah.nvmsim.steps;

import java.util.List;

/** The text of a program: immutable, the same for all threads. */
public final class StepProgram {
  final List<Step> steps;
  final int variables;

  StepProgram(List<Step> steps, int variables) {
    this.steps = List.copyOf(steps);
    this.variables = variables;
  }
}
