package io.howdah.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.value.JsonTree;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code --json} of all commands, and that {@code --json -} leaves the standard output to it. */
final class JsonOutputTest {

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void createStore() {
    try (Store store = Store.open(store(), StoreOptions.defaults().withMaxSize(16 << 20))) {
      PersistentMap<String, Long> stock = store.map("stock", Codec.utf8(), Codec.int64());
      PersistentSortedMap<Long, Long> years =
          store.sortedMap("years", Codec.int64(), Codec.int64());
      store.run(
          tx -> {
            stock.put(tx, "tea", 12L);
            years.put(tx, 1L, 2L);
            tx.root(3, tx.allocate(8));
          });
    }
  }

  private Path store() {
    return folder.resolve("shop");
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Main.program()
        .commandLineFor(arguments)
        .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  /** Runs a command with --json -, and returns what it has written, which is one object. */
  private Map<?, ?> json(String... arguments) {
    String[] all = Arrays.copyOf(arguments, arguments.length + 2);
    all[arguments.length] = "--json";
    all[arguments.length + 1] = "-";
    assertThat(run(all)).as("%s: %s", List.of(all), err).isZero();
    return (Map<?, ?>) requireNonNull(JsonTree.parse(out.toString()));
  }

  @Test
  void resultsTakeThePlaceOfTheText() {
    String shop = store().toString();
    String backup = folder.resolve("backup").toString();
    assertThat(json("ls", shop).toString()).contains("name=stock", "entries=1");
    assertThat(json("inspect", shop).toString())
        .contains("type=map of utf8 to int64", "levels=[{nodes=1, keys=1, fill=", "roots={3=")
        .contains("blockBytes=", "capacityBytes=");
    assertThat(json("get", shop, "stock", "tea")).hasToString("{name=stock, value=12}");
    assertThat(json("put", shop, "stock", "cup", "6")).hasToString("{name=stock, done=true}");
    assertThat(json("rm", shop, "stock", "cup")).hasToString("{name=stock, done=true}");
    assertThat(json("drop", shop, "years")).hasToString("{name=years, done=true}");
    assertThat(json("checkpoint", shop)).hasSize(3);
    assertThat(json("stat", shop).toString())
        .contains("closed=1", "lsn=", "usedBytes=", "reclaimableBytes=", "journalBytes=");
    assertThat(json("verify", shop).toString()).contains("closed=true", "remarks=[]");
    assertThat(json("backup", shop, backup).toString()).contains("lsn=", "byOpenStore=false");
    assertThat(json("restore", backup, folder.resolve("restored").toString())).hasSize(1);
    assertThat(json("compact", shop)).hasToString("{done=true}");
    Path rows = folder.resolve("rows.jsonl");
    assertThat(json("dump", shop, "stock", "--out", rows.toString()))
        .hasToString("{name=stock, rows=1, file=" + rows + "}");
    assertThat(err).asString().isEmpty();
  }

  /** Its text is more than its figures, so it is kept. */
  @Test
  void theTextOfWhatMeasuresGoesToStandardError() throws IOException {
    Path rows = folder.resolve("rows.csv");
    Files.writeString(rows, "article,pieces\ncup,6\n");
    Map<?, ?> loaded = json("load", store().toString(), "new", rows.toString());
    assertThat(loaded.get("command")).isEqualTo("load");
    assertThat(requireNonNull(loaded.get("metrics")).toString())
        .contains("name=load.rows, value=1");
    assertThat(err.toString()).contains("loaded 1 rows");
    assertThat(run("load", store().toString(), "new", rows.toString(), "--restart")).isZero();
    assertThat(out.toString()).as("without the option").contains("loaded 1 rows");
  }

  @Test
  void aResultInAFileLeavesTheText() {
    Path file = folder.resolve("a/b/verify.json");
    assertThat(run("verify", store().toString(), "--json", file.toString())).isZero();
    assertThat(out.toString()).startsWith("sound, and was closed");
    assertThat(file).content().startsWith("{\"closed\":true").endsWith("}\n");
  }

  @Test
  void rowsAndResultAreNotMixed() {
    assertThat(run("dump", store().toString(), "stock", "--json", "-")).isEqualTo(2);
    assertThat(err.toString()).contains("--out");
    assertThat(out.toString()).isEmpty();
  }

  /** Nothing is done before it is known that the result has a place. */
  @Test
  void aFileThatCannotBeWrittenIsRefusedBeforeTheWork() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    Path file = Files.writeString(folder.resolve("file"), "mine");
    for (Path bad :
        List.of(
            empty, store(), folder.getRoot(), file.resolve("x"), Path.of("/proc/howdah-none"))) {
      assertThat(run("drop", store().toString(), "stock", "--json", bad.toString()))
          .as("%s: %s", bad, err)
          .isEqualTo(2);
      assertThat(err.toString()).contains("--json " + bad + ": ").doesNotContain("\tat ");
      assertThat(err.toString().lines().filter(line -> line.startsWith("howdah: "))).hasSize(1);
    }
    assertThat(empty).isEmptyDirectory();
    assertThat(file).hasContent("mine");
    assertThat(run("get", store().toString(), "stock", "tea")).as("not dropped").isZero();
    assertThat(run("drop", "--help", "--json", empty.toString())).as("only the help").isZero();
  }

  /** The folder that was there at the start is gone at the end. */
  @Test
  void aResultThatCannotBeWrittenAtTheEndIsOneLine() throws IOException {
    Path target = folder.resolve("dump/result.json");
    Path rows = folder.resolve("dump");
    assertThat(run("dump", store().toString(), "stock", "--out", rows + "", "--json", target + ""))
        .isEqualTo(1);
    assertThat(err.toString())
        .startsWith("howdah: the result was not written: --json " + target + ": ")
        .doesNotContain("\tat ")
        .hasLineCount(1);
    assertThat(Files.isRegularFile(rows)).isTrue();
  }

  /** A file that other programs read stays one that they may read. */
  @Test
  void aFileThatIsReplacedKeepsItsPermissions() throws IOException {
    for (String permissions : List.of("rw-r--r--", "rw-rw-rw-", "rw-------", "r--r--r--")) {
      Path file = folder.resolve(permissions);
      Files.writeString(file, "before");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
      assertThat(run("verify", store().toString(), "--json", file.toString())).isZero();
      assertThat(file).content().startsWith("{\"closed\":true");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo(permissions);
    }
  }
}
