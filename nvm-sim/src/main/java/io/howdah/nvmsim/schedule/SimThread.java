package io.howdah.nvmsim.schedule;

import io.howdah.nvmsim.mem.MemoryPort;
import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.trace.Event;

/**
 * A simulated thread under the deterministic scheduler. Performs each access on the memory and
 * records it; since exactly one thread takes a turn at a time, the two are one step.
 */
public final class SimThread implements MemoryPort {
  private static final int WORD = Long.BYTES;

  private final DeterministicScheduler scheduler;
  private final SimMemory memory;
  private final int thread;

  SimThread(DeterministicScheduler scheduler, SimMemory memory, int thread) {
    this.scheduler = scheduler;
    this.memory = memory;
    this.thread = thread;
  }

  @Override
  public int thread() {
    return thread;
  }

  /** Number of events recorded so far by all threads: where a message can point. */
  public long sequence() {
    return scheduler.sequence();
  }

  @Override
  public long load(long address, int site) {
    checkAligned(address);
    long value = memory.getLong(address);
    record(Event.LOAD, address, WORD, value, site);
    return value;
  }

  @Override
  public void store(long address, long value, int site) {
    checkAligned(address);
    memory.setLong(address, value);
    record(Event.STORE, address, WORD, value, site);
    scheduler.written(address);
  }

  @Override
  public long load(long address, int size, int site) {
    checkSize(size);
    long value = memory.get(address, size);
    record(Event.LOAD, address, size, value, site);
    return value;
  }

  @Override
  public void store(long address, int size, long value, int site) {
    checkSize(size);
    memory.set(address, size, value);
    record(Event.STORE, address, size, value, site);
    scheduler.written(address);
    scheduler.written(address + size - 1);
  }

  @Override
  public long exchange(long address, long value, int site) {
    checkAligned(address);
    long old = memory.getLong(address);
    memory.setLong(address, value);
    record(Event.RMW, address, WORD, value, site);
    scheduler.written(address);
    return old;
  }

  @Override
  public boolean compareAndSet(long address, long expected, long value, int site) {
    checkAligned(address);
    long old = memory.getLong(address);
    if (old != expected) {
      record(Event.LOAD, address, WORD, old, site);
      return false;
    }
    memory.setLong(address, value);
    record(Event.RMW, address, WORD, value, site);
    scheduler.written(address);
    return true;
  }

  @Override
  public long fetchAndAdd(long address, long delta, int site) {
    checkAligned(address);
    long old = memory.getLong(address);
    memory.setLong(address, old + delta);
    record(Event.RMW, address, WORD, old + delta, site);
    scheduler.written(address);
    return old;
  }

  /**
   * Only ordinary code under {@link BlockingProgram} can wait in the middle of a call; a state
   * machine loads, and calls {@link #blockUntilWritten} if it must.
   */
  @Override
  public long spinWhile(long address, long value, int site) {
    throw new UnsupportedOperationException("a state machine blocks with blockUntilWritten");
  }

  /** Whether the next turn is this thread's again. */
  boolean goesOn() {
    return scheduler.goesOn(thread);
  }

  /** Takes no turn until some thread has stored to the word. The value may still be the same. */
  public void blockUntilWritten(long address) {
    scheduler.block(thread, address);
  }

  @Override
  public void persistBarrier(int site) {
    scheduler.emit(Event.marker(Event.PERSIST_BARRIER, thread, site), 0, 0);
  }

  @Override
  public void newStrand(int site) {
    scheduler.emit(Event.marker(Event.NEW_STRAND, thread, site), 0, 0);
  }

  @Override
  public void flush(long address, int size, int site) {
    scheduler.emit(Event.flush(thread, size, memory.isPersistent(address), site), address, 0);
  }

  @Override
  public void fence(int site) {
    scheduler.emit(Event.marker(Event.FENCE, thread, site), 0, 0);
  }

  @Override
  public void persistSync(int site) {
    scheduler.emit(Event.marker(Event.PERSIST_SYNC, thread, site), 0, 0);
  }

  @Override
  public long persistentMalloc(long length, long alignment, int site) {
    long address = memory.allocatePersistent(length, alignment);
    scheduler.emit(Event.marker(Event.PMALLOC, thread, site), address, length);
    return address;
  }

  @Override
  public void persistentFree(long address, int site) {
    memory.freePersistent(address);
    scheduler.emit(Event.marker(Event.PFREE, thread, site), address, 0);
  }

  @Override
  public void opBegin(long index, int site) {
    scheduler.emit(Event.marker(Event.OP_BEGIN, thread, site), 0, index);
  }

  @Override
  public void opEnd(long index, int site) {
    scheduler.emit(Event.marker(Event.OP_END, thread, site), 0, index);
  }

  private void record(int kind, long address, int size, long value, int site) {
    scheduler.emit(
        Event.access(kind, thread, size, memory.isPersistent(address), site), address, value);
  }

  private static void checkAligned(long address) {
    if ((address & 7) != 0) {
      throw new IllegalArgumentException(
          "word access at 0x" + Long.toHexString(address) + " is not aligned to 8 bytes");
    }
  }

  private static void checkSize(int size) {
    if (size < 1 || size > 8 || Integer.bitCount(size) != 1) {
      throw new IllegalArgumentException("access of " + size + " bytes, must be 1, 2, 4 or 8");
    }
  }
}
