package io.howdah.nvmsim.px86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.program.Instruction;
import io.howdah.nvmsim.program.Instruction.AtomicKind;
import io.howdah.nvmsim.program.Instruction.FenceKind;
import io.howdah.nvmsim.program.Instruction.FlushKind;
import io.howdah.nvmsim.program.LitmusProgram;
import io.howdah.nvmsim.program.Operand;
import io.howdah.nvmsim.schedule.SplitMix;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Khyzha and Lahav prove that their machine and the one of Raad et al. leave memory in the same
 * states. Two machines written from two papers that agree on random programs are both likely right.
 */
@Tag("scaled")
class MachineEquivalenceTest {
  private static final int PROGRAMS = 400;

  /** One in so many programs is run. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 3);

  private static final List<AtomicKind> ATOMICS = List.of(AtomicKind.values());

  private static LitmusProgram randomProgram(long seed) {
    SplitMix random = new SplitMix(seed);
    int locations = 2 + random.below(2);
    List<String> names = List.of("x", "y", "z").subList(0, locations);
    List<Integer> lines = new ArrayList<>();
    for (int i = 0; i < locations; i++) {
      lines.add(random.below(4) == 0 ? 0 : i);
    }
    List<List<Instruction>> threads = new ArrayList<>();
    List<List<String>> registers = new ArrayList<>();
    int threadCount = 1 + random.below(2);
    for (int t = 0; t < threadCount; t++) {
      List<Instruction> code = new ArrayList<>();
      int length = threadCount == 1 ? 4 + random.below(4) : 3 + random.below(2);
      for (int i = 0; i < length; i++) {
        code.add(randomInstruction(random, locations, t * 10 + i + 1, i + 1));
      }
      threads.add(code);
      registers.add(List.of("r", "s"));
    }
    return new LitmusProgram(
        names, lines, names.stream().map(_ -> false).toList(), registers, threads);
  }

  private static Instruction randomInstruction(
      SplitMix random, int locations, int value, int next) {
    int location = random.below(locations);
    int register = random.below(2);
    return switch (random.below(14)) {
      case 0 -> new Instruction.Load(register, location);
      case 1 -> new Instruction.Fence(FenceKind.MFENCE);
      case 2, 3 -> new Instruction.Fence(FenceKind.SFENCE);
      case 4 -> new Instruction.Flush(FlushKind.CLFLUSH, location);
      case 5, 6, 7 -> new Instruction.Flush(FlushKind.CLWB, location);
      case 8 ->
          new Instruction.Atomic(
              ATOMICS.get(random.below(ATOMICS.size())),
              register,
              location,
              new Operand(false, 0),
              new Operand(false, value));
      case 9 -> new Instruction.SkipUnless(register, random.below(2) == 0, 0, next);
      default -> {
        boolean copies = random.below(4) == 0;
        yield new Instruction.Store(location, new Operand(copies, copies ? register : value));
      }
    };
  }

  @Test
  void asynchronousAndSynchronousWriteBacksLeaveTheSameStates() {
    int mostStates = 0;
    for (long seed = 0; seed < PROGRAMS; seed += STRIDE) {
      LitmusProgram program = randomProgram(seed);
      ReachableStates one = new Px86Machine(program).explore(1_000_000);
      ReachableStates other = new SynchronousPx86Machine(program).explore(1_000_000);
      assertThat(one.durable()).as("seed %d, %s", seed, program).isEqualTo(other.durable());
      assertThat(one.ended()).as("seed %d, %s", seed, program).isEqualTo(other.ended());
      mostStates = Math.max(mostStates, one.durable().size());
    }
    assertThat(mostStates).isGreaterThan(10);
  }

  @Test
  void randomProgramsTellWrongMachinesApartToo() {
    for (Quirk quirk :
        List.of(Quirk.CLFLUSH_AS_CLWB, Quirk.FLUSH_DOES_NOT_WAIT, Quirk.LINE_ORDER_IGNORED)) {
      boolean told = false;
      for (long seed = 0; seed < PROGRAMS && !told; seed++) {
        LitmusProgram program = randomProgram(seed);
        ReachableStates wrong = new Px86Machine(program, EnumSet.of(quirk)).explore(1_000_000);
        told =
            !wrong
                .durable()
                .equals(new SynchronousPx86Machine(program).explore(1_000_000).durable());
      }
      assertThat(told).as("%s", quirk).isTrue();
    }
  }

  @Test
  void tooManyStatesIsAnError() {
    assertThatThrownBy(() -> new Px86Machine(randomProgram(1)).explore(3))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("more than 3 states");
  }
}
