package io.howdah.nvmsim.queue;

import static io.howdah.nvmsim.queue.BarrierPoint.*;

import io.howdah.nvmsim.mem.MemoryPort;

/**
 * Copy While Locked (Algorithm 1, lines 2 to 14): one lock round the whole insert. {@link
 * CopyWhileLockedInserter} is the same program as a state machine.
 */
final class CopyWhileLocked implements PersistentQueue {
  private final QueueMemory q;
  private final QueueSpec spec;
  private final McsLock lock;
  private final Remover remover;

  CopyWhileLocked(QueueMemory memory, int thread) {
    this.q = memory;
    this.spec = memory.spec;
    this.lock = new McsLock(q.queueLock, q.mcsNode(thread, q.queueLock));
    this.remover = new Remover(memory, lock);
  }

  @Override
  public long insert(MemoryPort port, long operation) {
    port.opBegin(operation, QueueSites.INSERT_CWL);
    while (true) {
      barrier(port, BEFORE_LOCK, QueueSites.CWL_BARRIER_BEFORE_LOCK);
      lock.lock(port, QueueSites.CWL_LOCK);
      barrier(port, AFTER_LOCK, QueueSites.CWL_BARRIER_AFTER_LOCK);
      port.newStrand(QueueSites.CWL_STRAND);
      long tail = 0;
      if (spec.checked()) {
        tail = port.load(q.tail, QueueSites.CWL_TAIL);
        // The removal that freed the slot must be durable before the slot changes.
        barrier(port, AROUND_TAIL, QueueSites.CWL_BARRIER_TAIL);
      }
      long start = port.load(q.head, QueueSites.CWL_COPY);
      boolean room = !spec.checked() || start - tail < q.dataLength;
      if (room) {
        copyAndAdvance(port, operation, start);
      }
      barrier(port, BEFORE_UNLOCK, QueueSites.CWL_BARRIER_BEFORE_UNLOCK);
      lock.unlock(port, QueueSites.CWL_UNLOCK);
      barrier(port, AFTER_UNLOCK, QueueSites.CWL_BARRIER_AFTER_UNLOCK);
      if (room) {
        port.opEnd(operation, QueueSites.INSERT_CWL);
        return start;
      }
      port.spinWhile(q.tail, tail, QueueSites.CWL_TAIL);
    }
  }

  private void copyAndAdvance(MemoryPort port, long operation, long start) {
    for (int i = 0; i < q.recordWords; i++) {
      port.store(
          q.slot(start) + (long) i * Long.BYTES,
          RecordContent.word(spec.entryLength(), port.thread(), operation, i),
          QueueSites.CWL_COPY);
    }
    barrier(port, AFTER_COPY, QueueSites.CWL_BARRIER_AFTER_COPY);
    barrier(port, BEFORE_HEAD, QueueSites.CWL_BARRIER_HEAD);
    // Line 9 reads the head again; strong persist atomicity serialises the persists to it.
    long head = port.load(q.head, QueueSites.CWL_HEAD);
    port.store(q.head, head + q.slotLength, QueueSites.CWL_HEAD);
    barrier(port, AFTER_HEAD, QueueSites.CWL_BARRIER_AFTER_HEAD);
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
