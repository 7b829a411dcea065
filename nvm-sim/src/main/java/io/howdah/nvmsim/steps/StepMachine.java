package io.howdah.nvmsim.steps;

import io.howdah.nvmsim.mem.MemoryPort;
import io.howdah.nvmsim.schedule.SimThread;

/**
 * Runs a {@link StepProgram} for one thread, over and over: each run is one operation. Belongs to
 * the thread that calls it.
 */
public final class StepMachine {
  private final Step[] steps;
  private final long[] variables;
  private final StepNotes notes;
  private int next;

  public StepMachine(StepProgram program, StepNotes notes) {
    this.steps = program.steps.toArray(Step[]::new);
    this.variables = new long[program.variables];
    this.notes = notes;
  }

  /** Goes to the first event of a run. */
  public void begin(int thread, long operation) {
    variables[Steps.THREAD] = thread;
    variables[Steps.OPERATION] = operation;
    next = 0;
    settle();
  }

  /** What a variable holds. */
  public long value(Term.Variable variable) {
    return variables[variable.index()];
  }

  /** Takes the next event as a turn of a scheduler; true if it was the run's last. */
  public boolean turn(SimThread self) {
    Step step = steps[next];
    if (step.kind() == Step.Kind.SPIN_WHILE) {
      long address = step.first().value(variables);
      long now = self.load(address, step.site());
      if (now == step.second().value(variables)) {
        self.blockUntilWritten(address);
        return false;
      }
      variables[step.into()] = now;
      next++;
    } else {
      event(step, self);
    }
    settle();
    return next == steps.length;
  }

  /** Runs to the end on a port that can wait. */
  public void run(int thread, long operation, MemoryPort port) {
    begin(thread, operation);
    while (next < steps.length) {
      Step step = steps[next];
      if (step.kind() == Step.Kind.SPIN_WHILE) {
        variables[step.into()] =
            port.spinWhile(
                step.first().value(variables), step.second().value(variables), step.site());
        next++;
      } else {
        event(step, port);
      }
      settle();
    }
  }

  private void event(Step step, MemoryPort port) {
    long[] now = variables;
    next++;
    switch (step.kind()) {
      case LOAD -> now[step.into()] = port.load(step.first().value(now), step.site());
      case STORE -> port.store(step.first().value(now), step.second().value(now), step.site());
      case EXCHANGE ->
          now[step.into()] =
              port.exchange(step.first().value(now), step.second().value(now), step.site());
      case COMPARE_AND_SET -> {
        if (!port.compareAndSet(
            step.first().value(now),
            step.second().value(now),
            step.third().value(now),
            step.site())) {
          next = step.target();
        }
      }
      case PERSIST_BARRIER -> port.persistBarrier(step.site());
      case NEW_STRAND -> port.newStrand(step.site());
      default -> throw new IllegalStateException("no event: " + step);
    }
  }

  /** Takes the steps that are no events. */
  private void settle() {
    long[] now = variables;
    while (next < steps.length && !steps[next].kind().isEvent()) {
      Step step = steps[next++];
      switch (step.kind()) {
        case ASSIGN -> now[step.into()] = step.first().value(now);
        case JUMP -> next = step.target();
        case JUMP_IF_EQUAL -> {
          if (step.first().value(now) == step.second().value(now)) {
            next = step.target();
          }
        }
        case JUMP_IF_LESS -> {
          if (step.first().value(now) < step.second().value(now)) {
            next = step.target();
          }
        }
        default -> notes.note(step.site(), step.first().value(now));
      }
    }
  }
}
