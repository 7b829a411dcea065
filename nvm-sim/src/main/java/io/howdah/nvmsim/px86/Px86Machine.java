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
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The machine of Raad et al. (POPL 2020, the model they call Px86<sub>sim</sub>): a store buffer
 * per thread, from which stores, write-backs and sfence become visible, and one persist buffer,
 * from which stores become durable. A write-back does not wait: it leaves a mark in the persist
 * buffer that later stores cannot overtake and that itself waits for the older stores of its line.
 *
 * <p>What may overtake what inside a store buffer (row: the older; the paper's table of ordering
 * constraints):
 *
 * <pre>
 *                 store   sfence   clflush       clwb, clflushopt
 * store           no      no       no            other line
 * sfence          no      no       no            no
 * clflush         no      no       no            other line
 * clwb/opt        yes     no       other line    yes
 * </pre>
 *
 * Loads execute at once and see the own buffer first; mfence and locked instructions wait until the
 * own buffer is empty.
 */
public final class Px86Machine extends StoreBufferMachine {
  private final Set<Quirk> quirks;

  public Px86Machine(LitmusProgram program) {
    this(program, EnumSet.noneOf(Quirk.class));
  }

  /** A machine that is wrong in the given ways. */
  public Px86Machine(LitmusProgram program, Set<Quirk> quirks) {
    super(program);
    this.quirks = Set.copyOf(quirks);
  }

  private boolean has(Quirk quirk) {
    return quirks.contains(quirk);
  }

  @Override
  boolean mayLoad(MachineState state, int thread) {
    return !has(Quirk.LOADS_DRAIN_STORES) || state.stores[thread].length == 0;
  }

  @Override
  int load(MachineState state, int thread, int location) {
    long[] own = has(Quirk.NO_STORE_FORWARDING) ? new long[0] : state.stores[thread];
    int index = MachineState.youngestWrite(own, location);
    return index >= 0 ? value(own[index]) : visible(state, location);
  }

  @Override
  int visible(MachineState state, int location) {
    int index = MachineState.youngestWrite(state.persists, location);
    return index >= 0 && !has(Quirk.LOADS_SEE_DURABLE_ONLY)
        ? value(state.persists[index])
        : state.memory[location];
  }

  @Override
  boolean mayExecuteAtomic(MachineState state, int thread, Atomic atomic, boolean writes) {
    if (has(Quirk.ATOMICS_DO_NOT_DRAIN) || (has(Quirk.FAILED_CAS_IS_LOAD) && !writes)) {
      return true;
    }
    return drained(state, thread, has(Quirk.ATOMICS_IGNORE_CLWB));
  }

  @Override
  boolean mayPassMfence(MachineState state, int thread) {
    return has(Quirk.MFENCE_IGNORED) || drained(state, thread, has(Quirk.MFENCE_IGNORES_CLWB));
  }

  private static boolean drained(MachineState state, int thread, boolean butForWeakFlushes) {
    for (long entry : state.stores[thread]) {
      if (!butForWeakFlushes || kind(entry) != WEAK_FLUSH) {
        return false;
      }
    }
    return true;
  }

  @Override
  int flushEntryKind(FlushKind kind) {
    boolean weak = kind != FlushKind.CLFLUSH;
    if (has(Quirk.CLWB_AS_CLFLUSH)) {
      weak = false;
    } else if (has(Quirk.CLFLUSH_AS_CLWB)) {
      weak = true;
    }
    return weak ? WEAK_FLUSH : FLUSH;
  }

  @Override
  boolean mayOvertake(long younger, long older) {
    boolean sameLine = sameLine(younger, older);
    return switch (kind(younger)) {
      case WRITE ->
          switch (kind(older)) {
            case WEAK_FLUSH -> !has(Quirk.STORES_WAIT_FOR_CLWB);
            case SFENCE -> has(Quirk.STORES_OVERTAKE_SFENCE);
            case WRITE -> has(Quirk.STORES_REORDER) && location(younger) != location(older);
            default -> false;
          };
      case SFENCE -> kind(older) == WEAK_FLUSH && has(Quirk.SFENCE_OVERTAKES_CLWB);
      case FLUSH ->
          (kind(older) == WEAK_FLUSH && !sameLine && !has(Quirk.CLFLUSH_WAITS_FOR_CLWB))
              || (kind(older) == WRITE && !sameLine && has(Quirk.CLFLUSH_OVERTAKES_STORES));
      default ->
          switch (kind(older)) {
            case WRITE -> !sameLine || has(Quirk.CLWB_OVERTAKES_OWN_LINE);
            case FLUSH -> !sameLine && !has(Quirk.CLWB_WAITS_FOR_CLFLUSH);
            case WEAK_FLUSH -> true;
            default -> has(Quirk.CLWB_OVERTAKES_SFENCE);
          };
    };
  }

  @Override
  boolean mayPropagate(MachineState state, int thread, long entry) {
    return true;
  }

  @Override
  void propagate(MachineState next, int thread, long entry) {
    if (kind(entry) != SFENCE) {
      int kind = kind(entry) == WRITE ? WRITE : FLUSH;
      next.persists =
          MachineState.append(next.persists, entry(kind, location(entry), value(entry)));
    }
  }

  @Override
  void persistSteps(MachineState state, Consumer<MachineState> out) {
    for (int i = 0; i < state.persists.length; i++) {
      long entry = state.persists[i];
      boolean blocked = false;
      for (int j = 0; j < i && !blocked; j++) {
        blocked =
            kind(entry) == WRITE
                ? storeWaits(entry, state.persists[j])
                : flushWaits(entry, state.persists[j]);
      }
      if (!blocked) {
        MachineState next = state.copy();
        next.persists = MachineState.remove(state.persists, i);
        if (kind(entry) == WRITE) {
          next.memory[location(entry)] = value(entry);
        }
        out.accept(next);
      }
    }
  }

  private boolean storeWaits(long store, long older) {
    if (kind(older) != WRITE) {
      return !has(Quirk.STORES_OVERTAKE_FLUSH);
    }
    return has(Quirk.PERSISTS_IN_ORDER)
        || location(store) == location(older)
        || (sameLine(store, older) && !has(Quirk.LINE_ORDER_IGNORED));
  }

  private boolean flushWaits(long flush, long older) {
    if (kind(older) != WRITE) {
      return true;
    }
    boolean covers =
        has(Quirk.FLUSH_COVERS_WORD_ONLY)
            ? location(flush) == location(older)
            : sameLine(flush, older);
    return covers && !has(Quirk.FLUSH_DOES_NOT_WAIT);
  }
}
