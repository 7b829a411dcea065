package io.howdah.nvmsim.program;

/** One instruction; locations and registers are indices into the program's names. */
public sealed interface Instruction {
  /** Instructions that write a cache line back to memory. */
  enum FlushKind {
    /** Ordered with everything but loads and write-backs of other lines that are weak. */
    CLFLUSH,
    /** Weak: ordered by fences only, and with stores to its own line before it. */
    CLFLUSHOPT,
    /** As {@link #CLFLUSHOPT} to memory; the line stays in the cache, which no model sees. */
    CLWB
  }

  /** Fences of x86. */
  enum FenceKind {
    SFENCE,
    MFENCE
  }

  /** Marks of the persistency models over sequential consistency. */
  enum MarkKind {
    PERSIST_BARRIER,
    NEW_STRAND
  }

  /** What an atomic instruction makes of the old value. */
  enum AtomicKind {
    EXCHANGE,
    FETCH_AND_ADD,
    COMPARE_AND_SET
  }

  record Store(int location, Operand value) implements Instruction {}

  record Load(int register, int location) implements Instruction {}

  /**
   * A locked read-modify-write; the register gets the old value.
   *
   * @param expected compared with, for compare-and-set; 0 otherwise
   */
  record Atomic(AtomicKind kind, int register, int location, Operand expected, Operand operand)
      implements Instruction {
    /** Whether the location is written, given its old value. */
    public boolean writes(int old, int[] registers, int firstRegister) {
      return kind != AtomicKind.COMPARE_AND_SET || old == expected.of(registers, firstRegister);
    }

    /** What is written. */
    public int result(int old, int[] registers, int firstRegister) {
      int value = operand.of(registers, firstRegister);
      return kind == AtomicKind.FETCH_AND_ADD ? old + value : value;
    }
  }

  record Flush(FlushKind kind, int location) implements Instruction {}

  record Fence(FenceKind kind) implements Instruction {}

  record Mark(MarkKind kind) implements Instruction {}

  /**
   * Goes to another instruction unless a register compares as asked.
   *
   * @param target index of that instruction, later than this one
   */
  record SkipUnless(int register, boolean equal, int value, int target) implements Instruction {
    /** Whether to skip. */
    public boolean skips(int[] registers, int firstRegister) {
      return (registers[firstRegister + register] == value) != equal;
    }
  }
}
