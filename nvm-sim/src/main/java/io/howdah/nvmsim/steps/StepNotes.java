package io.howdah.nvmsim.steps;

/** Receives a program's notes: what its run tells about itself beside its events. */
@FunctionalInterface
public interface StepNotes {
  void note(int number, long value);
}
