package io.howdah.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The command as a process, started by the script of its archive: what it makes of the locale, and
 * of inputs that are no files. What has other characters than ASCII is in the script that a shell
 * reads, not in arguments of this JVM, whose locale may be any.
 */
@EnabledOnOs(OS.LINUX)
final class CommandProcessTest {

  private static final String UNSET = "unset";
  private static final String TABLE = "имя,число\nслон,7\nключ,9\nмама,11\n";
  private static final int ROWS = 20_000;
  private static final int TIMEOUT_SECONDS = 120;

  /** An installed command: bin/howdah, and a jar that leads to the classes under test. */
  @TempDir private Path home;

  @TempDir private Path folder;

  @BeforeEach
  void install() throws IOException {
    Files.createDirectories(home.resolve("bin"));
    Path script = home.resolve("bin/howdah");
    Files.copy(
        Path.of("src/distribution/howdah"),
        script,
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.COPY_ATTRIBUTES);
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
    main.putValue("Enable-Native-Access", "ALL-UNNAMED");
    main.put(
        Attributes.Name.CLASS_PATH,
        Arrays.stream(System.getProperty("java.class.path").split(":"))
            .map(entry -> Path.of(entry).toAbsolutePath().toUri().toString())
            .collect(Collectors.joining(" ")));
    try (OutputStream out = Files.newOutputStream(home.resolve("howdah.jar"))) {
      new JarOutputStream(out, manifest).close();
    }
    Files.writeString(folder.resolve("table.csv"), TABLE);
  }

  @Test
  void bothStartScriptsChooseTheLocaleInTheSameWay() throws IOException {
    assertThat(localeBlock(Path.of("../howdah")))
        .contains("LC_ALL=C.UTF-8")
        .isEqualTo(localeBlock(Path.of("src/distribution/howdah")));
  }

