package io.howdah.nvmsim.queue;

import static io.howdah.nvmsim.queue.BarrierPoint.*;

import io.howdah.nvmsim.steps.StepProgram;
import io.howdah.nvmsim.steps.Steps;
import io.howdah.nvmsim.steps.Term;

/**
 * Two-Lock Concurrent (Algorithm 1, lines 16 to 32): one lock to reserve space, one to persist the
 * head, none while the record is copied. A volatile list of inserts in progress keeps the queue
 * without holes: whoever is the oldest persists the head for every completed insert behind it.
 */
final class TwoLockConcurrent extends QueueText {
  private static final Term NONE = Term.of(0);
  private static final Term DONE = Term.of(1);

  private final McsSteps reserve = lock(q.reserveLock);
  private final McsSteps update = lock(q.updateLock);
  private final Term.Variable start = text.variable();
  private final Term.Variable tail = text.variable();
  private final Term.Variable last = text.variable();
  private final Term.Variable oldest = text.variable();
  private final Term.Variable node = text.variable();
  private final Term.Variable next = text.variable();
  private final Term.Variable end = text.variable();
  private final Term.Variable done = text.variable();

  TwoLockConcurrent(QueueMemory memory) {
    super(memory);
  }

  @Override
  int site() {
    return QueueSites.INSERT_2LC;
  }

  @Override
  Term.Variable position() {
    return start;
  }

  @Override
  StepProgram program() {
    reserveSpace();
    text.newStrand(QueueSites.TWO_LOCK_STRAND);
    if (q.spec.checked()) {
      text.load(tail, Term.of(q.tail), QueueSites.TWO_LOCK_TAIL);
      // The removal that freed the slot must be durable before the slot changes.
      barrier(AROUND_TAIL, QueueSites.TWO_LOCK_BARRIER_TAIL);
    }
    copyRecord(start, QueueSites.TWO_LOCK_COPY);
    barrier(AFTER_COPY, QueueSites.TWO_LOCK_BARRIER_AFTER_COPY);
    barrier(BEFORE_LOCK, QueueSites.UPDATE_BARRIER_BEFORE_LOCK);
    update.lock(QueueSites.UPDATE_LOCK);
    barrier(AFTER_LOCK, QueueSites.UPDATE_BARRIER_AFTER_LOCK);
    text.load(oldest, Term.of(q.listOldest), QueueSites.REMOVE_NODE);
    text.ifEqual(
        oldest,
        node,
        () -> {
          popCompleted();
          barrier(BEFORE_HEAD, QueueSites.TWO_LOCK_BARRIER_HEAD);
          text.store(Term.of(q.head), end, QueueSites.TWO_LOCK_HEAD);
          barrier(AFTER_HEAD, QueueSites.TWO_LOCK_BARRIER_AFTER_HEAD);
        },
        () -> text.store(node.plus(QueueMemory.NODE_DONE), DONE, QueueSites.REMOVE_NODE));
    barrier(BEFORE_UNLOCK, QueueSites.UPDATE_BARRIER_BEFORE_UNLOCK);
    update.unlock(QueueSites.UPDATE_UNLOCK);
    barrier(AFTER_UNLOCK, QueueSites.UPDATE_BARRIER_AFTER_UNLOCK);
    return text.program();
  }

  private void reserveSpace() {
    Steps.Label room = text.label();
    Steps.Label again = text.label();
    text.here(again);
    lockReserve();
    if (q.spec.checked()) {
      text.load(tail, Term.of(q.tail), QueueSites.RESERVE_TAIL);
    }
    text.load(start, Term.of(q.headV), QueueSites.RESERVE_HEAD);
    if (q.spec.checked()) {
      text.jumpIfLess(start.minus(tail), Term.of(q.dataLength), room);
      unlockReserve();
      text.spinWhile(tail, Term.of(q.tail), tail, QueueSites.RESERVE_TAIL);
      text.jump(again);
    }
    text.here(room);
    text.note(RESERVED, start);
    text.assign(node, q.listNode(start));
    text.assign(end, start.plus(q.slotLength));
    text.store(Term.of(q.headV), end, QueueSites.RESERVE_HEAD);
    append();
    unlockReserve();
  }

  /** Links the insert's node behind the last one of the list. */
  private void append() {
    text.store(node.plus(QueueMemory.NODE_END), end, QueueSites.APPEND);
    text.store(node.plus(QueueMemory.NODE_NEXT), NONE, QueueSites.APPEND);
    text.store(node.plus(QueueMemory.NODE_DONE), NONE, QueueSites.APPEND);
    text.load(last, Term.of(q.listTail), QueueSites.APPEND);
    text.ifEqual(
        last,
        NONE,
        () -> text.store(Term.of(q.listOldest), node, QueueSites.APPEND),
        () -> text.store(last.plus(QueueMemory.NODE_NEXT), node, QueueSites.APPEND));
    text.store(Term.of(q.listTail), node, QueueSites.APPEND);
  }

  /**
   * Takes the oldest node and every completed one behind it off the list; {@code end} is theirs.
   */
  private void popCompleted() {
    Steps.Label popped = text.label();
    Steps.Label follower = text.label();
    text.repeat(
        () -> {
          text.load(next, node.plus(QueueMemory.NODE_NEXT), QueueSites.REMOVE_NODE);
          text.ifEqual(next, NONE, () -> popLast(popped), () -> {});
          text.load(done, next.plus(QueueMemory.NODE_DONE), QueueSites.REMOVE_NODE);
          text.jumpIfEqual(done, DONE, follower);
          text.store(Term.of(q.listOldest), next, QueueSites.REMOVE_NODE);
          text.note(POPPED, end);
          text.jump(popped);
          text.here(follower);
          // Before the reserve lock is waited for: its holder may wait for this very slot.
          text.note(POPPED, end);
          text.load(end, next.plus(QueueMemory.NODE_END), QueueSites.REMOVE_NODE);
          text.assign(node, next);
        });
    text.here(popped);
  }

  /** Perhaps the last one: only the reserve lock keeps an append from following it now. */
  private void popLast(Steps.Label popped) {
    Steps.Label followed = text.label();
    lockReserve();
    text.load(next, node.plus(QueueMemory.NODE_NEXT), QueueSites.REMOVE_NODE);
    text.ifEqual(
        next,
        NONE,
        () -> {
          text.store(Term.of(q.listTail), NONE, QueueSites.REMOVE_NODE);
          text.store(Term.of(q.listOldest), NONE, QueueSites.REMOVE_NODE);
          text.note(POPPED, end);
          unlockReserve();
          text.jump(popped);
        },
        () -> text.jump(followed));
    text.here(followed);
    unlockReserve();
  }

  private void lockReserve() {
    barrier(BEFORE_LOCK, QueueSites.RESERVE_BARRIER_BEFORE_LOCK);
    reserve.lock(QueueSites.RESERVE_LOCK);
    barrier(AFTER_LOCK, QueueSites.RESERVE_BARRIER_AFTER_LOCK);
  }

  private void unlockReserve() {
    barrier(BEFORE_UNLOCK, QueueSites.RESERVE_BARRIER_BEFORE_UNLOCK);
    reserve.unlock(QueueSites.RESERVE_UNLOCK);
    barrier(AFTER_UNLOCK, QueueSites.RESERVE_BARRIER_AFTER_UNLOCK);
  }
}
