package io.howdah.nvmsim.trace;

import java.util.Arrays;

/**
 * A small trace held in memory, for the analyses that look at it more than once. It refuses to grow
 * past its bound; a larger trace belongs in a file.
 */
public final class TraceBuffer implements TraceSink {
  private final int maxEvents;
  private long[] packed = new long[1024];
  private long[] addresses = new long[1024];
  private long[] values = new long[1024];
  private int count;

  /** Holds at most this many events. */
  public TraceBuffer(int maxEvents) {
    if (maxEvents < 1) {
      throw new IllegalArgumentException("maxEvents must be at least 1: " + maxEvents);
    }
    this.maxEvents = maxEvents;
  }

  @Override
  public void accept(EventBatch batch) {
    for (int i = 0; i < batch.count(); i++) {
      add(batch.packed()[i], batch.addresses()[i], batch.values()[i]);
    }
  }

  /**
   * Appends one event.
   *
   * @throws IllegalStateException if the buffer is full
   */
  public void add(long event, long address, long value) {
    if (count == maxEvents) {
      throw new IllegalStateException(
          "trace has more than " + maxEvents + " events; stream it from a file instead");
    }
    if (count == packed.length) {
      int capacity = Math.min(maxEvents, count * 2);
      packed = Arrays.copyOf(packed, capacity);
      addresses = Arrays.copyOf(addresses, capacity);
      values = Arrays.copyOf(values, capacity);
    }
    packed[count] = event;
    addresses[count] = address;
    values[count++] = value;
  }

  public int count() {
    return count;
  }

  public long packed(int index) {
    return packed[check(index)];
  }

  public long address(int index) {
    return addresses[check(index)];
  }

  public long value(int index) {
    return values[check(index)];
  }

  private int check(int index) {
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException("event " + index + " of " + count);
    }
    return index;
  }

  /** The same trace as a source, from its beginning. */
  public TraceSource source() {
    return new TraceSource() {
      private int position;

      @Override
      public boolean next(EventBatch batch) {
        batch.begin(position);
        while (!batch.isFull() && position < count) {
          batch.append(packed[position], addresses[position], values[position]);
          position++;
        }
        return batch.count() > 0;
      }
    };
  }

  /** Hands the whole trace to a receiver. */
  public void replay(TraceSink sink) {
    EventBatch batch = new EventBatch();
    int position = 0;
    while (position < count) {
      batch.begin(position);
      while (!batch.isFull() && position < count) {
        batch.append(packed[position], addresses[position], values[position]);
        position++;
      }
      sink.accept(batch);
    }
  }
}
