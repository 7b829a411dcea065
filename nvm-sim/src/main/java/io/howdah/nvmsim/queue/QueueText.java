package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.steps.StepMachine;
import io.howdah.nvmsim.steps.StepProgram;
import io.howdah.nvmsim.steps.Steps;
import io.howdah.nvmsim.steps.Term;

/**
 * The text of a queue's insert: the one place where each of the two algorithms is written down. The
 * schedulers take it one event at a time ({@link QueueInserter}), real threads run it on a port
 * ({@link PersistentQueue}), and {@link NativeQueue} compiles it without tracing.
 */
abstract class QueueText {
  /** Note: a position is reserved. */
  static final int RESERVED = 0;

  /** Note: the records before a position are off the insert list. */
  static final int POPPED = 1;

  final Steps text = new Steps();
  final QueueMemory q;

  QueueText(QueueMemory memory) {
    this.q = memory;
  }

  /** The insert of a queue's design. */
  static QueueText insert(QueueMemory memory) {
    return switch (memory.spec().design()) {
      case COPY_WHILE_LOCKED -> new CopyWhileLocked(memory);
      case TWO_LOCK_CONCURRENT -> new TwoLockConcurrent(memory);
    };
  }

  /** Site of the operation's marks. */
  abstract int site();

  /** Variable that holds the insert's position in the end. */
  abstract Term.Variable position();

  /** The whole insert. */
  abstract StepProgram program();

  /** A machine that runs it for one thread of simulated memory. */
  final StepMachine machine() {
    return new StepMachine(
        program(),
        (number, value) -> {
          if (number == RESERVED) {
            q.checkReserve(value);
          } else {
            q.popped(value);
          }
        });
  }

  final void barrier(BarrierPoint point, int site) {
    if (q.spec.has(point)) {
      text.persistBarrier(site);
    }
  }

  /** Stores every word of the record at a position. */
  final void copyRecord(Term position, int site) {
    Term.Variable slot = text.variable();
    text.assign(slot, q.slot(position));
    for (int i = 0; i < q.recordWords; i++) {
      text.store(slot.plus((long) i * Long.BYTES), q.recordWord(i), site);
    }
  }

  /** A lock of the queue, as the running thread sees it. */
  final McsSteps lock(long lock) {
    return new McsSteps(text, Term.of(lock), q.mcsNode(text.thread(), lock));
  }
}
