package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.MemoryPort;
import io.howdah.nvmsim.steps.StepMachine;
import org.jspecify.annotations.Nullable;

/** One thread's view of a persistent queue in simulated memory, on a port that can wait. */
public final class PersistentQueue {
  private final int site;
  private final QueueText inserting;
  private final StepMachine insert;
  private final @Nullable Removal removing;
  private final @Nullable StepMachine remove;

  private PersistentQueue(QueueMemory memory) {
    this.inserting = QueueText.insert(memory);
    this.site = inserting.site();
    this.insert = inserting.machine();
    this.removing = memory.spec.checked() ? new Removal(memory) : null;
    this.remove =
        removing == null ? null : new StepMachine(removing.program(), (number, value) -> {});
  }

  /** The view of one thread, as the queue's design has it. */
  public static PersistentQueue of(QueueMemory memory) {
    return new PersistentQueue(memory);
  }

  /**
   * Inserts one record; a checked queue waits for room.
   *
   * @param operation number of the insert in this thread, part of the record
   * @return the position it was given: positions of successive inserts are in queue order
   */
  public long insert(MemoryPort port, long operation) {
    port.opBegin(operation, site);
    insert.run(port.thread(), operation, port);
    port.opEnd(operation, site);
    return insert.value(inserting.position());
  }

  /**
   * Removes the oldest record of a checked queue, waiting for one.
   *
   * @return its thread and operation
   * @throws IllegalStateException if the queue is not checked
   */
  public QueueEntry remove(MemoryPort port) {
    if (removing == null || remove == null) {
      throw new IllegalStateException("only a checked queue can remove");
    }
    remove.run(port.thread(), 0, port);
    return new QueueEntry(
        (int) (remove.value(removing.first) >>> 32), remove.value(removing.operation));
  }
}
