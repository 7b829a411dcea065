package io.howdah.nvmsim.litmus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.program.Instruction;
import io.howdah.nvmsim.program.Operand;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LitmusParserTest {
  private static final String HEAD = "test t\nsource s\nthread\n";
  private static final String TAIL = "\nnvm x\n0\n";

  @Test
  void readsEveryInstruction() {
    LitmusTest test =
        LitmusParser.parse(
                "f",
                HEAD
                    + """
                    store x 1  # a comment
                    r = load x
                    if r == 1
                      store x r
                      if r != 0
                        clflush x
                      end
                    end
                    clflushopt x
                    clwb x
                    sfence
                    mfence
                    r = xchg x 5
                    s = faa x r
                    s = cas x 1 -2
                    allowed nvm x=1
                    forbidden final on px86 0:r=7 0:s=1
                    """)
            .getFirst();
    List<Instruction> code = test.program().threads().getFirst();
    assertThat(code).hasSize(13);
    assertThat(code.get(2)).isEqualTo(new Instruction.SkipUnless(0, true, 1, 6));
    assertThat(code.get(4)).isEqualTo(new Instruction.SkipUnless(0, false, 0, 6));
    assertThat(code.get(12))
        .isEqualTo(
            new Instruction.Atomic(
                Instruction.AtomicKind.COMPARE_AND_SET,
                1,
                0,
                new Operand(false, 1),
                new Operand(false, -2)));
    assertThat(test.expectations())
        .extracting(Expectation::kind)
        .containsExactly(Expectation.Kind.NVM_ALLOWED, Expectation.Kind.FINAL_FORBIDDEN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f:4: no instruction          | jump x
          f:4: "store" with too many   | store x
          f:4: "x" is no number        | r = load x;if r == x
          f:4: register r is used      | store x r
          f:4: "2x" is no name         | store 2x 1
          f:4: an "end" without        | end
          an "if" without its "end"    | r = load x;if r == 1
          f:4: no persistent location  | nvm y
          f:4: no register "1:r"       | final 1:r
          f:4: no register "r"         | final r
          f:4: no model "arm"          | nvm on arm x
          f:4: expected NAME=VALUE     | allowed nvm x
          f:4: expected "allowed nvm"  | allowed x=1
          """)
  void errorsNameFileAndLine(String message, String body) {
    int line = 4 + (int) body.chars().filter(c -> c == ';').count();
    assertThatThrownBy(() -> LitmusParser.parse("f", HEAD + body.replace(';', '\n') + TAIL))
        .isInstanceOf(LitmusSyntaxException.class)
        .hasMessageContaining(message.replace("f:4:", "f:" + line + ":"));
  }

  @Test
  void incompleteTestsAreRefused() {
    assertThatThrownBy(() -> LitmusParser.parse("f", "thread\n"))
        .hasMessage("f:1: expected \"test NAME\", found \"thread\"");
    assertThatThrownBy(() -> LitmusParser.parse("f", "test t\nstore x 1\n"))
        .hasMessage("f:2: \"store\" before the first \"thread\"");
    assertThatThrownBy(() -> LitmusParser.parse("f", HEAD + "store x 1\n"))
        .hasMessageContaining("needs a source, a thread and an expectation");
    assertThatThrownBy(() -> LitmusParser.parse("f", HEAD + "store x 1\nnvm x\n"))
        .hasMessageContaining("without columns or outcomes");
    assertThatThrownBy(() -> LitmusParser.parse("f", HEAD + "store x 1\nnvm x\n0 0\n"))
        .hasMessageContaining("2 values for 1 columns");
    assertThatThrownBy(() -> LitmusParser.parse("f", HEAD + "store x 1\nnvm x\n0\n0\n"))
        .hasMessageContaining("a second time");
    String whole = HEAD + "store x 1" + TAIL;
    assertThatThrownBy(() -> LitmusParser.parse("f", whole + whole))
        .hasMessageContaining("a second test named t");
    assertThatThrownBy(() -> LitmusParser.parse("f", HEAD + "store x 1\n".repeat(65) + TAIL))
        .hasMessageContaining("more than 64 instructions");
  }

  @Test
  void instructionsOfTheOtherModelAreRefused() {
    LitmusTest marks = LitmusParser.parse("f", HEAD + "store x 1\nbarrier" + TAIL).getFirst();
    assertThatThrownBy(() -> new LitmusRunner().run(marks))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("x86 has no instruction PERSIST_BARRIER");
    LitmusTest flush =
        LitmusParser.parse("f", HEAD + "store x 1\nclwb x\nnvm on epoch x\n0\n").getFirst();
    assertThatThrownBy(() -> new LitmusRunner().run(flush))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("an x86 instruction under sequential consistency");
  }

  @Test
  void wrongExpectationIsReportedWithBothSets() {
    LitmusTest test = LitmusParser.parse("f", HEAD + "store x 1" + TAIL).getFirst();
    assertThat(new LitmusRunner().run(test).getFirst().mismatches())
        .containsExactly("NVM: expected {x=0}, found {x=0} {x=1}");
  }
}
