package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.schedule.SimThread;

/**
 * {@link McsLock} as a state machine: each call takes one turn, true when the lock changed hands.
 */
final class McsMachine {
  private final long lock;
  private final long node;
  private int state;
  private long ahead;

  McsMachine(long lock, long node) {
    this.lock = lock;
    this.node = node;
  }

  boolean stepLock(SimThread self, int site) {
    switch (state) {
      case 0 -> {
        self.store(node + McsLock.NEXT, 0, site);
        state = 1;
      }
      case 1 -> {
        ahead = self.exchange(lock, node, site);
        if (ahead == 0) {
          state = 0;
          return true;
        }
        state = 2;
      }
      case 2 -> {
        self.store(node + McsLock.LOCKED, 1, site);
        state = 3;
      }
      case 3 -> {
        self.store(ahead + McsLock.NEXT, node, site);
        state = 4;
      }
      default -> {
        if (self.load(node + McsLock.LOCKED, site) == 0) {
          state = 0;
          return true;
        }
        self.blockUntilWritten(node + McsLock.LOCKED);
      }
    }
    return false;
  }

  boolean stepUnlock(SimThread self, int site) {
    switch (state) {
      case 0 -> {
        ahead = self.load(node + McsLock.NEXT, site);
        state = ahead == 0 ? 1 : 3;
      }
      case 1 -> {
        if (self.compareAndSet(lock, node, 0, site)) {
          state = 0;
          return true;
        }
        state = 2;
      }
      case 2 -> {
        ahead = self.load(node + McsLock.NEXT, site);
        if (ahead == 0) {
          self.blockUntilWritten(node + McsLock.NEXT);
        } else {
          state = 3;
        }
      }
      default -> {
        self.store(ahead + McsLock.LOCKED, 0, site);
        state = 0;
        return true;
      }
    }
    return false;
  }
}
