package io.howdah.nvmsim.trace;

/**
 * A run of consecutive events in three parallel arrays. The arrays are public to this module's hot
 * loops through their accessors and never replaced; a receiver must not keep them after it returns.
 */
public final class EventBatch {
  /** Events a batch holds: three arrays of this many longs stay within a second-level cache. */
  public static final int CAPACITY = 2048;

  private final long[] packed = new long[CAPACITY];
  private final long[] addresses = new long[CAPACITY];
  private final long[] values = new long[CAPACITY];
  private int count;
  private long firstSequence;

  /** An empty batch. */
  public EventBatch() {}

  /** Empties the batch; its first event will carry this sequence number. */
  public void begin(long sequence) {
    count = 0;
    firstSequence = sequence;
  }

  /** Appends an event. The caller has checked {@link #isFull}. */
  public void append(long event, long address, long value) {
    int i = count;
    packed[i] = event;
    addresses[i] = address;
    values[i] = value;
    count = i + 1;
  }

  public boolean isFull() {
    return count == CAPACITY;
  }

  public int count() {
    return count;
  }

  /** Sequence number of event 0; event {@code i} has this plus {@code i}. */
  public long firstSequence() {
    return firstSequence;
  }

  /** The packed words; see {@link Event}. Valid in {@code [0, count)}. */
  public long[] packed() {
    return packed;
  }

  public long[] addresses() {
    return addresses;
  }

  /**
   * Stored values of accesses of at most 8 bytes, 0 where the trace carries none; the meaning for
   * other kinds is {@link Event}'s.
   */
  public long[] values() {
    return values;
  }
}
