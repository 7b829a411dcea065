package io.howdah.nvmsim;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.trace.Event;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles programs as a user does: against the module, so that only exported types are seen. */
public final class OutsideSources {
  private OutsideSources() {}

  /** Compiles one class without a package and loads it; the caller closes its loader. */
  public static Class<?> load(String name, String source, Path classes) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Path module = Path.of(location(Event.class));
    List<String> options = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
    options.addAll(List.of("--add-modules", "io.howdah.nvmsim"));
    if (Files.isDirectory(module) && !Files.exists(module.resolve("module-info.class"))) {
      // Some builds compile without the descriptor. It says what is exported, so it is compiled
      // here.
      Path descriptor = Files.createDirectories(classes.resolve("descriptor"));
      String jars = System.getProperty("java.class.path");
      List<String> describe =
          List.of("-proc:none", "-d", descriptor.toString(), "--module-path", jars);
      assertThat(
              compiler.run(
                  null,
                  null,
                  null,
                  Stream.concat(
                          describe.stream(),
                          Stream.of(
                              "--patch-module",
                              "io.howdah.nvmsim=" + module,
                              "src/main/java/module-info.java"))
                      .toArray(String[]::new)))
          .isZero();
      options.addAll(List.of("--patch-module", "io.howdah.nvmsim=" + module));
      module = descriptor;
    }
    options.addAll(List.of("--module-path", module.toString()));
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    Boolean compiled =
        compiler
            .getTask(
                new PrintWriter(messages, true, StandardCharsets.UTF_8),
                null,
                null,
                options,
                null,
                List.of(file))
            .call();
    assertThat(compiled).as(messages.toString(StandardCharsets.UTF_8)).isTrue();
    return new URLClassLoader(new URL[] {classes.toUri().toURL()}).loadClass(name);
  }

  /** What a class's main method prints. */
  public static String run(Class<?> main) throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    try (URLClassLoader _ = (URLClassLoader) main.getClassLoader()) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      main.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  private static URI location(Class<?> type) throws URISyntaxException {
    return type.getProtectionDomain().getCodeSource().getLocation().toURI();
  }
}
