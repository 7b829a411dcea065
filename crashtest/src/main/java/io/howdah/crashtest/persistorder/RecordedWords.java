package io.howdah.crashtest.persistorder;

import io.howdah.core.Region;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A region that records the accesses of one thread, as if its words were persistent memory. The
 * other threads of the store, which checkpoint it, are not recorded.
 */
final class RecordedWords extends Region {
  private final Region region;
  private final TraceBuffer trace;

  /** The thread that is in an operation, or null. */
  private volatile @Nullable Thread recorded;

  RecordedWords(Region region, TraceBuffer trace) {
    this.region = region;
    this.trace = trace;
  }

  /**
   * Begins or ends an operation of the calling thread; only what operations do is recorded. It is a
   * strand and ends with a persist barrier.
   */
  void operation(boolean begins, long number) {
    recorded = begins ? Thread.currentThread() : null;
    if (begins) {
      trace.add(Event.marker(Event.NEW_STRAND, 0, 0), 0, 0);
      trace.add(Event.marker(Event.OP_BEGIN, 0, 0), 0, number);
    } else {
      trace.add(Event.marker(Event.OP_END, 0, 0), 0, number);
      trace.add(Event.marker(Event.PERSIST_BARRIER, 0, 0), 0, 0);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  private void note(int kind, long address, int size) {
    if (Thread.currentThread() == recorded) {
      trace.add(Event.access(kind, 0, size, true, 0), address, 0);
    }
  }

  private void noteAll(int kind, long address, long lengthBytes) {
    long end = address + lengthBytes;
    for (long word = address & -WORD_BYTES; word < end; word += WORD_BYTES) {
      note(kind, word, WORD_BYTES);
    }
  }

  @Override
  public long capacityBytes() {
    return region.capacityBytes();
  }

  @Override
  public long getLong(long address) {
    note(Event.LOAD, address, WORD_BYTES);
    return region.getLong(address);
  }

  @Override
  public void setLong(long address, long value) {
    note(Event.STORE, address, WORD_BYTES);
    region.setLong(address, value);
  }

  @Override
  public long getLongOpaque(long address) {
    note(Event.LOAD, address, WORD_BYTES);
    return region.getLongOpaque(address);
  }

  @Override
  public void setLongOpaque(long address, long value) {
    note(Event.STORE, address, WORD_BYTES);
    region.setLongOpaque(address, value);
  }

  @Override
  public long getLongAcquire(long address) {
    note(Event.LOAD, address, WORD_BYTES);
    return region.getLongAcquire(address);
  }

  @Override
  public void setLongRelease(long address, long value) {
    note(Event.STORE, address, WORD_BYTES);
    region.setLongRelease(address, value);
  }

  @Override
  public long getLongVolatile(long address) {
    note(Event.LOAD, address, WORD_BYTES);
    return region.getLongVolatile(address);
  }

  @Override
  public void setLongVolatile(long address, long value) {
    note(Event.STORE, address, WORD_BYTES);
    region.setLongVolatile(address, value);
  }

  @Override
  public boolean compareAndSetLong(long address, long expected, long value) {
    boolean done = region.compareAndSetLong(address, expected, value);
    note(done ? Event.RMW : Event.LOAD, address, WORD_BYTES);
    return done;
  }

  @Override
  public long getAndAddLong(long address, long delta) {
    note(Event.RMW, address, WORD_BYTES);
    return region.getAndAddLong(address, delta);
  }

  @Override
  public byte getByteOpaque(long address) {
    note(Event.LOAD, address, 1);
    return region.getByteOpaque(address);
  }

  @Override
  public void setByteOpaque(long address, byte value) {
    note(Event.STORE, address, 1);
    region.setByteOpaque(address, value);
  }

  @Override
  public void copyTo(long address, ByteBuffer target) {
    noteAll(Event.LOAD, address, target.remaining());
    region.copyTo(address, target);
  }

  @Override
  public void copyFrom(long address, ByteBuffer source) {
    noteAll(Event.STORE, address, source.remaining());
    region.copyFrom(address, source);
  }

  @Override
  public void clear(long address, long lengthBytes) {
    noteAll(Event.STORE, address, lengthBytes);
    region.clear(address, lengthBytes);
  }

  @Override
  public boolean isOpen() {
    return region.isOpen();
  }

  @Override
  public void close() {
    region.close();
  }
}
