package io.howdah.nvmsim.queue;

/** {@link CopyWhileLocked} without tracing. */
final class NativeCopyWhileLocked extends NativeQueue {
  /** Lines: none (offset 0 means no node), lock, head, then per thread a node and a record. */
  private static final long LOCK = NativeMemory.LINE;

  private static final long HEAD = 2L * NativeMemory.LINE;
  private static final long THREADS = 3L * NativeMemory.LINE;

  private final long threadLength;

  NativeCopyWhileLocked(QueueSpec spec, int threads) {
    super(
        spec,
        new NativeMemory(
            THREADS
                + threads * (NativeMemory.LINE + (long) spec.slotLength())
                + (long) spec.capacity() * spec.slotLength()),
        THREADS + threads * (NativeMemory.LINE + (long) spec.slotLength()));
    this.threadLength = NativeMemory.LINE + (long) spec.slotLength();
    for (int i = 0; i < threads; i++) {
      memory.set(THREADS + i * threadLength + NativeMemory.LINE, spec.entryLength());
    }
  }

  @Override
  public long insert(int thread, long operation) {
    long node = THREADS + thread * threadLength;
    long record = node + NativeMemory.LINE;
    memory.set(record + Long.BYTES, operation);
    memory.lock(LOCK, node);
    long start = memory.get(HEAD);
    memory.copy(record, data + start % dataLength, recordLength);
    memory.set(HEAD, start + slotLength);
    memory.unlock(LOCK, node);
    return start;
  }
}
