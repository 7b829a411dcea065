package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The Java that documents show to programs compiles, and needs neither casts nor type witnesses.
 */
final class SnippetsTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern BLOCK = Pattern.compile("(?s)```java\\n(.*?)```");
  private static final Pattern EXPORT = Pattern.compile("(?m)^ *exports ([\\w.]+);");
  private static final Pattern WITNESS_OR_CAST =
      Pattern.compile("\\.<|\\((?:int|long|[A-Z]\\w*(?:<[^()]*>)?)\\) ?[\\w(]");

  private static final Pattern OTHER_MODULES =
      Pattern.compile("@StoreCrashTest|StoreMetrics|JacksonCodec|ProtobufCodec");

  /** What the documents take for granted from one block to the next. */
  private static final String GIVEN =
      """
      Store store = null;
      PersistentMap<String, Long> stock = null;
      long account = 0;
      Object client = null;
      List<String> orders = null;
      void reply(Object client) {}
      void book(Tx tx, String order) {}
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "docs/getting-started.md",
        "docs/commit-modes.md",
        "docs/objects.md",
        "docs/codecs.md",
        "docs/migrating.md"
      })
  void snippetsCompile(String document, @TempDir Path classes) throws IOException {
    List<String> blocks = blocks(document);
    assertThat(blocks).isNotEmpty();
    String source = source(blocks, "", GIVEN);
    assertThat(problems(source, classes)).as(source).isEmpty();
  }

  /** Those that show modules beside the engine; other blocks of these documents are excerpts. */
  @Test
  void snippetsOfOtherModulesCompile(@TempDir Path classes) throws IOException {
    List<String> blocks = new ArrayList<>();
    for (String document :
        List.of("docs/testkit.md", "docs/operating.md", "docs/jackson.md", "docs/protobuf.md")) {
      blocks.addAll(
          blocks(document).stream().filter(block -> OTHER_MODULES.matcher(block).find()).toList());
    }
    assertThat(blocks).hasSize(4);
    String imports =
        """
        import static org.assertj.core.api.Assertions.assertThat;
        import com.google.protobuf.Timestamp;
        import io.howdah.jackson.*;
        import io.howdah.micrometer.*;
        import io.howdah.protobuf.*;
        import io.howdah.storetest.*;
        import io.micrometer.core.instrument.*;
        """;
    String source = source(blocks, imports, "Store store = null; MeterRegistry registry = null;");
    assertThat(problems(source, classes)).as(source).isEmpty();
  }

  private static String source(List<String> blocks, String imports, String given)
      throws IOException {
    StringBuilder source = new StringBuilder(imports);
    exportedPackages().forEach(name -> source.append("import ").append(name).append(".*;\n"));
    source.append("import java.lang.invoke.*;\nimport java.nio.file.*;\nimport java.time.*;\n");
    source
        .append(
            "import java.math.*;\nimport java.util.*;\nimport java.util.concurrent.*;\nclass Snippets {\n")
        .append(given);
    for (int i = 0; i < blocks.size(); i++) {
      // A type of its own may not be public within a method.
      String block = blocks.get(i).replaceAll("(?m)^public (interface|record|class)", "$1");
      source
          .append("void block")
          .append(i)
          .append("() throws Exception {\n")
          .append(block)
          .append("}\n");
    }
    return source.append("}\n").toString();
  }

  private static String problems(String source, Path classes) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter out = new StringWriter();
    boolean compiles =
        compiler
            .getTask(
                out,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-d",
                    classes.toString(),
                    "-cp",
                    System.getProperty("java.class.path")),
                null,
                List.of(
                    new SimpleJavaFileObject(
                        URI.create("string:///Snippets.java"),
                        javax.tools.JavaFileObject.Kind.SOURCE) {
                      @Override
                      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                      }
                    }))
            .call();
    return compiles ? "" : out.toString();
  }

  @Test
  void snippetsNeedNoCastAndNoTypeWitness() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> documents = Files.list(ROOT.resolve("docs"))) {
      for (Path document :
          Stream.concat(documents, Stream.of(ROOT.resolve("README.md")))
              .filter(file -> file.toString().endsWith(".md"))
              .toList()) {
        for (String block : blocks(ROOT.relativize(document).toString())) {
          block
              .lines()
              .filter(line -> WITNESS_OR_CAST.matcher(line).find())
              .forEach(line -> found.add(ROOT.relativize(document) + ": " + line.strip()));
        }
      }
    }
    assertThat(found).isEmpty();
  }

  private static List<String> blocks(String document) throws IOException {
    return BLOCK
        .matcher(Files.readString(ROOT.resolve(document)))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  /** Returns the packages that modules of the engine export to every program. */
  private static Set<String> exportedPackages() throws IOException {
    List<String> exported = new ArrayList<>();
    for (String module : List.of("core", "txn", "collections", "store")) {
      Path info = ROOT.resolve(module + "/src/main/java/module-info.java");
      if (Files.exists(info)) {
        EXPORT
            .matcher(Files.readString(info))
            .results()
            .map(MatchResult::group)
            .map(line -> line.strip().replaceAll("exports |;", ""))
            .forEach(exported::add);
      }
    }
    assertThat(exported).hasSizeGreaterThan(2);
    return exported.stream().collect(Collectors.toCollection(TreeSet::new));
  }
}
