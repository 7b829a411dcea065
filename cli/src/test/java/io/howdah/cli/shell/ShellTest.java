package io.howdah.cli.shell;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Lines of the shell, from a script and from a terminal. */
final class ShellTest {

  @TempDir private Path folder;

  private final Store store = Store.inMemory();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void create() {
    store.map("by price", Codec.int64(), Codec.utf8());
    store.map("stock", Codec.utf8(), Codec.int64());
  }

  @AfterEach
  void close() {
    store.close();
  }

  private ShellLines lines() {
    CommandLine parent =
        new CommandLine(new ShellCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                });
    return new ShellLines(store, folder.resolve("a store"), parent);
  }

  private int runAll(String... script) throws IOException {
    return lines()
        .runAll(
            new ScriptLines(new ByteArrayInputStream(String.join("\n", script).getBytes(UTF_8))));
  }

  @Test
  void aScriptRunsToItsEnd() throws IOException {
    assertThat(
            runAll(
                "# fills the store",
                "",
                "put stock 'tea pot' 12",
                "put 'by price' 5 {\"a b\": [1]}",
                "get stock \"tea pot\"",
                "get \"by price\" 5",
                "exit",
                "no such command"))
        .isZero();
    assertThat(out).hasToString("put\nput\n12\n{\"a b\": [1]}\n");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void theSizeOfTheStoreIsTheShellsToGive() throws IOException {
    assertThat(runAll("put stock a 1 --max-size 64m")).isEqualTo(2);
    assertThat(err.toString()).contains("--max-size: the shell has the store open");
  }

  @Test
  void theFirstLineThatFailsEndsAScriptWithItsExitCode() throws IOException {
    assertThat(runAll("put stock a 1", "get stock b", "put stock c 1")).isOne();
    assertThat(err).hasToString("line 2: there is no such entry in \"stock\"\n");
    assertThat(runAll("get stock c")).isOne();
    assertThat(runAll("get stock")).isEqualTo(2);
    assertThat(runAll("get 'stock")).isEqualTo(2);
    assertThat(runAll("gte stock a")).isEqualTo(2);
    assertThat(err.toString())
        .contains("line 1: howdah: \"stock\" is a map: get takes KEY, not 0 operands")
        .contains("Try 'help get'.")
        .contains("line 1: howdah: the quote ' in column 5 is not closed")
        .contains("line 1: howdah: there is no command \"gte\", but [checkpoint, drop, ");
    assertThat(lines().structureNames()).contains("stock");
  }

  /** The script is read from there, and the rest of it is not data. */
  @ParameterizedTest
  @ValueSource(strings = {"-", "/dev/stdin", "/dev/fd/0"})
  void theScriptIsNoInputOfItsCommands(String input) throws IOException {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream("a,b\nx,1\n".getBytes(UTF_8)));
    try {
      assertThat(runAll("load stock " + input + " --format csv", "a,b", "exit")).isEqualTo(2);
    } finally {
      System.setIn(before);
    }
    assertThat(err.toString())
        .startsWith("line 1: ")
        .contains(input + " is the standard input, from which the shell reads commands");
    assertThat(runAll("put stock a -")).isEqualTo(2);
  }

  @Test
  void aLineThatIsNotUtf8EndsTheScript() throws IOException {
    byte[] script = "put stock a 1\nput stock \u00e9 2\nput stock c 3\n".getBytes(ISO_8859_1);
    assertThat(lines().runAll(new ScriptLines(new ByteArrayInputStream(script)))).isEqualTo(2);
    assertThat(err.toString()).startsWith("line 2: howdah: the line is not UTF-8");
    assertThat(runAll("get stock a")).isZero();
    assertThat(runAll("get stock \uFFFD")).isOne();
    assertThat(runAll("get stock c")).isOne();
  }

  @Test
  void aLineHasAnyEndAndAMarkMayStandBeforeTheFirst() throws IOException {
    assertThat(runAll("\uFEFFput stock a 1\r", "", "get stock a")).isZero();
    assertThat(out).hasToString("put\n1\n");
  }

  @Test
  void helpDoesNotShowTheStore() throws IOException {
    assertThat(runAll("help get", "get --help")).isZero();
    assertThat(out.toString()).contains("get [-hV]", "NAME [OPERAND...]").doesNotContain("STORE");
  }

  @Test
  void wordsAreSplitAsInAShellExceptForJson() {
    assertThat(Words.of("  a \"b \\\" c\" 'd\\'e\\ f  ")).containsExactly("a", "b \" c", "d\\e f");
    assertThat(Words.of("{\"a\": \"} \\\" {\"} [[1, 2], 3] x''"))
        .containsExactly("{\"a\": \"} \\\" {\"}", "[[1, 2], 3]", "x");
    for (String word : new String[] {"", "a b", "a\"b\\", "{", "plain", "it's"}) {
      assertThat(Words.of(Words.quoted(word))).containsExactly(word);
    }
    assertThatThrownBy(() -> Words.of("put a [1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the bracket [ in column 7 is not closed");
  }

  @Test
  void aTerminalCompletesCommandsAndNamesAndKeepsAHistory() throws IOException {
    PersistentMap<Long, String> prices = store.map("by price", Codec.int64(), Codec.utf8());
    store.run(tx -> prices.put(tx, 7L, "found"));
    String typed = "ge\tby\t7\rget stock none\rexit\rls\r";
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    Path history = folder.resolve("history");
    try (Terminal terminal =
        new DumbTerminal(
            "test", "ansi", new ByteArrayInputStream(typed.getBytes(UTF_8)), shown, UTF_8)) {
      ShellTerminal.run(lines(), terminal, history);
    }
    assertThat(out).hasToString("found\n");
    assertThat(err.toString()).contains("no such entry");
    assertThat(history).content().contains("get \"by price\" 7").doesNotContain("ls");
  }
}
