package io.howdah.nvmsim.queue;

import static io.howdah.nvmsim.queue.BarrierPoint.*;

import io.howdah.nvmsim.steps.StepProgram;
import io.howdah.nvmsim.steps.Steps;
import io.howdah.nvmsim.steps.Term;

/** Copy While Locked (Algorithm 1, lines 2 to 14): one lock round the whole insert. */
final class CopyWhileLocked extends QueueText {
  private final Term.Variable start = text.variable();
  private final Term.Variable head = text.variable();
  private final Term.Variable tail = text.variable();

  CopyWhileLocked(QueueMemory memory) {
    super(memory);
  }

  @Override
  int site() {
    return QueueSites.INSERT_CWL;
  }

  @Override
  Term.Variable position() {
    return start;
  }

  @Override
  StepProgram program() {
    McsSteps lock = lock(q.queueLock);
    Steps.Label room = text.label();
    Steps.Label again = text.label();
    text.here(again);
    lock(lock);
    text.newStrand(QueueSites.CWL_STRAND);
    if (q.spec.checked()) {
      text.load(tail, Term.of(q.tail), QueueSites.CWL_TAIL);
      // The removal that freed the slot must be durable before the slot changes.
      barrier(AROUND_TAIL, QueueSites.CWL_BARRIER_TAIL);
    }
    text.load(start, Term.of(q.head), QueueSites.CWL_COPY);
    if (q.spec.checked()) {
      text.jumpIfLess(start.minus(tail), Term.of(q.dataLength), room);
      unlock(lock);
      text.spinWhile(tail, Term.of(q.tail), tail, QueueSites.CWL_TAIL);
      text.jump(again);
    }
    text.here(room);
    copyRecord(start, QueueSites.CWL_COPY);
    barrier(AFTER_COPY, QueueSites.CWL_BARRIER_AFTER_COPY);
    barrier(BEFORE_HEAD, QueueSites.CWL_BARRIER_HEAD);
    // Line 9 reads the head again; strong persist atomicity serialises the persists to it.
    text.load(head, Term.of(q.head), QueueSites.CWL_HEAD);
    text.store(Term.of(q.head), head.plus(q.slotLength), QueueSites.CWL_HEAD);
    barrier(AFTER_HEAD, QueueSites.CWL_BARRIER_AFTER_HEAD);
    unlock(lock);
    return text.program();
  }

  private void lock(McsSteps lock) {
    barrier(BEFORE_LOCK, QueueSites.CWL_BARRIER_BEFORE_LOCK);
    lock.lock(QueueSites.CWL_LOCK);
    barrier(AFTER_LOCK, QueueSites.CWL_BARRIER_AFTER_LOCK);
  }

  private void unlock(McsSteps lock) {
    barrier(BEFORE_UNLOCK, QueueSites.CWL_BARRIER_BEFORE_UNLOCK);
    lock.unlock(QueueSites.CWL_UNLOCK);
    barrier(AFTER_UNLOCK, QueueSites.CWL_BARRIER_AFTER_UNLOCK);
  }
}
