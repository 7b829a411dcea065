package io.howdah.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import picocli.CommandLine;

/** What a person sees of {@code howdah demo}: a table, and nothing between its rows. */
@Isolated("it takes the standard error of the JVM")
final class DemoOutputTest {

  @TempDir private Path folder;

  @Test
  void recoveriesAreRowsAndNoMessages() {
    PrintStream stderr = System.err;
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    StringWriter out = new StringWriter();
    int exit;
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      CommandLine line = Main.program().commandLine().setOut(new PrintWriter(out));
      exit =
          line.execute(
              "demo", "--kills", "2", "--seconds", "1", "--dir", folder.resolve("d").toString());
    } finally {
      System.setErr(stderr);
    }
    assertThat(errors.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(exit).isZero();
    assertThat(out.toString()).contains("kills survived").contains("lost");
  }
}
