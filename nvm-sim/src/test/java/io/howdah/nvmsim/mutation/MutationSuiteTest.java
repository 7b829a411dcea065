package io.howdah.nvmsim.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plants the bugs of {@code crashtest/src/main/planted/sim-*.bug} that name {@link GatesTest} as
 * their judge, one at a time, and checks that the gates notice: the changed source is compiled in
 * memory and loaded in place of the original, so the whole suite takes seconds.
 */
@Tag("scaled")
class MutationSuiteTest {
  private static final Path ROOT = Path.of("..");
  private static final Path PLANTED = ROOT.resolve("crashtest/src/main/planted");

  /** One bug in so many is planted; campaigns and "howdah test planted" plant all. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 8);

  private static final String PACKAGE = "io.howdah.nvmsim.";
  private static final Pattern BUG =
      Pattern.compile(
          """
          rule: (?<rule>.*)
          file: (?<file>.*)
          test: nvm-sim (?<test>.*)
          <<<< find
          (?<find>.*
          )==== replace
          (?<replace>.*
          )>>>>
          """,
          Pattern.DOTALL);

  /** A change: this text in this file becomes that. */
  record Mutant(String rule, String file, String original, String changed) {
    @Override
    public String toString() {
      return rule;
    }
  }

  static Stream<Mutant> mutants() throws IOException {
    List<Mutant> mutants = new ArrayList<>();
    int found = 0;
    try (DirectoryStream<Path> bugs = Files.newDirectoryStream(PLANTED, "sim-*.bug")) {
      for (Path bug : bugs) {
        Matcher text = BUG.matcher(Files.readString(bug));
        assertThat(text.matches()).as("%s has the form of a planted bug", bug).isTrue();
        if (text.group("test").equals(GatesTest.class.getName())) {
          found++;
          if (found % STRIDE == 0) {
            mutants.add(
                new Mutant(
                    text.group("rule"),
                    text.group("file"),
                    text.group("find"),
                    text.group("replace")));
          }
        }
      }
    }
    return mutants.stream();
  }

  @Test
  void bugsAreThere() throws IOException {
    assertThat(mutants()).hasSizeGreaterThanOrEqualTo(25 / STRIDE);
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void gatesNotice(Mutant mutant) throws Exception {
    String source = Files.readString(ROOT.resolve(mutant.file));
    assertThat(source).as("the place to change is there").containsOnlyOnce(mutant.original);
    String name =
        mutant
            .file
            .substring(mutant.file.indexOf("java/") + "java/".length())
            .replace('/', '.')
            .replace(".java", "");
    Map<String, byte[]> classes = compile(name, source.replace(mutant.original, mutant.changed));
    assertThatThrownBy(() -> runGates(classes)).isNotNull();
  }

  private static void runGates(Map<String, byte[]> replaced) throws Exception {
    Replacing loader = new Replacing(replaced);
    Class<?> gates = loader.loadClass(Gates.class.getName());
    ((Runnable) gates.getDeclaredConstructor().newInstance()).run();
  }

  /** Defines the simulator's classes afresh, those given instead of those on the class path. */
  private static final class Replacing extends ClassLoader {
    private final Map<String, byte[]> replaced;

    Replacing(Map<String, byte[]> replaced) {
      super(MutationSuiteTest.class.getClassLoader());
      this.replaced = replaced;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(PACKAGE)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded == null) {
          byte[] bytes = replaced.containsKey(name) ? replaced.get(name) : original(name);
          loaded = defineClass(name, bytes, 0, bytes.length);
        }
        return loaded;
      }
    }

    private byte[] original(String name) throws ClassNotFoundException {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        return in.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static Map<String, byte[]> compile(String name, String source) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Map<String, ByteArrayOutputStream> outputs = new HashMap<>();
    JavaFileObject input =
        new SimpleJavaFileObject(
            URI.create("string:///" + name.replace('.', '/') + ".java"),
            JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
        JavaFileManager memory = new InMemory(standard, outputs)) {
      boolean compiled =
          compiler
              .getTask(
                  null,
                  memory,
                  null,
                  List.of("-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path")),
                  null,
                  List.of(input))
              .call();
      assertThat(compiled).as("mutant compiles").isTrue();
    }
    Map<String, byte[]> classes = new HashMap<>();
    outputs.forEach((className, bytes) -> classes.put(className, bytes.toByteArray()));
    return classes;
  }

  /** Keeps class files in memory. */
  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> outputs;

    InMemory(JavaFileManager standard, Map<String, ByteArrayOutputStream> outputs) {
      super(standard);
      this.outputs = outputs;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      return new SimpleJavaFileObject(
          URI.create("bytes:///" + className.replace('.', '/') + kind.extension), kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          outputs.put(className, bytes);
          return bytes;
        }
      };
    }
  }
}
