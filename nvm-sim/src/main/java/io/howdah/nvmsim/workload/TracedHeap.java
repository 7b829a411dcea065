package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import org.jspecify.annotations.Nullable;

/**
 * A workload's way to its data: words of {@link SimMemory}'s persistent space, each access recorded
 * once recording is on. Every access stands for {@value #INSTRUCTIONS_PER_ACCESS} further
 * instructions (address arithmetic, compares, branches), so a third of all instructions access
 * memory.
 */
public final class TracedHeap implements AutoCloseable {
  static final int INSTRUCTIONS_PER_ACCESS = 2;

  private final SimMemory memory;
  private final long base;
  private final long capacity;
  private final AccessTrace trace = new AccessTrace();
  private long allocated;
  private boolean recording;
  private @Nullable AccessSink sink;

  TracedHeap(long capacityBytes) {
    SpaceLayout layout = SpaceLayout.ofLengths(SpaceLayout.ALIGNMENT, capacityBytes);
    memory = new SimMemory(layout);
    base = layout.persistentBase();
    capacity = layout.persistentLength();
  }

  AccessTrace trace() {
    return trace;
  }

  void record(boolean on) {
    recording = on;
  }

  /** Tells a sink of every access from now on; {@code null}: nobody. */
  void sendTo(@Nullable AccessSink listener) {
    sink = listener;
  }

  /** Reserves bytes that are never given back; untraced. */
  public long reserve(long lengthBytes, long alignment) {
    long start = (allocated + alignment - 1) / alignment * alignment;
    if (start + lengthBytes > capacity) {
      throw new IllegalStateException(
          "workload needs more than the " + capacity + " bytes reserved for it");
    }
    allocated = start + lengthBytes;
    return start;
  }

  /** Loads an aligned word of 8 bytes; addresses count from 0. */
  public long load(long address) {
    if (recording) {
      trace.work(INSTRUCTIONS_PER_ACCESS);
      trace.add(AccessTrace.LOAD, address);
    }
    if (sink != null) {
      sink.work(INSTRUCTIONS_PER_ACCESS);
      sink.load(address);
    }
    return memory.getLong(base + address);
  }

  /** Stores an aligned word of 8 bytes. */
  public void store(long address, long value) {
    if (recording) {
      trace.work(INSTRUCTIONS_PER_ACCESS);
      trace.add(AccessTrace.STORE, address);
    }
    if (sink != null) {
      sink.work(INSTRUCTIONS_PER_ACCESS);
      sink.store(address);
    }
    memory.setLong(base + address, value);
  }

  /** Records that every line in use was written before, from the first to the last. */
  void built() {
    for (long address = 0; address < allocated; address += 64) {
      trace.add(AccessTrace.BUILT, address);
    }
  }

  /** Loads 4 bytes, aligned. */
  long loadHalf(long address) {
    if (recording) {
      trace.work(INSTRUCTIONS_PER_ACCESS);
      trace.add(AccessTrace.LOAD, address & -8);
    }
    return memory.get(base + address, Integer.BYTES);
  }

  /** Stores 4 bytes, aligned. */
  void storeHalf(long address, long value) {
    if (recording) {
      trace.work(INSTRUCTIONS_PER_ACCESS);
      trace.add(AccessTrace.STORE, address & -8);
    }
    memory.set(base + address, Integer.BYTES, value);
  }

  /** Further instructions without an access: a hash, a random number. */
  public void work(int instructions) {
    if (recording) {
      trace.work(instructions);
    }
  }

  void begin() {
    mark(AccessTrace.BEGIN);
  }

  void commit() {
    mark(AccessTrace.COMMIT);
  }

  void measure() {
    mark(AccessTrace.MEASURE);
  }

  private void mark(int kind) {
    if (recording) {
      trace.add(kind, 0);
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
