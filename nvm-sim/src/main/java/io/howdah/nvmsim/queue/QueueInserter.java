package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.schedule.SimProgram;
import io.howdah.nvmsim.schedule.SimThread;
import io.howdah.nvmsim.steps.StepMachine;

/** A thread that inserts a number of records, one event a turn: needs no thread of its own. */
public final class QueueInserter implements SimProgram {
  private final int thread;
  private final long inserts;
  private final int site;
  private final StepMachine machine;
  private long operation;
  private boolean begun;

  private QueueInserter(QueueText text, int thread, long inserts) {
    this.thread = thread;
    this.inserts = inserts;
    this.site = text.site();
    this.machine = text.machine();
  }

  /** The inserts of one thread. */
  public static QueueInserter of(QueueMemory memory, int thread, long inserts) {
    return new QueueInserter(QueueText.insert(memory), thread, inserts);
  }

  @Override
  public boolean step(SimThread self) {
    if (!begun) {
      if (inserts == 0) {
        return false;
      }
      begun = true;
      begin(self);
    }
    if (!machine.turn(self)) {
      return true;
    }
    self.opEnd(operation, site);
    if (++operation == inserts) {
      return false;
    }
    begin(self);
    return true;
  }

  private void begin(SimThread self) {
    machine.begin(thread, operation);
    self.opBegin(operation, site);
  }
}
