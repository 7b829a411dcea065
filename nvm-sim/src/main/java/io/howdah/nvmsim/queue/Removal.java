package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.steps.StepProgram;
import io.howdah.nvmsim.steps.Steps;
import io.howdah.nvmsim.steps.Term;

/**
 * Removal, the same for both designs: read the oldest record, then persist the tail past it. The
 * tail must not be durable before the head that made the record valid; the barrier sees to that.
 * The slot must not be overwritten before the tail is durable; the inserts see to that.
 */
final class Removal {
  private final Steps text = new Steps();
  private final QueueMemory q;
  private final Term.Variable tail = text.variable();
  private final Term.Variable head = text.variable();
  private final Term.Variable word = text.variable();

  /** The first word of the record: its length and, above it, the thread that inserted it. */
  final Term.Variable first = text.variable();

  /** The insert that the record came from. */
  final Term.Variable operation = text.variable();

  Removal(QueueMemory memory) {
    if (!memory.spec.checked()) {
      throw new IllegalStateException("only a checked queue can remove");
    }
    this.q = memory;
  }

  StepProgram program() {
    long lockWord =
        q.spec.design() == QueueSpec.Design.COPY_WHILE_LOCKED ? q.queueLock : q.removeLock;
    McsSteps lock = new McsSteps(text, Term.of(lockWord), q.mcsNode(text.thread(), lockWord));
    Steps.Label empty = text.label();
    Steps.Label taken = text.label();
    text.repeat(
        () -> {
          text.persistBarrier(QueueSites.REMOVE_BARRIER);
          lock.lock(QueueSites.REMOVE_LOCK);
          text.persistBarrier(QueueSites.REMOVE_BARRIER);
          text.newStrand(QueueSites.REMOVE);
          text.load(tail, Term.of(q.tail), QueueSites.REMOVE_READ);
          text.load(head, Term.of(q.head), QueueSites.REMOVE_READ);
          text.jumpIfEqual(head, tail, empty);
          take();
          unlock(lock);
          text.jump(taken);
          text.here(empty);
          unlock(lock);
          text.spinWhile(head, Term.of(q.head), head, QueueSites.REMOVE_READ);
        });
    text.here(taken);
    return text.program();
  }

  private void take() {
    for (int i = 0; i < q.recordWords; i++) {
      text.load(
          i == 0 ? first : i == 1 ? operation : word,
          q.slot(tail).plus((long) i * Long.BYTES),
          QueueSites.REMOVE_READ);
    }
    if (q.spec.has(BarrierPoint.AROUND_TAIL)) {
      text.persistBarrier(QueueSites.REMOVE_BARRIER);
    }
    text.store(Term.of(q.tail), tail.plus(q.slotLength), QueueSites.REMOVE_TAIL);
  }

  private void unlock(McsSteps lock) {
    text.persistBarrier(QueueSites.REMOVE_BARRIER);
    lock.unlock(QueueSites.REMOVE_UNLOCK);
    text.persistBarrier(QueueSites.REMOVE_BARRIER);
  }
}
