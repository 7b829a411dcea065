package io.howdah.nvmsim.px86;

import static io.howdah.nvmsim.px86.MachineState.SFENCE;
import static io.howdah.nvmsim.px86.MachineState.WRITE;
import static io.howdah.nvmsim.px86.MachineState.entry;
import static io.howdah.nvmsim.px86.MachineState.location;

import io.howdah.nvmsim.program.Instruction;
import io.howdah.nvmsim.program.Instruction.Atomic;
import io.howdah.nvmsim.program.Instruction.Fence;
import io.howdah.nvmsim.program.Instruction.FenceKind;
import io.howdah.nvmsim.program.Instruction.Flush;
import io.howdah.nvmsim.program.Instruction.FlushKind;
import io.howdah.nvmsim.program.Instruction.Load;
import io.howdah.nvmsim.program.Instruction.Mark;
import io.howdah.nvmsim.program.Instruction.SkipUnless;
import io.howdah.nvmsim.program.Instruction.Store;
import io.howdah.nvmsim.program.LitmusProgram;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What the two machines share: threads that fill store buffers, and the search through every state.
 * A state reached twice is examined once.
 */
public abstract sealed class StoreBufferMachine permits Px86Machine, SynchronousPx86Machine {
  /** Default bound on the states of a search: about half a gigabyte. */
  public static final int DEFAULT_MAX_STATES = 2_000_000;

  final LitmusProgram program;

  StoreBufferMachine(LitmusProgram program) {
    this.program = program;
    for (List<Instruction> thread : program.threads()) {
      for (Instruction instruction : thread) {
        if (instruction instanceof Mark(Instruction.MarkKind kind)) {
          throw new IllegalArgumentException("x86 has no instruction " + kind);
        }
      }
    }
  }

  /**
   * Visits every reachable state.
   *
   * @throws IllegalStateException if there are more than {@code maxStates}
   */
  public final ReachableStates explore(int maxStates) {
    int registers = program.firstRegister(program.threads().size());
    MachineState initial =
        MachineState.initial(program.threads().size(), registers, program.locations().size());
    Set<MachineState> seen = new HashSet<>();
    Deque<MachineState> open = new ArrayDeque<>();
    Set<List<Integer>> durable = new HashSet<>();
    Set<List<Integer>> ended = new HashSet<>();
    seen.add(initial);
    open.add(initial);
    while (!open.isEmpty()) {
      MachineState state = open.removeLast();
      durable.add(boxed(state.memory));
      if (hasEnded(state)) {
        ended.add(boxed(state.registers));
      }
      successors(
          state,
          next -> {
            if (seen.add(next)) {
              open.add(next);
            }
          });
      if (seen.size() > maxStates) {
        throw new IllegalStateException("more than " + maxStates + " states");
      }
    }
    return new ReachableStates(seen.size(), durable, ended);
  }

  private static List<Integer> boxed(int[] values) {
    List<Integer> list = new ArrayList<>(values.length);
    for (int value : values) {
      list.add(value);
    }
    return list;
  }

  private boolean hasEnded(MachineState state) {
    for (int t = 0; t < state.pc.length; t++) {
      if (state.pc[t] < program.threads().get(t).size()) {
        return false;
      }
    }
    return true;
  }

  private void successors(MachineState state, Consumer<MachineState> out) {
    for (int t = 0; t < state.pc.length; t++) {
      if (state.pc[t] < program.threads().get(t).size()) {
        execute(state, t, out);
      }
      propagateSteps(state, t, out);
    }
    persistSteps(state, out);
  }

  private void execute(MachineState state, int thread, Consumer<MachineState> out) {
    Instruction instruction = program.threads().get(thread).get(state.pc[thread]);
    int first = program.firstRegister(thread);
    MachineState next = state.copy();
    next.pc[thread]++;
    switch (instruction) {
      case Store store ->
          buffer(
              next,
              thread,
              entry(WRITE, store.location(), store.value().of(state.registers, first)));
      case Load load -> {
        if (!mayLoad(state, thread)) {
          return;
        }
        next.registers[first + load.register()] = load(state, thread, load.location());
      }
      case Atomic atomic -> {
        int old = visible(state, atomic.location());
        boolean writes = atomic.writes(old, state.registers, first);
        if (!mayExecuteAtomic(state, thread, atomic, writes)) {
          return;
        }
        if (writes) {
          int result = atomic.result(old, state.registers, first);
          next.persists =
              MachineState.append(next.persists, entry(WRITE, atomic.location(), result));
        }
        next.registers[first + atomic.register()] = old;
      }
      case Flush flush ->
          buffer(next, thread, entry(flushEntryKind(flush.kind()), flush.location(), 0));
      case Fence fence -> {
        if (fence.kind() == FenceKind.SFENCE) {
          buffer(next, thread, entry(SFENCE, 0, 0));
        } else if (!mayPassMfence(state, thread)) {
          return;
        }
      }
      case SkipUnless skip -> {
        if (skip.skips(state.registers, first)) {
          next.pc[thread] = skip.target();
        }
      }
      case Mark mark -> throw new IllegalArgumentException("no x86 instruction: " + mark);
    }
    out.accept(next);
  }

  private static void buffer(MachineState next, int thread, long entry) {
    next.stores[thread] = MachineState.append(next.stores[thread], entry);
  }

  private void propagateSteps(MachineState state, int thread, Consumer<MachineState> out) {
    long[] buffer = state.stores[thread];
    for (int i = 0; i < buffer.length; i++) {
      boolean free = mayPropagate(state, thread, buffer[i]);
      for (int j = 0; j < i && free; j++) {
        free = mayOvertake(buffer[i], buffer[j]);
      }
      if (free) {
        MachineState next = state.copy();
        next.stores[thread] = MachineState.remove(buffer, i);
        propagate(next, thread, buffer[i]);
        out.accept(next);
      }
    }
  }

  final boolean sameLine(long a, long b) {
    return program.sameLine(location(a), location(b));
  }

  abstract boolean mayLoad(MachineState state, int thread);

  /** What a thread loads. */
  abstract int load(MachineState state, int thread, int location);

  /** What everybody sees. */
  abstract int visible(MachineState state, int location);

  abstract boolean mayExecuteAtomic(MachineState state, int thread, Atomic atomic, boolean writes);

  abstract boolean mayPassMfence(MachineState state, int thread);

  abstract int flushEntryKind(FlushKind kind);

  /** Whether an entry may leave the store buffer before an older one. */
  abstract boolean mayOvertake(long younger, long older);

  /** Whether an entry may leave the store buffer, older ones aside. */
  abstract boolean mayPropagate(MachineState state, int thread, long entry);

  /** Makes an entry visible to all. */
  abstract void propagate(MachineState next, int thread, long entry);

  /** Every way in which the persist buffer may move. */
  abstract void persistSteps(MachineState state, Consumer<MachineState> out);
}
