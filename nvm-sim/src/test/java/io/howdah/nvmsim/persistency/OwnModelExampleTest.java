package io.howdah.nvmsim.persistency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in {@code examples/persistency-model} compiles and prints what its README says. */
class OwnModelExampleTest {
  private static final Path EXAMPLE = Path.of("../examples/persistency-model");
  private static final String NAME = "VolatileOrdersPersists";

  @TempDir Path classes;

  @Test
  void printsWhatItsReadmeSays() throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int result =
        compiler.run(
            null,
            null,
            null,
            "-proc:none",
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            classes.toString(),
            EXAMPLE.resolve(NAME + ".java").toString());
    assertThat(result).isZero();
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader.loadClass(NAME).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(before);
    }
    assertThat(Files.readString(EXAMPLE.resolve("README.md")))
        .contains(printed.toString(StandardCharsets.UTF_8));
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("volatile-orders   2.000");
  }
}