  private static String localeBlock(Path script) throws IOException {
    String text = Files.readString(script);
    return text.substring(text.indexOf("# The JVM decodes arguments"), text.lastIndexOf("exec "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"C", UNSET})
  void namesAndValuesAreTheSameInEveryLocale(String locale) throws Exception {
    checkLocale(locale);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(strings = {"POSIX", "C.UTF-8", "xx_XX.UTF-8", "C.ISO-8859-1"})
  void namesAndValuesAreTheSameInOtherLocales(String locale) throws Exception {
    checkLocale(locale);
  }

  private void checkLocale(String locale) throws Exception {
    String said =
        run(
            locale,
            """
            howdah load магазин запас table.csv --value число --value-type int64 || exit
            howdah put магазин запас сад 13 || exit
            howdah rm магазин запас мама || exit
            howdah ls магазин || exit
            howdah dump магазин запас --out выход.csv || exit
            sort выход.csv >sorted.csv
            howdah get магазин запас нету
            """);
    assertThat(said)
        .contains("запас")
        .contains("there is no such entry in \"запас\"")
        .contains("выход.csv")
        .doesNotContain("\uFFFD")
        .doesNotContain("?");
    assertThat(Files.readString(folder.resolve("sorted.csv")))
        .isEqualTo("имя,число\nключ,9\nсад,13\nслон,7\n");
  }

  @Test
  void argumentsThatTheJvmHasLostAreRefused() throws Exception {
    Files.move(home.resolve("bin/howdah"), home.resolve("bin/script"));
    Files.writeString(
        home.resolve("bin/howdah"),
        "#!/bin/sh\nexec \"$JAVA_HOME/bin/java\" -jar \"%s\" \"$@\"\n"
            .formatted(home.resolve("howdah.jar")));
    assertThat(home.resolve("bin/howdah").toFile().setExecutable(true)).isTrue();
    String said =
        run(
            "C",
            """
            howdah load store m table.csv --value "$(printf 'число')"; echo "exit $?"
            howdah serve мама; echo "exit $?"
            ls
            """);
    assertThat(said)
        .contains("howdah: argument 6, \"\uFFFD")
        .contains("no characters of the locale's charset, ANSI_X3.4-1968")
        .contains("LC_ALL=C.UTF-8")
        .contains("howdah: argument 2, ")
        .contains("exit 2")
        .doesNotContain("exit 0")
        .doesNotContain("store\n");
  }

  /** In a locale of UTF-8, bytes that are none are lost as well. */
  @Test
  void textThatIsNotUtf8IsRefusedEverywhere() throws Exception {
    try (Store store = Store.open(folder.resolve("store"))) {
      store.map("m", Codec.utf8(), Codec.utf8());
    }
    String said =
        run(
            "C.UTF-8",
            """
            howdah put store m a "$(printf 'b\\377')"; echo "exit $?"
            printf 'b\\377\\n' | howdah put store m a -; echo "exit $?"
            printf 'put m ok 1\\nput m a b\\377\\nput m c 1\\n' | howdah shell store; echo "exit $?"
            printf 'put m \\357\\277\\275 "@table.csv"\\n' | howdah shell store; echo "exit $?"
            """);
    assertThat(said.lines().filter(line -> line.startsWith("exit")))
        .as(said)
        .containsExactly("exit 2", "exit 1", "exit 2", "exit 0");
    assertThat(said).contains("line 2: howdah: the line is not UTF-8");
    assertThat(contents("store")).isEqualTo(Map.of("ok", "1", "\uFFFD", "@table.csv"));
  }

  /** The first rows are looked at before a store is made; from a pipe they come but once. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "load STORE m rows.csv",
        "load STORE m - --format csv <rows.csv",
        "load STORE m /dev/stdin --format csv <rows.csv",
        "load STORE m /dev/stdin --format csv < <(cat rows.csv)",
        "load STORE m <(cat rows.csv) --format csv",
        "load STORE m fifo.csv"
      })
  void everyKindOfInputGivesAllItsRows(String arguments) throws Exception {
    String rows =
        IntStream.range(0, ROWS)
            .mapToObj(i -> "key %d,value %d\n".formatted(i, i))
            .collect(Collectors.joining("", "k,v\n", ""));
    Files.writeString(folder.resolve("rows.csv"), rows);
    String said =
        run(
            "C.UTF-8",
            "mkfifo fifo.csv; timeout 100 cat rows.csv >fifo.csv & howdah "
                + arguments.replace("STORE", "store --key k --value v")
                + "\nkill %1 2>/dev/null");
    assertThat(said).contains("loaded 20,000 rows");
    Map<String, String> expected = new TreeMap<>();
    IntStream.range(0, ROWS).forEach(i -> expected.put("key " + i, "value " + i));
    assertThat(contents("store")).isEqualTo(expected);
  }

  /** A pipe whose rows cannot be loaded makes no store either. */
  @Test
  void aPipeIsLookedAtBeforeAStoreIsMade() throws Exception {
    String said = run("C.UTF-8", "cat table.csv | howdah load store m - --format csv --key none");
    assertThat(said).contains("standard input, line 2: the row has no column \"none\"");
    assertThat(folder.resolve("store")).doesNotExist();
  }

  private Map<String, String> contents(String name) {
    try (Store store = Store.open(folder.resolve(name))) {
      PersistentMap<String, String> map = store.map("m", Codec.utf8(), Codec.utf8());
      return store.read(
          tx -> {
            Map<String, String> found = new TreeMap<>();
            map.iterator(tx).forEachRemaining(entry -> found.put(entry.getKey(), entry.getValue()));
            return found;
          });
    }
  }

  /** Runs lines of a shell, and returns what they write, errors included. */
  private String run(String locale, String lines) throws Exception {
    Path script = Files.writeString(folder.resolve("script"), lines);
    Path said = folder.resolve("said");
    ProcessBuilder builder =
        new ProcessBuilder(List.of("bash", script.toString()))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
    if (!locale.equals(UNSET)) {
      environment.put("LC_ALL", locale);
    }
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("PATH", home.resolve("bin") + ":" + environment.get("PATH"));
    environment.put("JAVA_TOOL_OPTIONS", "");
    environment.put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    Process process = builder.start();
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    return Files.readString(said, UTF_8);
  }
}
