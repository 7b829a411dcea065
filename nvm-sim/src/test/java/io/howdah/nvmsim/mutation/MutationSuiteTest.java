package io.howdah.nvmsim.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Breaks the simulator on purpose, one place at a time, and checks that its gates notice: each
 * mutant is a copy of one source file with one change, compiled in memory and loaded in place of
 * the original.
 */
class MutationSuiteTest {
  private static final Path SOURCES = Path.of("src/main/java/io/howdah/nvmsim");
  private static final String PACKAGE = "io.howdah.nvmsim.";

  /** A change: this text in this file becomes that. */
  record Mutant(String what, String file, String original, String changed) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Mutant> mutants() {
    String analyzer = "persistency/CriticalPathAnalyzer.java";
    String models = "persistency/Models.java";
    String text = "queue/QueueText.java";
    String cwl = "queue/CopyWhileLocked.java";
    String twoLock = "queue/TwoLockConcurrent.java";
    String races = "persistency/RaceDetector.java";
    String dag = "dag/PersistDagBuilder.java";
    String machine = "steps/StepMachine.java";
    return Stream.of(
        new Mutant(
            "coalescing ignored",
            analyzer,
            "if ((afterLevel < lastLevel",
            "if (false && (afterLevel < lastLevel"),
        new Mutant(
            "coalescing across an equal level",
            analyzer,
            "afterLevel == lastLevel && afterId == lastId && lastId != NONE",
            "afterLevel == lastLevel && lastId != NONE"),
        new Mutant(
            "no coalescing with the persist depended on",
            analyzer,
            "(afterLevel == lastLevel && afterId == lastId && lastId != NONE)",
            "false"),
        new Mutant(
            "merge limit off by one",
            analyzer,
            "table[block + PERSIST_STORES] < maxStores",
            "table[block + PERSIST_STORES] <= maxStores"),
        new Mutant(
            "persist not ordered after the last of its block",
            analyzer,
            "Math.max(afterLevel, lastLevel) + 1",
            "afterLevel + 1"),
        new Mutant(
            "persist granularity rounded down",
            analyzer,
            "Integer.numberOfTrailingZeros(options.persistGranularity())",
            "Math.max(3, Integer.numberOfTrailingZeros(options.persistGranularity()) - 1)"),
        new Mutant(
            "tracking granularity rounded down",
            analyzer,
            "Integer.numberOfTrailingZeros(options.trackingGranularity())",
            "Math.max(3, Integer.numberOfTrailingZeros(options.trackingGranularity()) - 1)"),
        new Mutant(
            "loads before a store forgotten",
            analyzer,
            "      } else {\n        otherLevel = table[block + LOAD_LEVEL];",
            "      } else {\n        otherLevel = 0;"),
        new Mutant(
            "wide access keeps its first word only",
            analyzer,
            "word < to; word += Long.BYTES",
            "word < to && word == (from & ~7L); word += Long.BYTES"),
        new Mutant(
            "unaligned store takes one word for two",
            analyzer,
            "(address & 7) + size > Long.BYTES",
            "size > Long.BYTES"),
        new Mutant(
            "joins of different persists keep one of them",
            analyzer,
            "} else if (otherLevel == level && otherId != id) {\n      id = MANY;",
            "} else if (otherLevel == level && otherId != id) {\n      id = otherId;"),
        new Mutant(
            "seen forgets what it saw",
            analyzer,
            "if (orderedLevel > seenLevel) {",
            "if (orderedLevel > seenLevel + 1) {"),
        new Mutant(
            "barrier has no effect",
            models,
            "    public void onBarrier(ThreadOrder thread) {\n"
                + "      thread.orderSeen();\n"
                + "    }\n"
                + "  }\n\n"
                + "  private record Strand",
            "    public void onBarrier(ThreadOrder thread) {}\n  }\n\n  private record Strand"),
        new Mutant(
            "strand keeps what came before",
            models,
            "      thread.forget();",
            "      thread.orderSeen();"),
        new Mutant(
            "strict needs a barrier",
            models,
            "    public void onAccess(ThreadOrder thread, int kind, boolean persistent) {\n"
                + "      thread.orderSeen();",
            "    public void onAccess(ThreadOrder thread, int kind, boolean persistent) {\n"
                + "      if (persistent) return;\n      thread.orderSeen();"),
        new Mutant(
            "BPFS sees volatile conflicts",
            models,
            "new Epoch(\"bpfs\", false, false)",
            "new Epoch(\"bpfs\", true, false)"),
        new Mutant(
            "BPFS sees loads",
            models,
            "new Epoch(\"bpfs\", false, false)",
            "new Epoch(\"bpfs\", false, true)"),
        new Mutant(
            "queue drops the barrier before the head",
            cwl,
            "barrier(BEFORE_HEAD, QueueSites.CWL_BARRIER_HEAD);",
            ""),
        new Mutant(
            "queue copies one word too few",
            text,
            "i < q.recordWords; i++",
            "i < q.recordWords - 1; i++"),
        new Mutant(
            "racing queue keeps the barrier after its lock",
            cwl,
            "barrier(AFTER_LOCK, QueueSites.CWL_BARRIER_AFTER_LOCK);",
            "text.persistBarrier(QueueSites.CWL_BARRIER_AFTER_LOCK);"),
        new Mutant(
            "two-lock queue without its extra barrier",
            twoLock,
            "barrier(AFTER_HEAD, QueueSites.TWO_LOCK_BARRIER_AFTER_HEAD);",
            ""),
        new Mutant(
            "non-oldest insert persists the head as well",
            twoLock,
            "        oldest,\n        node,",
            "        node,\n        node,"),
        new Mutant(
            "lock handed over before its time",
            machine,
            "if (now == step.second().value(variables)) {",
            "if (false) {"),
        new Mutant(
            "race detector ignores barriers", races, "&& !second.epoch.isAfter(first.epoch)", ""),
        new Mutant(
            "race detector blind to stores",
            races,
            "if (store != null) {",
            "if (store != null && Event.kind(event) == Event.PFREE) {"),
        new Mutant(
            "DAG merges past an equal level",
            dag,
            "levels.get(i) >= lastLevel",
            "levels.get(i) > lastLevel"),
        new Mutant(
            "DAG forgets loads before a store",
            dag,
            "into.or(block.loads);",
            "into.or(block.store);"));
  }

  @Test
  void theSimulatorAsItIsPasses() throws Exception {
    assertThatCode(() -> runGates(Map.of())).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void gatesNotice(Mutant mutant) throws Exception {
    Path file = SOURCES.resolve(mutant.file);
    String source = Files.readString(file);
    assertThat(source).as("the place to change is there").contains(mutant.original);
    String name = PACKAGE + mutant.file.replace('/', '.').replace(".java", "");
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
