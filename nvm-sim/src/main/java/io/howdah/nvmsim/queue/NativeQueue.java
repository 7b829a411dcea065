package io.howdah.nvmsim.queue;

/**
 * A queue without tracing, on off-heap memory, for the rate at which instructions execute. The same
 * algorithms as the traced queues; persist barriers and strands cost nothing here, as in the paper.
 */
abstract sealed class NativeQueue implements AutoCloseable
    permits NativeCopyWhileLocked, NativeTwoLock {
  final NativeMemory memory;
  final int slotLength;
  final int recordLength;
  final long data;
  final long dataLength;

  NativeQueue(QueueSpec spec, NativeMemory memory, long data) {
    this.memory = memory;
    this.slotLength = spec.slotLength();
    this.recordLength = spec.recordWords() * Long.BYTES;
    this.data = data;
    this.dataLength = (long) spec.capacity() * slotLength;
  }

  /** The native queue of a design. */
  public static NativeQueue of(QueueSpec spec, int threads) {
    return switch (spec.design()) {
      case COPY_WHILE_LOCKED -> new NativeCopyWhileLocked(spec, threads);
      case TWO_LOCK_CONCURRENT -> new NativeTwoLock(spec, threads);
    };
  }

  /**
   * Inserts one record of this thread.
   *
   * @return its position, as {@link PersistentQueue#insert}
   */
  public abstract long insert(int thread, long operation);

  public int slotLength() {
    return slotLength;
  }

  @Override
  public void close() {
    memory.close();
  }
}
