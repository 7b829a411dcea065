package io.howdah.nvmsim.queue;

import static io.howdah.nvmsim.queue.BarrierPoint.*;

import io.howdah.nvmsim.mem.MemoryPort;

/**
 * Two-Lock Concurrent (Algorithm 1, lines 16 to 32): one lock to reserve space, one to persist the
 * head, none while the record is copied. A volatile list of inserts in progress keeps the queue
 * without holes: whoever is the oldest persists the head for every completed insert behind it.
 * {@link TwoLockInserter} is the same program as a state machine.
 */
final class TwoLockConcurrent implements PersistentQueue {
  private final QueueMemory q;
  private final QueueSpec spec;
  private final McsLock reserve;
  private final McsLock update;
  private final Remover remover;

  TwoLockConcurrent(QueueMemory memory, int thread) {
    this.q = memory;
    this.spec = memory.spec;
    this.reserve = new McsLock(q.reserveLock, q.mcsNode(thread, q.reserveLock));
    this.update = new McsLock(q.updateLock, q.mcsNode(thread, q.updateLock));
    this.remover = new Remover(memory, new McsLock(q.removeLock, q.mcsNode(thread, q.removeLock)));
  }

  @Override
  public long insert(MemoryPort port, long operation) {
    port.opBegin(operation, QueueSites.INSERT_2LC);
    long start = reserveSpace(port);
    port.newStrand(QueueSites.TWO_LOCK_STRAND);
    if (spec.checked()) {
      port.load(q.tail, QueueSites.TWO_LOCK_TAIL);
      // The removal that freed the slot must be durable before the slot changes.
      barrier(port, AROUND_TAIL, QueueSites.TWO_LOCK_BARRIER_TAIL);
    }
    for (int i = 0; i < q.recordWords; i++) {
      port.store(
          q.slot(start) + (long) i * Long.BYTES,
          RecordContent.word(spec.entryLength(), port.thread(), operation, i),
          QueueSites.TWO_LOCK_COPY);
    }
    barrier(port, AFTER_COPY, QueueSites.TWO_LOCK_BARRIER_AFTER_COPY);
    barrier(port, BEFORE_LOCK, QueueSites.UPDATE_BARRIER_BEFORE_LOCK);
    update.lock(port, QueueSites.UPDATE_LOCK);
    barrier(port, AFTER_LOCK, QueueSites.UPDATE_BARRIER_AFTER_LOCK);
    long node = q.listNode(start);
    if (port.load(q.listOldest, QueueSites.REMOVE_NODE) == node) {
      long newHead = popCompleted(port, node, start + q.slotLength);
      barrier(port, BEFORE_HEAD, QueueSites.TWO_LOCK_BARRIER_HEAD);
      port.store(q.head, newHead, QueueSites.TWO_LOCK_HEAD);
      barrier(port, AFTER_HEAD, QueueSites.TWO_LOCK_BARRIER_AFTER_HEAD);
    } else {
      port.store(node + QueueMemory.NODE_DONE, 1, QueueSites.REMOVE_NODE);
    }
    barrier(port, BEFORE_UNLOCK, QueueSites.UPDATE_BARRIER_BEFORE_UNLOCK);
    update.unlock(port, QueueSites.UPDATE_UNLOCK);
    barrier(port, AFTER_UNLOCK, QueueSites.UPDATE_BARRIER_AFTER_UNLOCK);
    port.opEnd(operation, QueueSites.INSERT_2LC);
    return start;
  }

  private long reserveSpace(MemoryPort port) {
    while (true) {
      lockReserve(port);
      long tail = spec.checked() ? port.load(q.tail, QueueSites.RESERVE_TAIL) : 0;
      long start = port.load(q.headV, QueueSites.RESERVE_HEAD);
      if (!spec.checked() || start - tail < q.dataLength) {
        q.checkReserve(start, port.thread());
        port.store(q.headV, start + q.slotLength, QueueSites.RESERVE_HEAD);
        append(port, q.listNode(start), start + q.slotLength);
        unlockReserve(port);
        return start;
      }
      unlockReserve(port);
      port.spinWhile(q.tail, tail, QueueSites.RESERVE_TAIL);
    }
  }

  private void append(MemoryPort port, long node, long end) {
    port.store(node + QueueMemory.NODE_END, end, QueueSites.APPEND);
    port.store(node + QueueMemory.NODE_NEXT, 0, QueueSites.APPEND);
    port.store(node + QueueMemory.NODE_DONE, 0, QueueSites.APPEND);
    long last = port.load(q.listTail, QueueSites.APPEND);
    port.store(last == 0 ? q.listOldest : last + QueueMemory.NODE_NEXT, node, QueueSites.APPEND);
    port.store(q.listTail, node, QueueSites.APPEND);
  }

  /** Takes the oldest node and every completed one behind it off the list; returns their end. */
  private long popCompleted(MemoryPort port, long oldest, long itsEnd) {
    long node = oldest;
    long end = itsEnd;
    while (true) {
      long next = port.load(node + QueueMemory.NODE_NEXT, QueueSites.REMOVE_NODE);
      if (next == 0) {
        // Perhaps the last one: only the reserve lock keeps an append from following it now.
        lockReserve(port);
        next = port.load(node + QueueMemory.NODE_NEXT, QueueSites.REMOVE_NODE);
        if (next == 0) {
          port.store(q.listTail, 0, QueueSites.REMOVE_NODE);
          port.store(q.listOldest, 0, QueueSites.REMOVE_NODE);
          q.popped(end);
          unlockReserve(port);
          return end;
        }
        unlockReserve(port);
      }
      if (port.load(next + QueueMemory.NODE_DONE, QueueSites.REMOVE_NODE) == 0) {
        port.store(q.listOldest, next, QueueSites.REMOVE_NODE);
        q.popped(end);
        return end;
      }
      end = port.load(next + QueueMemory.NODE_END, QueueSites.REMOVE_NODE);
      node = next;
    }
  }

  private void lockReserve(MemoryPort port) {
    barrier(port, BEFORE_LOCK, QueueSites.RESERVE_BARRIER_BEFORE_LOCK);
    reserve.lock(port, QueueSites.RESERVE_LOCK);
    barrier(port, AFTER_LOCK, QueueSites.RESERVE_BARRIER_AFTER_LOCK);
  }

  private void unlockReserve(MemoryPort port) {
    barrier(port, BEFORE_UNLOCK, QueueSites.RESERVE_BARRIER_BEFORE_UNLOCK);
    reserve.unlock(port, QueueSites.RESERVE_UNLOCK);
    barrier(port, AFTER_UNLOCK, QueueSites.RESERVE_BARRIER_AFTER_UNLOCK);
  }

  private void barrier(MemoryPort port, BarrierPoint point, int site) {
    if (spec.has(point)) {
      port.persistBarrier(site);
    }
  }

  @Override
  public QueueEntry remove(MemoryPort port) {
    return remover.remove(port);
  }
}
