package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.steps.Steps;
import io.howdah.nvmsim.steps.Term;

/**
 * The queue lock of Mellor-Crummey and Scott (TOCS 1991) in volatile memory, as steps of a program.
 * Each waiter spins on its own node; the lock is handed over in order of arrival.
 */
final class McsSteps {
  /** Node: the waiter behind, and whether this one must wait. */
  private static final int NEXT = 0;

  private static final int LOCKED = 8;
  private static final Term NONE = Term.of(0);
  private static final Term WAIT = Term.of(1);

  private final Steps text;
  private final Term lock;
  private final Term node;
  private final Term.Variable other;

  /**
   * A lock in a program.
   *
   * @param lock address of the lock word: last node in the queue, 0 if free
   * @param node address of the running thread's node, two words on a line of their own
   */
  McsSteps(Steps text, Term lock, Term node) {
    this.text = text;
    this.lock = lock;
    this.node = node;
    this.other = text.variable();
  }

  void lock(int site) {
    text.store(node.plus(NEXT), NONE, site);
    text.exchange(other, lock, node, site);
    text.ifEqual(
        other,
        NONE,
        () -> {},
        () -> {
          text.store(node.plus(LOCKED), WAIT, site);
          text.store(other.plus(NEXT), node, site);
          text.spinWhile(other, node.plus(LOCKED), WAIT, site);
        });
  }

  void unlock(int site) {
    Steps.Label follower = text.label();
    Steps.Label handOver = text.label();
    Steps.Label end = text.label();
    text.load(other, node.plus(NEXT), site);
    text.ifEqual(
        other,
        NONE,
        () -> {
          text.compareAndSet(lock, node, NONE, follower, site);
          text.jump(end);
          text.here(follower);
          text.spinWhile(other, node.plus(NEXT), NONE, site);
        },
        () -> text.jump(handOver));
    text.here(handOver);
    text.store(other.plus(LOCKED), NONE, site);
    text.here(end);
  }
}
