package io.howdah.nvmsim.steps;

/** A program's text as code without tracing; any number of threads. */
@FunctionalInterface
public interface NativeOperation {
  /** Runs one operation of a thread; the result is the variable that the class was made for. */
  long run(NativeMemory memory, StepNotes notes, long thread, long operation);
}
