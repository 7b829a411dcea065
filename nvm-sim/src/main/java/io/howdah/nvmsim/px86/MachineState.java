package io.howdah.nvmsim.px86;

import java.util.Arrays;

/**
 * A state of either machine. Immutable once handed out; equal states are one.
 *
 * <p>Entries of store and persist buffers are packed: kind in bits 0 to 7, location or thread in
 * bits 8 to 31, value in bits 32 to 63.
 */
final class MachineState {
  static final int WRITE = 0;
  static final int SFENCE = 1;

  /** In a store buffer, clflush. In a persist buffer, the mark that a write-back leaves. */
  static final int FLUSH = 2;

  /** clflushopt and clwb. */
  static final int WEAK_FLUSH = 3;

  private static final long[] EMPTY = {};

  final int[] pc;
  final int[] registers;
  final int[] memory;

  /** What is visible to all but perhaps not durable, oldest first. */
  long[] persists;

  /** Per thread, what is not yet visible to others, oldest first. */
  final long[][] stores;

  private MachineState(int[] pc, int[] registers, int[] memory, long[] persists, long[][] stores) {
    this.pc = pc;
    this.registers = registers;
    this.memory = memory;
    this.persists = persists;
    this.stores = stores;
  }

  static MachineState initial(int threads, int registers, int locations) {
    long[][] stores = new long[threads][];
    Arrays.fill(stores, EMPTY);
    return new MachineState(
        new int[threads], new int[registers], new int[locations], EMPTY, stores);
  }

  /** A copy to change before it is handed out; buffers are shared until replaced. */
  MachineState copy() {
    return new MachineState(
        pc.clone(), registers.clone(), memory.clone(), persists, stores.clone());
  }

  static long entry(int kind, int location, int value) {
    return kind | ((long) location << 8) | ((long) value << 32);
  }

  static int kind(long entry) {
    return (int) entry & 0xFF;
  }

  static int location(long entry) {
    return (int) entry >>> 8;
  }

  static int value(long entry) {
    return (int) (entry >> 32);
  }

  static long[] append(long[] buffer, long entry) {
    long[] longer = Arrays.copyOf(buffer, buffer.length + 1);
    longer[buffer.length] = entry;
    return longer;
  }

  static long[] remove(long[] buffer, int index) {
    long[] shorter = new long[buffer.length - 1];
    System.arraycopy(buffer, 0, shorter, 0, index);
    System.arraycopy(buffer, index + 1, shorter, index, shorter.length - index);
    return shorter;
  }

  /** Index of the youngest write to the location, -1 if there is none. */
  static int youngestWrite(long[] buffer, int location) {
    for (int i = buffer.length - 1; i >= 0; i--) {
      if (kind(buffer[i]) == WRITE && location(buffer[i]) == location) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof MachineState that
        && Arrays.equals(pc, that.pc)
        && Arrays.equals(registers, that.registers)
        && Arrays.equals(memory, that.memory)
        && Arrays.equals(persists, that.persists)
        && Arrays.deepEquals(stores, that.stores);
  }

  @Override
  public int hashCode() {
    int hash = Arrays.hashCode(pc);
    hash = 31 * hash + Arrays.hashCode(registers);
    hash = 31 * hash + Arrays.hashCode(memory);
    hash = 31 * hash + Arrays.hashCode(persists);
    return 31 * hash + Arrays.deepHashCode(stores);
  }
}
