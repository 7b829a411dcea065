package io.howdah.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DecodedArgumentsTest {

  @Test
  void anArgumentThatTheJvmCouldNotDecodeIsNamed() {
    assertThat(DecodedArguments.problem(new String[] {"rm", "m", "\uFFFD\uFFFD"}))
        .startsWith("argument 3, \"\uFFFD\uFFFD\", has bytes")
        .contains("LC_ALL=C.UTF-8", "howdah shell");
    assertThat(DecodedArguments.problem(new String[] {"--out=x\uFFFD"})).startsWith("argument 1, ");
  }

  @Test
  void otherArgumentsAreTaken() {
    assertThat(DecodedArguments.problem(new String[0])).isNull();
    assertThat(DecodedArguments.problem(new String[] {"put", "\u0441\u043b\u043e\u043d", "", "?"}))
        .isNull();
  }
}
