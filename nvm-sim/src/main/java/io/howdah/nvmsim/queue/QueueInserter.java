package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.schedule.SimProgram;
import io.howdah.nvmsim.schedule.SimThread;

/**
 * A thread that inserts a number of records, as a state machine. The trace generator's hot path.
 */
public abstract sealed class QueueInserter implements SimProgram
    permits CopyWhileLockedInserter, TwoLockInserter {
  final QueueMemory q;
  final boolean checked;
  private final int thread;
  private final long inserts;
  long operation;
  int state;
  private boolean begun;

  QueueInserter(QueueMemory memory, int thread, long inserts) {
    this.q = memory;
    this.checked = memory.spec.checked();
    this.thread = thread;
    this.inserts = inserts;
  }

  /** The state machine for a queue's design. */
  public static QueueInserter of(QueueMemory memory, int thread, long inserts) {
    return switch (memory.spec().design()) {
      case COPY_WHILE_LOCKED -> new CopyWhileLockedInserter(memory, thread, inserts);
      case TWO_LOCK_CONCURRENT -> new TwoLockInserter(memory, thread, inserts);
    };
  }

  @Override
  public final boolean step(SimThread self) {
    if (!begun) {
      if (inserts == 0) {
        return false;
      }
      begun = true;
      begin();
      self.opBegin(operation, site());
    }
    if (!turn(self)) {
      return true;
    }
    self.opEnd(operation, site());
    if (++operation == inserts) {
      return false;
    }
    begin();
    self.opBegin(operation, site());
    return true;
  }

  final long recordWord(int index) {
    return RecordContent.word(q.spec.entryLength(), thread, operation, index);
  }

  /** Goes to the first state of an insert. */
  abstract void begin();

  /** Takes one turn of the insert; true if it was the last. */
  abstract boolean turn(SimThread self);

  /** Site of the operation's marks. */
  abstract int site();
}
