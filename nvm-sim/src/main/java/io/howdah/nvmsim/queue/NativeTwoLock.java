package io.howdah.nvmsim.queue;

import static io.howdah.nvmsim.queue.QueueMemory.NODE_DONE;
import static io.howdah.nvmsim.queue.QueueMemory.NODE_END;
import static io.howdah.nvmsim.queue.QueueMemory.NODE_NEXT;

/** {@link TwoLockConcurrent} without tracing. */
final class NativeTwoLock extends NativeQueue {
  /** Lines: none, the two locks, head, headV, list tail, oldest, popped, then the threads'. */
  private static final long RESERVE = NativeMemory.LINE;

  private static final long UPDATE = 2L * NativeMemory.LINE;
  private static final long HEAD = 3L * NativeMemory.LINE;
  private static final long HEAD_V = 4L * NativeMemory.LINE;
  private static final long LIST_TAIL = 5L * NativeMemory.LINE;
  private static final long OLDEST = 6L * NativeMemory.LINE;
  private static final long POPPED = 7L * NativeMemory.LINE;
  private static final long THREADS = 8L * NativeMemory.LINE;

  private final long threadLength;
  private final long nodes;

  NativeTwoLock(QueueSpec spec, int threads) {
    super(
        spec,
        new NativeMemory(
            nodesOffset(spec, threads)
                + (long) spec.capacity() * (NativeMemory.LINE + spec.slotLength())),
        nodesOffset(spec, threads) + (long) spec.capacity() * NativeMemory.LINE);
    this.threadLength = 2L * NativeMemory.LINE + spec.slotLength();
    this.nodes = nodesOffset(spec, threads);
    for (int i = 0; i < threads; i++) {
      memory.set(THREADS + i * threadLength + 2L * NativeMemory.LINE, spec.entryLength());
    }
  }

  private static long nodesOffset(QueueSpec spec, int threads) {
    return THREADS + threads * (2L * NativeMemory.LINE + spec.slotLength());
  }

  @Override
  public long insert(int thread, long operation) {
    long reserveNode = THREADS + thread * threadLength;
    long updateNode = reserveNode + NativeMemory.LINE;
    long record = updateNode + NativeMemory.LINE;
    memory.set(record + Long.BYTES, operation);
    memory.lock(RESERVE, reserveNode);
    long start = memory.get(HEAD_V);
    awaitSlot(start);
    memory.set(HEAD_V, start + slotLength);
    long node = nodes + start % dataLength / slotLength * NativeMemory.LINE;
    append(node, start + slotLength);
    memory.unlock(RESERVE, reserveNode);
    memory.copy(record, data + start % dataLength, recordLength);
    memory.lock(UPDATE, updateNode);
    if (memory.getAcquire(OLDEST) == node) {
      memory.set(HEAD, popCompleted(node, start + slotLength, reserveNode));
    } else {
      memory.set(node + NODE_DONE, 1);
    }
    memory.unlock(UPDATE, updateNode);
    return start;
  }

  /** A slot is reused only after its last insert left the list, however long its thread stood. */
  private void awaitSlot(long start) {
    long popped = memory.getAcquire(POPPED);
    while (start + slotLength - popped > dataLength) {
      popped = memory.awaitNot(POPPED, popped);
    }
  }

  private void append(long node, long end) {
    memory.set(node + NODE_END, end);
    memory.set(node + NODE_NEXT, 0);
    memory.set(node + NODE_DONE, 0);
    long last = memory.get(LIST_TAIL);
    // Release: whoever finds the node by this link sees its fields; pairs with the getAcquire of
    // OLDEST and NODE_NEXT, which are read under the other lock.
    memory.setRelease(last == 0 ? OLDEST : last + NODE_NEXT, node);
    memory.set(LIST_TAIL, node);
  }

  private long popCompleted(long oldest, long itsEnd, long reserveNode) {
    long node = oldest;
    long end = itsEnd;
    while (true) {
      long next = memory.getAcquire(node + NODE_NEXT);
      if (next == 0) {
        memory.lock(RESERVE, reserveNode);
        next = memory.get(node + NODE_NEXT);
        if (next == 0) {
          memory.set(LIST_TAIL, 0);
          memory.set(OLDEST, 0);
          memory.setRelease(POPPED, end);
          memory.unlock(RESERVE, reserveNode);
          return end;
        }
        memory.unlock(RESERVE, reserveNode);
      }
      if (memory.get(next + NODE_DONE) == 0) {
        memory.setRelease(OLDEST, next);
        memory.setRelease(POPPED, end);
        return end;
      }
      // Before the next lock is waited for: its holder may wait for this very slot.
      memory.setRelease(POPPED, end);
      end = memory.get(next + NODE_END);
      node = next;
    }
  }
}
