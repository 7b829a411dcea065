package io.howdah.nvmsim.queue;

import static io.howdah.nvmsim.queue.BarrierPoint.*;

import io.howdah.nvmsim.schedule.SimThread;

/**
 * {@link TwoLockConcurrent#insert} as a state machine. The reserve lock is taken in two places, so
 * its steps are a sub-machine that returns to a given state.
 */
final class TwoLockInserter extends QueueInserter {
  private static final int LOAD_RESERVE_TAIL = 0;
  private static final int LOAD_HEAD_V = 1;
  private static final int STORE_HEAD_V = 2;
  private static final int STORE_END = 3;
  private static final int STORE_NEXT = 4;
  private static final int STORE_UNDONE = 5;
  private static final int LOAD_LIST_TAIL = 6;
  private static final int LINK = 7;
  private static final int STORE_LIST_TAIL = 8;
  private static final int STRAND = 9;
  private static final int LOAD_TAIL = 10;
  private static final int BARRIER_TAIL = 11;
  private static final int COPY = 12;
  private static final int BARRIER_AFTER_COPY = 13;
  private static final int BARRIER_BEFORE_UPDATE = 14;
  private static final int LOCK_UPDATE = 15;
  private static final int BARRIER_AFTER_UPDATE = 16;
  private static final int LOAD_OLDEST = 17;
  private static final int STORE_DONE = 18;
  private static final int LOAD_NEXT = 19;
  private static final int LOAD_NEXT_AGAIN = 20;
  private static final int CLEAR_LIST_TAIL = 21;
  private static final int CLEAR_OLDEST = 22;
  private static final int LOAD_DONE = 23;
  private static final int STORE_OLDEST = 24;
  private static final int LOAD_END = 25;
  private static final int BARRIER_HEAD = 26;
  private static final int STORE_HEAD = 27;
  private static final int BARRIER_AFTER_HEAD = 28;
  private static final int BARRIER_BEFORE_UPDATE_UNLOCK = 29;
  private static final int UNLOCK_UPDATE = 30;
  private static final int BARRIER_AFTER_UPDATE_UNLOCK = 31;
  private static final int AWAIT_ROOM = 32;
  private static final int RESERVE_BARRIER_BEFORE_LOCK = 33;
  private static final int RESERVE_LOCK = 34;
  private static final int RESERVE_BARRIER_AFTER_LOCK = 35;
  private static final int RESERVE_BARRIER_BEFORE_UNLOCK = 36;
  private static final int RESERVE_UNLOCK = 37;
  private static final int RESERVE_BARRIER_AFTER_UNLOCK = 38;

  private final McsMachine reserve;
  private final McsMachine update;
  private final boolean beforeLock;
  private final boolean afterLock;
  private final boolean aroundTail;
  private final boolean afterCopy;
  private final boolean beforeHead;
  private final boolean afterHead;
  private final boolean beforeUnlock;
  private final boolean afterUnlock;
  private final int thread;
  private int afterReserve;
  private long tail;
  private long start;
  private long slot;
  private int word;
  private long listTail;
  private long node;
  private long next;
  private long end;

  TwoLockInserter(QueueMemory memory, int thread, long inserts) {
    super(memory, thread, inserts);
    this.thread = thread;
    this.reserve = new McsMachine(q.reserveLock, q.mcsNode(thread, q.reserveLock));
    this.update = new McsMachine(q.updateLock, q.mcsNode(thread, q.updateLock));
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
    return QueueSites.INSERT_2LC;
  }

  @Override
  void begin() {
    lockReserve(checked ? LOAD_RESERVE_TAIL : LOAD_HEAD_V);
  }

