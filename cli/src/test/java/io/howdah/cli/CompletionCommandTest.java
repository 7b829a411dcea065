package io.howdah.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code howdah completion}: its script, run by bash. */
final class CompletionCommandTest {

  private static final String BASH = "/bin/bash";

  @TempDir private Path folder;

  private static String script(String shell) {
    StringWriter out = new StringWriter();
    int exit =
        Main.program().commandLine().setOut(new PrintWriter(out)).execute("completion", shell);
    assertThat(exit).isZero();
    return out.toString();
  }

  /** Returns what bash offers for the last of some words. */
  private List<String> complete(String... words) throws IOException, InterruptedException {
    Assumptions.assumeTrue(Files.isExecutable(Path.of(BASH)), "there is no bash");
    Path file = folder.resolve("howdah.bash");
    Files.writeString(file, script("bash"));
    String ask =
        "source \"$1\" || exit 3; shift; COMP_WORDS=(howdah \"$@\"); COMP_CWORD=$#;"
            + " COMP_LINE=\"howdah $*\"; COMP_POINT=${#COMP_LINE}; _complete_howdah && printf"
            + " '%s\\n"
            + "' \"${COMPREPLY[@]}\"";
    List<String> command =
        Stream.concat(
                Stream.of(BASH, "--norc", "-c", ask, "bash", file.toString()), Stream.of(words))
            .toList();
    Process bash = new ProcessBuilder(command).redirectErrorStream(true).start();
    String offered = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as("%s", offered).isZero();
    return offered.lines().map(String::strip).toList();
  }

  @Test
  void bashCompletesCommandsAndOptions() throws Exception {
    assertThat(complete("che")).containsExactly("check-schema", "checkpoint");
    assertThat(complete(""))
        .contains("ls", "get", "shell", "serve", "completion")
        .doesNotContain("bench");
    assertThat(complete("get", "--")).contains("--json", "--help");
    assertThat(complete("completion", "b")).containsExactly("bash");
  }

  @Test
  void zshRunsTheSameScript() {
    assertThat(script("zsh")).contains("ZSH_VERSION", "bashcompinit");
  }
}
