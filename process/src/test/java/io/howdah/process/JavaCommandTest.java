package io.howdah.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JavaCommandTest {

  /** Prints a property and its arguments, one on each line. */
  static final class Echo {

    private Echo() {}

    public static void main(String[] arguments) {
      System.out.println(System.getProperty("howdah.echo"));
      List.of(arguments).forEach(System.out::println);
    }
  }

  @Test
  void flagsAndArgumentsReachTheJvm() throws Exception {
    Process process =
        JavaCommand.of(
                List.of("-XX:TieredStopAtLevel=1", "-Dhowdah.echo=x y"),
                Echo.class,
                List.of("-cp", "two words", ""))
            .builder()
            .redirectErrorStream(true)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    assertThat(out.lines()).containsExactly("x y", "-cp", "two words", "");
  }
}
