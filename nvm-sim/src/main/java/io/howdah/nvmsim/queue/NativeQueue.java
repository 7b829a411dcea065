package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.steps.NativeCode;
import io.howdah.nvmsim.steps.NativeMemory;
import io.howdah.nvmsim.steps.NativeOperation;
import io.howdah.nvmsim.steps.StepNotes;

/**
 * A queue without tracing, on off-heap memory, for the rate at which instructions execute: the same
 * text, compiled. Persist barriers and strands cost nothing here, as in the paper.
 */
final class NativeQueue implements AutoCloseable {
  private final NativeMemory memory;
  private final NativeOperation insert;
  private final StepNotes notes = this::note;
  private final int slotLength;
  private final long dataLength;
  private final long popped;

  NativeQueue(QueueSpec spec, int threads) {
    QueueMemory layout = QueueMemory.withoutSpaces(spec, threads);
    QueueText text = QueueText.insert(layout);
    this.memory = new NativeMemory(layout.nativeLength());
    this.insert = NativeCode.of(text.program(), text.position());
    this.slotLength = layout.slotLength;
    this.dataLength = layout.dataLength;
    this.popped = layout.nativePopped();
  }

  /**
   * Inserts one record of this thread.
   *
   * @return its position, as {@link PersistentQueue#insert}
   */
  long insert(int thread, long operation) {
    return insert.run(memory, notes, thread, operation);
  }

  private void note(int number, long position) {
    if (number == QueueText.RESERVED) {
      awaitSlot(position);
    } else {
      memory.setRelease(popped, position);
    }
  }

  /** A slot is reused only after its last insert left the list, however long its thread stood. */
  private void awaitSlot(long start) {
    long done = memory.getAcquire(popped);
    while (start + slotLength - done > dataLength) {
      done = memory.awaitNot(popped, done);
    }
  }

  int slotLength() {
    return slotLength;
  }

  @Override
  public void close() {
    memory.close();
  }
}
