package io.howdah.nvmsim;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.trace.Event;
import io.howdah.plot.Chart;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    List<String> options = new ArrayList<>(List.of("-proc:none", "-d", classes.toString()));
    options.addAll(List.of("--add-modules", "io.howdah.nvmsim"));
    String plot = module("io.howdah.plot", Chart.class, "../plot", "", classes, options);
    String path = module("io.howdah.nvmsim", Event.class, ".", plot, classes, options);
    options.addAll(List.of("--module-path", path + File.pathSeparator + plot));
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

  /**
   * Where a module is. Some builds compile without its descriptor, which says what is exported;
   * then the descriptor is compiled here, and the options take its classes from where they are.
   */
  private static String module(
      String name, Class<?> one, String folder, String needs, Path classes, List<String> options)
      throws Exception {
    Path built = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
    if (!Files.isDirectory(built) || Files.exists(built.resolve("module-info.class"))) {
      return built.toString();
    }
    Path descriptor = Files.createDirectories(classes.resolve(name));
    String[] arguments = {
      "-proc:none",
      "-d",
      descriptor.toString(),
      "--module-path",
      System.getProperty("java.class.path") + File.pathSeparator + needs,
      "--patch-module",
      name + "=" + built,
      folder + "/src/main/java/module-info.java"
    };
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments)).isZero();
    options.addAll(List.of("--patch-module", name + "=" + built));
    return descriptor.toString();
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
}
