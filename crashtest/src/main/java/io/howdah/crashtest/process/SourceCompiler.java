package io.howdah.crashtest.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles sources of the checkout at run time, for campaigns that change the code under test. */
public final class SourceCompiler {

  /** More than the first few errors mostly follow from those. */
  private static final int MAX_PROBLEMS = 3;

  private SourceCompiler() {}

  /**
   * Compiles files.
   *
   * @param what they are, for the message if they do not compile
   * @param classes folder for the classes
   * @param classPath what they need
   * @throws IllegalStateException if they do not compile, or this runtime has no compiler
   */
  public static void compile(String what, List<Path> sources, Path classes, String classPath)
      throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IllegalStateException(
          "compiling " + what + " takes a JDK; this runtime has no compiler");
    }
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    List<String> options =
        List.of("-proc:none", "-nowarn", "-g", "-d", classes.toString(), "-cp", classPath);
    try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, null)) {
      boolean done =
          compiler
              .getTask(
                  null, files, problems, options, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      if (!done) {
        throw new IllegalStateException(
            "cannot compile "
                + what
                + ": "
                + problems.getDiagnostics().stream()
                    .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                    .limit(MAX_PROBLEMS)
                    .toList());
      }
    }
  }

  /**
   * Compiles a source tree and copies its resources beside the classes. A module descriptor is left
   * out, so that tests and code share one class path.
   *
   * @param what it is, for the message if it does not compile
   * @param tree a folder with {@code java} and perhaps {@code resources}, such as {@code src/test}
   */
  public static void compileTree(String what, Path tree, Path classes, String classPath)
      throws IOException {
    Files.createDirectories(classes);
    try (Stream<Path> files = Files.walk(tree.resolve("java"))) {
      List<Path> sources =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> !file.endsWith("module-info.java"))
              .toList();
      if (!sources.isEmpty()) {
        compile(what, sources, classes, classPath);
      }
    }
    Path resources = tree.resolve("resources");
    if (Files.exists(resources)) {
      try (Stream<Path> files = Files.walk(resources)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Path copy = classes.resolve(resources.relativize(file).toString());
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    }
  }
}
