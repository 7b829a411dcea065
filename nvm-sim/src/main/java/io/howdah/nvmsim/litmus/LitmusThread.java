package io.howdah.nvmsim.litmus;

import io.howdah.nvmsim.program.Instruction;
import io.howdah.nvmsim.program.LitmusProgram;
import io.howdah.nvmsim.schedule.SimProgram;
import io.howdah.nvmsim.schedule.SimThread;
import java.util.List;

/** A thread of a litmus program under sequential consistency, one instruction a turn. */
final class LitmusThread implements SimProgram {
  private final List<Instruction> code;
  private final long[] addresses;
  private final int[] registers;
  private final int firstRegister;
  private int pc;

  LitmusThread(LitmusProgram program, int thread, long[] addresses, int[] registers) {
    this.code = program.threads().get(thread);
    this.addresses = addresses;
    this.registers = registers;
    this.firstRegister = program.firstRegister(thread);
  }

  @Override
  public boolean step(SimThread self) {
    skip();
    if (pc < code.size()) {
      execute(self, code.get(pc++));
      skip();
    }
    return pc < code.size();
  }

  /** Conditions touch no memory, so they take no turn. */
  private void skip() {
    while (pc < code.size() && code.get(pc) instanceof Instruction.SkipUnless condition) {
      pc = condition.skips(registers, firstRegister) ? condition.target() : pc + 1;
    }
  }

  private void execute(SimThread self, Instruction instruction) {
    switch (instruction) {
      case Instruction.Store store ->
          self.store(addresses[store.location()], store.value().of(registers, firstRegister), 0);
      case Instruction.Load load ->
          registers[firstRegister + load.register()] =
              (int) self.load(addresses[load.location()], 0);
      case Instruction.Atomic atomic ->
          registers[firstRegister + atomic.register()] = run(self, atomic);
      case Instruction.Mark(Instruction.MarkKind kind) -> {
        if (kind == Instruction.MarkKind.PERSIST_BARRIER) {
          self.persistBarrier(0);
        } else {
          self.newStrand(0);
        }
      }
      case Instruction.Flush _, Instruction.Fence _ ->
          throw new IllegalArgumentException("an x86 instruction under sequential consistency");
      case Instruction.SkipUnless _ -> throw new IllegalStateException("conditions take no turn");
    }
  }

  private int run(SimThread self, Instruction.Atomic atomic) {
    long address = addresses[atomic.location()];
    int value = atomic.operand().of(registers, firstRegister);
    return switch (atomic.kind()) {
      case EXCHANGE -> (int) self.exchange(address, value, 0);
      case FETCH_AND_ADD -> (int) self.fetchAndAdd(address, value, 0);
      case COMPARE_AND_SET -> {
        int expected = atomic.expected().of(registers, firstRegister);
        // A locked compare returns the old value; ours says only whether it was the expected one.
        if (self.compareAndSet(address, expected, value, 0)) {
          yield expected;
        }
        throw new UnsupportedOperationException(
            "a failing cas under sequential consistency; use load and xchg");
      }
    };
  }
}
