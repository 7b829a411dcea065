package io.howdah.nvmsim.queue;

import static io.howdah.nvmsim.queue.BarrierPoint.*;

import io.howdah.nvmsim.schedule.SimThread;

/** {@link CopyWhileLocked#insert} as a state machine. */
final class CopyWhileLockedInserter extends QueueInserter {
  private static final int BARRIER_BEFORE_LOCK = 0;
  private static final int LOCK = 1;
  private static final int BARRIER_AFTER_LOCK = 2;
  private static final int STRAND = 3;
  private static final int LOAD_TAIL = 4;
  private static final int BARRIER_TAIL = 5;
  private static final int LOAD_HEAD = 6;
  private static final int COPY = 7;
  private static final int BARRIER_AFTER_COPY = 8;
  private static final int BARRIER_HEAD = 9;
  private static final int LOAD_HEAD_AGAIN = 10;
  private static final int STORE_HEAD = 11;
  private static final int BARRIER_AFTER_HEAD = 12;
  private static final int BARRIER_BEFORE_UNLOCK = 13;
  private static final int UNLOCK = 14;
  private static final int BARRIER_AFTER_UNLOCK = 15;
  private static final int AWAIT_ROOM = 16;

  private final McsMachine lock;
  private final boolean beforeLock;
  private final boolean afterLock;
  private final boolean aroundTail;
  private final boolean afterCopy;
  private final boolean beforeHead;
  private final boolean afterHead;
  private final boolean beforeUnlock;
  private final boolean afterUnlock;
  private long tail;
  private long head;
  private long slot;
  private int word;
  private boolean room;

  CopyWhileLockedInserter(QueueMemory memory, int thread, long inserts) {
    super(memory, thread, inserts);
    this.lock = new McsMachine(q.queueLock, q.mcsNode(thread, q.queueLock));
    this.beforeLock = q.spec.has(BEFORE_LOCK);
    this.afterLock = q.spec.has(AFTER_LOCK);
    this.aroundTail = q.spec.has(AROUND_TAIL);
    this.afterCopy = q.spec.has(AFTER_COPY);
    this.beforeHead = q.spec.has(BEFORE_HEAD);
    this.afterHead = q.spec.has(AFTER_HEAD);
    this.beforeUnlock = q.spec.has(BEFORE_UNLOCK);
    this.afterUnlock = q.spec.has(AFTER_UNLOCK);
  }

  @Override
  int site() {
    return QueueSites.INSERT_CWL;
  }

  @Override
  void begin() {
    state = beforeLock ? BARRIER_BEFORE_LOCK : LOCK;
  }

  @Override
  boolean turn(SimThread self) {
    switch (state) {
      case BARRIER_BEFORE_LOCK -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_BEFORE_LOCK);
        state = LOCK;
      }
      case LOCK -> {
        if (lock.stepLock(self, QueueSites.CWL_LOCK)) {
          state = afterLock ? BARRIER_AFTER_LOCK : STRAND;
        }
      }
      case BARRIER_AFTER_LOCK -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_AFTER_LOCK);
        state = STRAND;
      }
      case STRAND -> {
        self.newStrand(QueueSites.CWL_STRAND);
        state = checked ? LOAD_TAIL : LOAD_HEAD;
      }
      case LOAD_TAIL -> {
        tail = self.load(q.tail, QueueSites.CWL_TAIL);
        state = aroundTail ? BARRIER_TAIL : LOAD_HEAD;
      }
      case BARRIER_TAIL -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_TAIL);
        state = LOAD_HEAD;
      }
      case LOAD_HEAD -> {
        head = self.load(q.head, QueueSites.CWL_COPY);
        room = !checked || head - tail < q.dataLength;
        slot = q.slot(head);
        word = 0;
        state = room ? COPY : leave();
      }
      case COPY -> {
        self.store(slot + (long) word * Long.BYTES, recordWord(word), QueueSites.CWL_COPY);
        if (++word == q.recordWords) {
          state = afterCopy ? BARRIER_AFTER_COPY : beforeHead ? BARRIER_HEAD : LOAD_HEAD_AGAIN;
        }
      }
      case BARRIER_AFTER_COPY -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_AFTER_COPY);
        state = beforeHead ? BARRIER_HEAD : LOAD_HEAD_AGAIN;
      }
      case BARRIER_HEAD -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_HEAD);
        state = LOAD_HEAD_AGAIN;
      }
      case LOAD_HEAD_AGAIN -> {
        head = self.load(q.head, QueueSites.CWL_HEAD);
        state = STORE_HEAD;
      }
      case STORE_HEAD -> {
        self.store(q.head, head + q.slotLength, QueueSites.CWL_HEAD);
        state = afterHead ? BARRIER_AFTER_HEAD : leave();
      }
      case BARRIER_AFTER_HEAD -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_AFTER_HEAD);
        state = leave();
      }
      case BARRIER_BEFORE_UNLOCK -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_BEFORE_UNLOCK);
        state = UNLOCK;
      }
      case UNLOCK -> {
        if (lock.stepUnlock(self, QueueSites.CWL_UNLOCK)) {
          return afterUnlock ? goTo(BARRIER_AFTER_UNLOCK) : ended();
        }
      }
      case BARRIER_AFTER_UNLOCK -> {
        self.persistBarrier(QueueSites.CWL_BARRIER_AFTER_UNLOCK);
        return ended();
      }
      default -> {
        if (self.load(q.tail, QueueSites.CWL_TAIL) == tail) {
          self.blockUntilWritten(q.tail);
        } else {
          begin();
        }
      }
    }
    return false;
  }

  private int leave() {
    return beforeUnlock ? BARRIER_BEFORE_UNLOCK : UNLOCK;
  }

  private boolean goTo(int next) {
    state = next;
    return false;
  }

  /** An insert that found no room waits for some and starts over. */
  private boolean ended() {
    return room || goTo(AWAIT_ROOM);
  }
}
