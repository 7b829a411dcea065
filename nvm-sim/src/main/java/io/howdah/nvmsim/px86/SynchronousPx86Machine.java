package io.howdah.nvmsim.px86;

import static io.howdah.nvmsim.px86.MachineState.FLUSH;
import static io.howdah.nvmsim.px86.MachineState.SFENCE;
import static io.howdah.nvmsim.px86.MachineState.WEAK_FLUSH;
import static io.howdah.nvmsim.px86.MachineState.WRITE;
import static io.howdah.nvmsim.px86.MachineState.entry;
import static io.howdah.nvmsim.px86.MachineState.kind;
import static io.howdah.nvmsim.px86.MachineState.location;
import static io.howdah.nvmsim.px86.MachineState.value;

import io.howdah.nvmsim.program.Instruction.Atomic;
import io.howdah.nvmsim.program.Instruction.FlushKind;
import io.howdah.nvmsim.program.LitmusProgram;
import java.util.function.Consumer;

/**
 * The machine of Khyzha and Lahav (<i>Taming x86-TSO Persistency</i>, POPL 2021): write-backs wait.
 * Each cache line has a first-in-first-out persist buffer; clflush becomes visible only once its
 * line's is empty; clwb and clflushopt leave a mark in it, and the thread's next sfence, mfence or
 * locked instruction waits until its marks are gone.
 *
 * <p>They prove that it leaves memory in the same states as Px86 does, so the two machines check
 * each other.
 */
public final class SynchronousPx86Machine extends StoreBufferMachine {
  public SynchronousPx86Machine(LitmusProgram program) {
    super(program);
  }

  @Override
  boolean mayLoad(MachineState state, int thread) {
    return true;
  }

  @Override
  int load(MachineState state, int thread, int location) {
    int index = MachineState.youngestWrite(state.stores[thread], location);
    return index >= 0 ? value(state.stores[thread][index]) : visible(state, location);
  }

  @Override
  int visible(MachineState state, int location) {
    int index = MachineState.youngestWrite(state.persists, location);
    return index >= 0 ? value(state.persists[index]) : state.memory[location];
  }

  @Override
  boolean mayExecuteAtomic(MachineState state, int thread, Atomic atomic, boolean writes) {
    return mayPassMfence(state, thread);
  }

  @Override
  boolean mayPassMfence(MachineState state, int thread) {
    return state.stores[thread].length == 0 && !hasMarks(state, thread);
  }

  @Override
  int flushEntryKind(FlushKind kind) {
    return kind == FlushKind.CLFLUSH ? FLUSH : WEAK_FLUSH;
  }

  @Override
  boolean mayOvertake(long younger, long older) {
    return switch (kind(younger)) {
      case WRITE -> kind(older) == WEAK_FLUSH;
      case SFENCE -> false;
      case FLUSH -> kind(older) == WEAK_FLUSH && !sameLine(younger, older);
      default -> kind(older) != SFENCE && !sameLine(younger, older);
    };
  }

  @Override
  boolean mayPropagate(MachineState state, int thread, long entry) {
    return switch (kind(entry)) {
      case SFENCE -> !hasMarks(state, thread);
      case FLUSH -> lineIsEmpty(state, entry);
      default -> true;
    };
  }

  @Override
  void propagate(MachineState next, int thread, long entry) {
    switch (kind(entry)) {
      case WRITE -> next.persists = MachineState.append(next.persists, entry);
      case WEAK_FLUSH ->
          next.persists =
              MachineState.append(next.persists, entry(WEAK_FLUSH, location(entry), thread));
      default -> {}
    }
  }

  /** Each line's entries leave in order; the lines' buffers share one list. */
  @Override
  void persistSteps(MachineState state, Consumer<MachineState> out) {
    for (int i = 0; i < state.persists.length; i++) {
      long entry = state.persists[i];
      boolean first = true;
      for (int j = 0; j < i; j++) {
        first &= !sameLine(entry, state.persists[j]);
      }
      if (first) {
        MachineState next = state.copy();
        next.persists = MachineState.remove(state.persists, i);
        if (kind(entry) == WRITE) {
          next.memory[location(entry)] = value(entry);
        }
        out.accept(next);
      }
    }
  }

  private static boolean hasMarks(MachineState state, int thread) {
    for (long entry : state.persists) {
      if (kind(entry) == WEAK_FLUSH && value(entry) == thread) {
        return true;
      }
    }
    return false;
  }

  private boolean lineIsEmpty(MachineState state, long flush) {
    for (long entry : state.persists) {
      if (sameLine(flush, entry)) {
        return false;
      }
    }
    return true;
  }
}