  @Override
  boolean turn(SimThread self) {
    switch (state) {
      case LOAD_RESERVE_TAIL -> {
        tail = self.load(q.tail, QueueSites.RESERVE_TAIL);
        state = LOAD_HEAD_V;
      }
      case LOAD_HEAD_V -> {
        start = self.load(q.headV, QueueSites.RESERVE_HEAD);
        if (!checked || start - tail < q.dataLength) {
          q.checkReserve(start, thread);
          state = STORE_HEAD_V;
        } else {
          unlockReserve(AWAIT_ROOM);
        }
      }
      case STORE_HEAD_V -> {
        self.store(q.headV, start + q.slotLength, QueueSites.RESERVE_HEAD);
        node = q.listNode(start);
        slot = q.slot(start);
        end = start + q.slotLength;
        word = 0;
        state = STORE_END;
      }
      case STORE_END -> {
        self.store(node + QueueMemory.NODE_END, end, QueueSites.APPEND);
        state = STORE_NEXT;
      }
      case STORE_NEXT -> {
        self.store(node + QueueMemory.NODE_NEXT, 0, QueueSites.APPEND);
        state = STORE_UNDONE;
      }
      case STORE_UNDONE -> {
        self.store(node + QueueMemory.NODE_DONE, 0, QueueSites.APPEND);
        state = LOAD_LIST_TAIL;
      }
      case LOAD_LIST_TAIL -> {
        listTail = self.load(q.listTail, QueueSites.APPEND);
        state = LINK;
      }
      case LINK -> {
        long from = listTail == 0 ? q.listOldest : listTail + QueueMemory.NODE_NEXT;
        self.store(from, node, QueueSites.APPEND);
        state = STORE_LIST_TAIL;
      }
      case STORE_LIST_TAIL -> {
        self.store(q.listTail, node, QueueSites.APPEND);
        unlockReserve(STRAND);
      }
      case STRAND -> {
        self.newStrand(QueueSites.TWO_LOCK_STRAND);
        state = checked ? LOAD_TAIL : COPY;
      }
      case LOAD_TAIL -> {
        self.load(q.tail, QueueSites.TWO_LOCK_TAIL);
        state = aroundTail ? BARRIER_TAIL : COPY;
      }
      case BARRIER_TAIL -> {
        self.persistBarrier(QueueSites.TWO_LOCK_BARRIER_TAIL);
        state = COPY;
      }
      case COPY -> {
        self.store(slot + (long) word * Long.BYTES, recordWord(word), QueueSites.TWO_LOCK_COPY);
        if (++word == q.recordWords) {
          state = afterCopy ? BARRIER_AFTER_COPY : lockUpdate();
        }
      }
      case BARRIER_AFTER_COPY -> {
        self.persistBarrier(QueueSites.TWO_LOCK_BARRIER_AFTER_COPY);
        state = lockUpdate();
      }
      case BARRIER_BEFORE_UPDATE -> {
        self.persistBarrier(QueueSites.UPDATE_BARRIER_BEFORE_LOCK);
        state = LOCK_UPDATE;
      }
      case LOCK_UPDATE -> {
        if (update.stepLock(self, QueueSites.UPDATE_LOCK)) {
          state = afterLock ? BARRIER_AFTER_UPDATE : LOAD_OLDEST;
        }
      }
      case BARRIER_AFTER_UPDATE -> {
        self.persistBarrier(QueueSites.UPDATE_BARRIER_AFTER_LOCK);
        state = LOAD_OLDEST;
      }
      case LOAD_OLDEST ->
          state = self.load(q.listOldest, QueueSites.REMOVE_NODE) == node ? LOAD_NEXT : STORE_DONE;
      case STORE_DONE -> {
        self.store(node + QueueMemory.NODE_DONE, 1, QueueSites.REMOVE_NODE);
        state = unlockUpdate();
      }
      case LOAD_NEXT -> {
        next = self.load(node + QueueMemory.NODE_NEXT, QueueSites.REMOVE_NODE);
        if (next == 0) {
          lockReserve(LOAD_NEXT_AGAIN);
        } else {
          state = LOAD_DONE;
        }
      }
      case LOAD_NEXT_AGAIN -> {
        next = self.load(node + QueueMemory.NODE_NEXT, QueueSites.REMOVE_NODE);
        if (next == 0) {
          state = CLEAR_LIST_TAIL;
        } else {
          unlockReserve(LOAD_DONE);
        }
      }
      case CLEAR_LIST_TAIL -> {
        self.store(q.listTail, 0, QueueSites.REMOVE_NODE);
        state = CLEAR_OLDEST;
      }
      case CLEAR_OLDEST -> {
        self.store(q.listOldest, 0, QueueSites.REMOVE_NODE);
        q.popped(end);
        unlockReserve(persistHead());
      }
      case LOAD_DONE ->
          state =
              self.load(next + QueueMemory.NODE_DONE, QueueSites.REMOVE_NODE) == 0
                  ? STORE_OLDEST
                  : LOAD_END;
      case STORE_OLDEST -> {
        self.store(q.listOldest, next, QueueSites.REMOVE_NODE);
        q.popped(end);
        state = persistHead();
      }
      case LOAD_END -> {
        end = self.load(next + QueueMemory.NODE_END, QueueSites.REMOVE_NODE);
        node = next;
        state = LOAD_NEXT;
      }
      case BARRIER_HEAD -> {
        self.persistBarrier(QueueSites.TWO_LOCK_BARRIER_HEAD);
        state = STORE_HEAD;
      }
      case STORE_HEAD -> {
        self.store(q.head, end, QueueSites.TWO_LOCK_HEAD);
        state = afterHead ? BARRIER_AFTER_HEAD : unlockUpdate();
      }
      case BARRIER_AFTER_HEAD -> {
        self.persistBarrier(QueueSites.TWO_LOCK_BARRIER_AFTER_HEAD);
        state = unlockUpdate();
      }
      case BARRIER_BEFORE_UPDATE_UNLOCK -> {
        self.persistBarrier(QueueSites.UPDATE_BARRIER_BEFORE_UNLOCK);
        state = UNLOCK_UPDATE;
      }
      case UNLOCK_UPDATE -> {
        if (update.stepUnlock(self, QueueSites.UPDATE_UNLOCK)) {
          state = BARRIER_AFTER_UPDATE_UNLOCK;
          return !afterUnlock;
        }
      }
      case BARRIER_AFTER_UPDATE_UNLOCK -> {
        self.persistBarrier(QueueSites.UPDATE_BARRIER_AFTER_UNLOCK);
        return true;
      }
      case AWAIT_ROOM -> {
        if (self.load(q.tail, QueueSites.RESERVE_TAIL) == tail) {
          self.blockUntilWritten(q.tail);
        } else {
          begin();
        }
      }
      default -> reserveTurn(self);
    }
    return false;
  }

