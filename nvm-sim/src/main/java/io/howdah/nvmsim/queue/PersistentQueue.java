package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.MemoryPort;

/** One thread's view of a persistent queue in simulated memory. */
public interface PersistentQueue {
  /**
   * Inserts one record; a checked queue waits for room.
   *
   * @param operation number of the insert in this thread, part of the record
   * @return the position it was given: positions of successive inserts are in queue order
   */
  long insert(MemoryPort port, long operation);

  /**
   * Removes the oldest record of a checked queue, waiting for one.
   *
   * @return its thread and operation
   */
  QueueEntry remove(MemoryPort port);

  /** The view of one thread, as the queue's design has it. */
  static PersistentQueue of(QueueMemory memory, int thread) {
    return switch (memory.spec().design()) {
      case COPY_WHILE_LOCKED -> new CopyWhileLocked(memory, thread);
      case TWO_LOCK_CONCURRENT -> new TwoLockConcurrent(memory, thread);
    };
  }
}
