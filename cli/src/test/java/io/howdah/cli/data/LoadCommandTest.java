package io.howdah.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.cli.run.ChildJvm;
import io.howdah.txn.PersistentMap;
import io.howdah.txn.Store;
import io.howdah.txn.codec.Codec;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code howdah load} and {@code dump}, as commands. */
final class LoadCommandTest {

  private static final int ROWS = 60_000;
  private static final int BATCH = 10;

  @TempDir private Path folder;

  private String out = "";

  private int run(Object command, Object... arguments) {
    StringWriter written = new StringWriter();
    int exit =
        new CommandLine(command)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(written))
            .setErr(new PrintWriter(written))
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  private int load(Object... arguments) {
    return run(new LoadCommand(), arguments);
  }

  private int dump(Object... arguments) {
    return run(new DumpCommand(), arguments);
  }

  private Path file(String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path store() {
    return folder.resolve("store");
  }

  @Test
  void aTableComesOutAsItWentIn() throws IOException {
    String table = "name,id,note\nAnn,1,\"a,b\"\nBob,2,\n";
    assertThat(load(store(), "people", file("people.csv", table), "--key", "id")).as(out).isZero();
    assertThat(out).contains("loaded 2 rows").contains("has 2 entries");
    Path copy = folder.resolve("copy.csv");
    assertThat(dump(store(), "people", "--out", copy)).as(out).isZero();
    assertThat(Files.readAllLines(copy))
        .containsExactlyInAnyOrderElementsOf(table.lines().toList());
    assertThat(Files.readAllLines(copy)).first().isEqualTo("name,id,note");
    assertThat(dump(store(), "people")).isZero();
    assertThat(out).contains("{\"name\":\"Ann\",\"id\":\"1\",\"note\":\"a,b\"}\n");
  }

  @Test
  void typedKeysAndValuesAreWhatAProgramOpens() {
    Path rows = file("rows.jsonl", "{\"k\":7,\"v\":1.5}\n{\"v\":2,\"k\":-8}\n");
    assertThat(
            load(
                store(),
                "m",
                rows,
                "--key",
                "k",
                "--key-type",
                "int64",
                "--value",
                "v",
                "--value-type",
                "float64"))
        .as(out)
        .isZero();
    try (Store store = Store.open(store())) {
      PersistentMap<Long, Double> map = store.map("m", Codec.int64(), Codec.float64());
      assertThat(store.<Double, RuntimeException>read(tx -> map.getOrDefault(tx, 7L, 0.0)))
          .isEqualTo(1.5);
      assertThat(store.<Double, RuntimeException>read(tx -> map.getOrDefault(tx, -8L, 0.0)))
          .isEqualTo(2.0);
    }
    assertThat(dump(store(), "m", "--format", "tsv")).as(out).isZero();
    assertThat(out).startsWith("k\tv\n").contains("7\t1.5\n").contains("-8\t2.0\n");
  }

  @Test
  void aLoadedFileIsNotLoadedAgainAndOneThatHasGrownGoesOn() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\n");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out).contains("went on behind row 2").contains("loaded 0 rows");
    Files.writeString(rows, "3,c\n", StandardOpenOption.APPEND);
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out).contains("loaded 1 rows").contains("has 3 entries");
    assertThat(load(store(), "m", rows, "--restart")).isZero();
    assertThat(out).contains("loaded 3 rows").contains("has 3 entries");
  }

  @Test
  void aFileThatHasChangedIsRefused() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\n");
    assertThat(load(store(), "m", rows)).isZero();
    Files.writeString(rows, "id,v\n1,X\n2,b\n3,c\n");
    assertThat(load(store(), "m", rows)).isEqualTo(1);
    assertThat(out).contains("has changed before byte 13").contains("--restart");
  }

  @Test
  void aLastRowThatGrewIsRefused() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a");
    assertThat(load(store(), "m", rows)).isZero();
    Files.writeString(rows, "bc\n2,d\n", StandardOpenOption.APPEND);
    assertThat(load(store(), "m", rows)).isEqualTo(1);
    assertThat(out).contains("has grown since");
  }

  @Test
  void whatIsLoadedBeforeABadRowStaysAndGoesOn() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\nx\n4,d\n");
    assertThat(load(store(), "m", rows, "--batch", 1)).isEqualTo(1);
    assertThat(out).contains("the row from line 4 on has 1 fields");
    Files.writeString(rows, "id,v\n1,a\n2,b\n3,c\n4,d\n");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(out).contains("went on behind row 2").contains("loaded 2 rows");
  }

  @Test
  void wrongUseNamesTheCulprit() {
    Path rows = file("rows.csv", "id,v\n1,a\n");
    assertThat(load(store(), "m", folder.resolve("absent.csv"))).isEqualTo(2);
    assertThat(load(store(), "m", file("rows.txt", "x"))).isEqualTo(2);
    assertThat(out).contains("--format");
    assertThat(load(store(), "m", rows, "--batch", 0)).isEqualTo(2);
    assertThat(load(store(), "m", rows, "--key-type", "int65")).isEqualTo(2);
    assertThat(out).contains("there is no type \"int65\"");
    assertThat(load(store(), "m", rows, "--value-type", "int64")).isEqualTo(2);
    assertThat(load(store(), "m", rows, "--key", "nope")).isEqualTo(1);
    assertThat(out).contains("no column \"nope\"");
    assertThat(load(store(), "n", rows, "--key", "v", "--key-type", "int64")).isEqualTo(1);
    assertThat(out).contains("column \"v\"").contains("\"a\", which is no int64");
    assertThat(dump(folder.resolve("no-store"), "m")).isEqualTo(1);
    assertThat(out).contains("no store in");
    assertThat(folder.resolve("no-store")).doesNotExist();
    assertThat(dump(store(), "nope")).isEqualTo(1);
    assertThat(out).contains("the store has no \"nope\"");
  }

  @Test
  void loadsThatDifferAreRefusedForOneMap() {
    assertThat(load(store(), "m", file("a.csv", "id,v\n1,a\n"))).isZero();
    assertThat(load(store(), "m", file("b.csv", "id,w\n1,a\n"))).isEqualTo(1);
    assertThat(out).contains("was loaded with key \"id\", objects and columns [id, v]");
    assertThat(load(store(), "m", file("c.csv", "id,v\n2,a\n"))).as(out).isZero();
    assertThat(out).contains("has 2 entries");
  }

  /** The process that is killed. */
  static final class Child {

    private Child() {}

    public static void main(String[] args) {
      System.exit(new CommandLine(new LoadCommand()).execute(args));
    }
  }

  /**
   * A load that is killed again and again. After each kill the map holds exactly the rows that the
   * load has noted, and in the end every row once.
   */
  @Test
  void aKilledLoadGoesOnWithoutLossAndWithoutDuplicates() throws Exception {
    Path rows =
        file(
            "rows.csv",
            IntStream.range(0, ROWS)
                .mapToObj(i -> i + ",value " + i + "\n")
                .collect(Collectors.joining("", "id,v\n", "")));
    List<String> command =
        List.of(
            store().toString(),
            "m",
            rows.toString(),
            "--key-type",
            "int64",
            "--value",
            "v",
            "--batch",
            "" + BATCH);
    int midway = 0;
    long noted = 0;
    for (int life = 0; noted < ROWS; life++) {
      ChildJvm child = ChildJvm.start(Child.class, command, folder.resolve("out"));
      // Longer each time: some die before they begin, some midway, wherever that is.
      long until = System.nanoTime() + 300_000_000L + 150_000_000L * life;
      while (child.isAlive() && System.nanoTime() < until) {
        Thread.sleep(10);
      }
      boolean isKilled = child.isAlive();
      child.kill();
      long now = requireExactlyTheNotedRows();
      if (isKilled && now > noted && now < ROWS) {
        midway++;
      }
      assertThat(now).isGreaterThanOrEqualTo(noted);
      noted = now;
      assertThat(life).as("lives; the last one said " + child.lastWords()).isLessThan(200);
    }
    assertThat(midway).isPositive();
    assertThat(load(command.toArray())).as(out).isZero();
    assertThat(out).contains("loaded 0 rows").contains("has 60,000 entries");
  }

  private long requireExactlyTheNotedRows() {
    if (!Files.exists(store().resolve("store.howdah"))) {
      return 0;
    }
    try (Store store = Store.open(store())) {
      LoadBook book = new LoadBook(store);
      PersistentMap<Long, String> map = store.map("m", Codec.int64(), Codec.utf8());
      return store.<Long, RuntimeException>read(
          tx -> {
            long rows = book.progress(tx, "m", "rows.csv").rows();
            assertThat(map.size(tx)).isEqualTo(rows);
            for (long i = 0; i < rows; i++) {
              assertThat(map.get(tx, i)).isEqualTo("value " + i);
            }
            return rows;
          });
    }
  }
}