  private int lockUpdate() {
    return beforeLock ? BARRIER_BEFORE_UPDATE : LOCK_UPDATE;
  }

  private int persistHead() {
    return beforeHead ? BARRIER_HEAD : STORE_HEAD;
  }

  private int unlockUpdate() {
    return beforeUnlock ? BARRIER_BEFORE_UPDATE_UNLOCK : UNLOCK_UPDATE;
  }

  private void lockReserve(int then) {
    afterReserve = then;
    state = beforeLock ? RESERVE_BARRIER_BEFORE_LOCK : RESERVE_LOCK;
  }

  private void unlockReserve(int then) {
    afterReserve = then;
    state = beforeUnlock ? RESERVE_BARRIER_BEFORE_UNLOCK : RESERVE_UNLOCK;
  }

  private void reserveTurn(SimThread self) {
    switch (state) {
      case RESERVE_BARRIER_BEFORE_LOCK -> {
        self.persistBarrier(QueueSites.RESERVE_BARRIER_BEFORE_LOCK);
        state = RESERVE_LOCK;
      }
      case RESERVE_LOCK -> {
        if (reserve.stepLock(self, QueueSites.RESERVE_LOCK)) {
          state = afterLock ? RESERVE_BARRIER_AFTER_LOCK : afterReserve;
        }
      }
      case RESERVE_BARRIER_AFTER_LOCK -> {
        self.persistBarrier(QueueSites.RESERVE_BARRIER_AFTER_LOCK);
        state = afterReserve;
      }
      case RESERVE_BARRIER_BEFORE_UNLOCK -> {
        self.persistBarrier(QueueSites.RESERVE_BARRIER_BEFORE_UNLOCK);
        state = RESERVE_UNLOCK;
      }
      case RESERVE_UNLOCK -> {
        if (reserve.stepUnlock(self, QueueSites.RESERVE_UNLOCK)) {
          state = afterUnlock ? RESERVE_BARRIER_AFTER_UNLOCK : afterReserve;
        }
      }
      default -> {
        self.persistBarrier(QueueSites.RESERVE_BARRIER_AFTER_UNLOCK);
        state = afterReserve;
      }
    }
  }
}
