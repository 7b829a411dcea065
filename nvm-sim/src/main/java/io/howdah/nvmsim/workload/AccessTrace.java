package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.EventBatch;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.Arrays;

/**
 * The accesses of one thread, in program order: one long each. An entry also counts the
 * instructions before it that do not access memory.
 *
 * <pre>
 *   bits 63-61 kind | 60-48 other instructions before it | 47-0 byte address in the persistent space
 * </pre>
 */
public final class AccessTrace {
  public static final int LOAD = 0;
  public static final int STORE = 1;
  public static final int BEGIN = 2;
  public static final int COMMIT = 3;

  /** Ends the warm-up: what follows is measured. */
  public static final int MEASURE = 4;

  /**
   * The line was written as the data was built, and committed: what is home by then is the
   * protocol's affair.
   */
  public static final int BUILT = 5;

  private static final int KIND_SHIFT = 61;
  private static final int WORK_SHIFT = 48;
  private static final int MAX_WORK = (1 << 13) - 1;
  private static final long ADDRESS_MASK = (1L << WORK_SHIFT) - 1;
  private static final int MAX_LENGTH = 1 << 28;

  private long[] entries = new long[1 << 16];
  private int length;
  private int work;
  private long highest;

  /** Creates an empty one. */
  AccessTrace() {}

  /** Instructions that access no memory, before the next entry. */
  void work(int instructions) {
    work = Math.min(MAX_WORK, work + instructions);
  }

  void add(int kind, long address) {
    if (length == entries.length) {
      if (length == MAX_LENGTH) {
        throw new IllegalStateException("a trace has at most " + MAX_LENGTH + " accesses");
      }
      entries = Arrays.copyOf(entries, 2 * length);
    }
    entries[length++] = (long) kind << KIND_SHIFT | (long) work << WORK_SHIFT | address;
    work = 0;
    highest = Math.max(highest, address);
  }

  /**
   * Gives the transactions as a memory trace of one thread: operations whose stores are persists,
   * with a persist barrier at the end of each. What stands before {@link #MEASURE} is outside the
   * region of interest.
   */
  public void replay(TraceSink sink) {
    EventBatch batch = new EventBatch();
    batch.begin(0);
    long operation = 0;
    long sequence = 0;
    append(batch, Event.marker(Event.ROI_OFF, 0, 0), 0, 0);
    for (int i = 0; i < length; i++) {
      if (batch.count() > EventBatch.CAPACITY - 2) {
        sequence += batch.count();
        sink.accept(batch);
        batch.begin(sequence);
      }
      long address = address(entries[i]);
      switch (kind(entries[i])) {
        case LOAD -> append(batch, Event.access(Event.LOAD, 0, Long.BYTES, true, 0), address, 0);
        case STORE -> append(batch, Event.access(Event.STORE, 0, Long.BYTES, true, 0), address, i);
        case BEGIN -> append(batch, Event.marker(Event.OP_BEGIN, 0, 0), 0, operation);
        case COMMIT -> {
          append(batch, Event.marker(Event.PERSIST_BARRIER, 0, 0), 0, 0);
          append(batch, Event.marker(Event.OP_END, 0, 0), 0, operation++);
        }
        case MEASURE -> append(batch, Event.marker(Event.ROI_ON, 0, 0), 0, 0);
        default -> {}
      }
    }
    sink.accept(batch);
  }

  private static void append(EventBatch batch, long packed, long address, long value) {
    batch.append(packed, address, value);
  }

  public int length() {
    return length;
  }

  /** Lines up to the highest address. */
  public long lines() {
    return (highest >>> 6) + 1;
  }

  public long entry(int index) {
    return entries[index];
  }

  public static int kind(long entry) {
    return (int) (entry >>> KIND_SHIFT);
  }

  public static int workBefore(long entry) {
    return (int) (entry >>> WORK_SHIFT) & MAX_WORK;
  }

  public static long address(long entry) {
    return entry & ADDRESS_MASK;
  }
}
