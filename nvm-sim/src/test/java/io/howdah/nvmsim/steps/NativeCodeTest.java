package io.howdah.nvmsim.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.schedule.BlockingProgram;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.Policies;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NativeCodeTest {
  private static final int WORDS = 8;
  private static final int VARIABLES = 4;

  /** A text of random steps over a few words and variables; every loop ends. */
  private static final class RandomText {
    private final SplittableRandom random;
    private final Steps text = new Steps();
    private final List<Term.Variable> variables = new ArrayList<>();
    private final long base;

    RandomText(long seed, long base) {
      this.random = new SplittableRandom(seed);
      this.base = base;
      for (int i = 0; i < VARIABLES; i++) {
        variables.add(text.variable());
      }
      block(20, 2);
      for (int i = 0; i < VARIABLES; i++) {
        text.store(Term.of(base + 8L * (WORDS + i)), variables.get(i), 0);
      }
    }

    private Term.Variable variable() {
      return variables.get(random.nextInt(VARIABLES));
    }

    private Term value() {
      return switch (random.nextInt(6)) {
        case 0 -> Term.of(random.nextInt(4));
        case 1 -> variable().plus(random.nextInt(3));
        case 2 -> variable().minus(variable());
        case 3 -> text.thread();
        case 4 -> new Term.Element(random.nextInt(9), variable(), 3);
        default -> variable();
      };
    }

    private Term address() {
      return random.nextBoolean()
          ? Term.of(base + 8L * random.nextInt(WORDS))
          : new Term.RingElement(base, Term.of(random.nextInt(1000)), 16 * WORDS, 16, 8);
    }

    private void block(int steps, int depth) {
      for (int i = 0; i < steps; i++) {
        switch (random.nextInt(depth > 0 ? 10 : 8)) {
          case 0, 1 -> text.load(variable(), address(), 0);
          case 2, 3 -> text.store(address(), value(), 0);
          case 4 -> text.exchange(variable(), address(), value(), 0);
          case 5 -> {
            Steps.Label failed = text.label();
            text.compareAndSet(address(), value(), value(), failed, 0);
            text.assign(variable(), value());
            text.here(failed);
          }
          case 6 -> text.assign(variable(), value());
          case 7 -> text.persistBarrier(0);
          case 8 ->
              text.ifEqual(value(), value(), () -> block(5, depth - 1), () -> block(5, depth - 1));
          default -> {
            Steps.Label end = text.label();
            text.jumpIfLess(value(), value(), end);
            block(5, depth - 1);
            text.here(end);
          }
        }
      }
    }
  }

  @Test
  void compiledTextDoesWhatTheStepsDo() {
    for (int seed = 0; seed < 300; seed++) {
      List<Long> stepped = new ArrayList<>();
      try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
        long base = memory.allocateVolatile(512, 64);
        StepMachine machine =
            new StepMachine(new RandomText(seed, base).text.program(), (number, value) -> {});
        new DeterministicScheduler(memory, Policies.roundRobin(1), batch -> {})
            .add(new BlockingProgram(port -> machine.run(port.thread(), 7, port)))
            .run();
        for (int i = 0; i < WORDS + VARIABLES; i++) {
          stepped.add(memory.getLong(base + 8L * i));
        }
      }
      List<Long> compiled = new ArrayList<>();
      try (NativeMemory memory = new NativeMemory(512)) {
        RandomText text = new RandomText(seed, 64);
        NativeCode.of(text.text.program(), text.variables.get(0))
            .run(memory, (number, value) -> {}, 0, 7);
        for (int i = 0; i < WORDS + VARIABLES; i++) {
          compiled.add(memory.getAcquire(64 + 8L * i));
        }
      }
      assertThat(compiled).as("seed %d", seed).isEqualTo(stepped);
    }
  }

  @Test
  void aLabelWithoutAPlaceIsRefused() {
    Steps text = new Steps();
    text.jump(text.label());
    assertThatThrownBy(text::program).hasMessageContaining("step 0 goes to a label");
  }
}
