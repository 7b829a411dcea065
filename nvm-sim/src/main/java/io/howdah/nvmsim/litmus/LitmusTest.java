package io.howdah.nvmsim.litmus;

import io.howdah.nvmsim.program.LitmusProgram;
import java.util.List;

/**
 * A litmus test.
 *
 * @param name unique in its suite
 * @param source where the expectations come from
 * @param program what runs
 * @param expectations what must come out, at least one
 */
public record LitmusTest(
    String name, String source, LitmusProgram program, List<Expectation> expectations) {
  public LitmusTest {
    expectations = List.copyOf(expectations);
  }
}
