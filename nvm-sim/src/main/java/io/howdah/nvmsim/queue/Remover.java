package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.MemoryPort;

/**
 * Removal, the same for both designs: read the oldest record, then persist the tail past it. The
 * tail must not be durable before the head that made the record valid; the barrier sees to that.
 * The slot must not be overwritten before the tail is durable; the inserts see to that.
 */
final class Remover {
  private final QueueMemory q;
  private final McsLock lock;

  Remover(QueueMemory q, McsLock lock) {
    this.q = q;
    this.lock = lock;
  }

  QueueEntry remove(MemoryPort port) {
    if (!q.spec.checked()) {
      throw new IllegalStateException("only a checked queue can remove");
    }
    while (true) {
      port.persistBarrier(QueueSites.REMOVE_BARRIER);
      lock.lock(port, QueueSites.REMOVE_LOCK);
      port.persistBarrier(QueueSites.REMOVE_BARRIER);
      port.newStrand(QueueSites.REMOVE);
      long tail = port.load(q.tail, QueueSites.REMOVE_READ);
      long head = port.load(q.head, QueueSites.REMOVE_READ);
      if (head != tail) {
        QueueEntry entry = take(port, tail);
        unlock(port);
        return entry;
      }
      unlock(port);
      port.spinWhile(q.head, head, QueueSites.REMOVE_READ);
    }
  }

  private QueueEntry take(MemoryPort port, long tail) {
    long slot = q.slot(tail);
    long first = port.load(slot, QueueSites.REMOVE_READ);
    long operation = port.load(slot + Long.BYTES, QueueSites.REMOVE_READ);
    for (int i = 2; i < q.recordWords; i++) {
      port.load(slot + (long) i * Long.BYTES, QueueSites.REMOVE_READ);
    }
    if (q.spec.has(BarrierPoint.AROUND_TAIL)) {
      port.persistBarrier(QueueSites.REMOVE_BARRIER);
    }
    port.store(q.tail, tail + q.slotLength, QueueSites.REMOVE_TAIL);
    return new QueueEntry((int) (first >>> 32), operation);
  }

  private void unlock(MemoryPort port) {
    port.persistBarrier(QueueSites.REMOVE_BARRIER);
    lock.unlock(port, QueueSites.REMOVE_UNLOCK);
    port.persistBarrier(QueueSites.REMOVE_BARRIER);
  }
}
