package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.MemoryPort;

/**
 * The queue lock of Mellor-Crummey and Scott (TOCS 1991) in simulated volatile memory. Each waiter
 * spins on its own node; the lock is handed over in order of arrival. One object per thread and
 * lock.
 */
final class McsLock {
  /** Node: the waiter behind, and whether this one must wait. */
  static final int NEXT = 0;

  static final int LOCKED = 8;

  private final long lock;
  private final long node;
  private boolean held;

  /**
   * A thread's view of a lock.
   *
   * @param lock the lock word: last node in the queue, 0 if free
   * @param node this thread's node, two words on a line of their own
   */
  public McsLock(long lock, long node) {
    this.lock = lock;
    this.node = node;
  }

  public void lock(MemoryPort port, int site) {
    if (held) {
      throw unmatched(port, "locks", "which it holds already");
    }
    port.store(node + NEXT, 0, site);
    long ahead = port.exchange(lock, node, site);
    if (ahead != 0) {
      port.store(node + LOCKED, 1, site);
      port.store(ahead + NEXT, node, site);
      port.spinWhile(node + LOCKED, 1, site);
    }
    held = true;
  }

  public void unlock(MemoryPort port, int site) {
    if (!held) {
      throw unmatched(port, "unlocks", "which it does not hold");
    }
    held = false;
    long next = port.load(node + NEXT, site);
    if (next == 0) {
      if (port.compareAndSet(lock, node, 0, site)) {
        return;
      }
      next = port.spinWhile(node + NEXT, 0, site);
    }
    port.store(next + LOCKED, 0, site);
  }

  private IllegalMonitorStateException unmatched(MemoryPort port, String does, String why) {
    return new IllegalMonitorStateException(
        "thread " + port.thread() + " " + does + " 0x" + Long.toHexString(lock) + ", " + why);
  }
}
