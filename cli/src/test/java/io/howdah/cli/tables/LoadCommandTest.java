package io.howdah.cli.tables;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.cli.entries.DropCommand;
import io.howdah.cli.entries.PutCommand;
import io.howdah.cli.entries.RemoveCommand;
import io.howdah.codec.Codec;
import io.howdah.codec.PersistentName;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code howdah load} and {@code dump}, as commands. */
final class LoadCommandTest {

  private static final int ROWS = 20_000;
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
  void aSortedMapIsMadeAndLoadedAgain() throws IOException {
    String first =
        IntStream.range(0, 3000).mapToObj(i -> i + ",a" + i + "\n").collect(Collectors.joining());
    Path rows = file("rows.csv", "id,v\n" + first);
    Object[] types = {"--key-type", "int64", "--value", "v"};
    assertThat(load(with(types, store(), "m", rows, "--sorted"))).as(out).isZero();
    assertThat(out).contains("loaded 3,000 rows").contains("/s; map \"m\" has 3,000 entries");
    Path others = file("others.csv", "id,v\n7,new\n-5,low\n4000,high\n");
    assertThat(load(store(), "m", others, "--value", "v", "--sorted")).as(out).isZero();
    assertThat(out).contains("of the file's 3 rows 1 had a key that was there already");
    try (Store store = Store.open(store())) {
      PersistentSortedMap<Long, String> map = store.sortedMap("m", Codec.int64(), Codec.utf8());
      List<Map.Entry<Long, String>> entries = store.read(tx -> map.entries(tx).toList());
      assertThat(entries).hasSize(3002).startsWith(Map.entry(-5L, "low"), Map.entry(0L, "a0"));
      assertThat(entries.get(8)).isEqualTo(Map.entry(7L, "new"));
      assertThat(entries.getLast()).isEqualTo(Map.entry(4000L, "high"));
    }
    Path copy = folder.resolve("copy.csv");
    assertThat(dump(store(), "m", "--out", copy)).as(out).isZero();
    assertThat(Files.readAllLines(copy)).startsWith("id,v", "-5,low", "0,a0").hasSize(3003);
    assertThat(load(store(), "hash", rows)).as(out).isZero();
    assertThat(load(store(), "hash", rows, "--sorted")).isEqualTo(2);
    assertThat(out).contains("\"hash\" is there already, and is a map of utf8 to utf8");
  }

  /** Batches end by their bytes, too, wherever in the file they begin. */
  @ParameterizedTest
  @ValueSource(ints = {4, 1000})
  void aFileOfSeveralMegabytesIsLoadedToItsEnd(int batch) throws IOException {
    int rows = 6;
    String wide = "w".repeat(1_000_000);
    String table =
        IntStream.range(0, rows)
            .mapToObj(i -> i + "," + wide + i + "\n")
            .collect(Collectors.joining("", "id,v\n", ""));
    Path file = file("wide.csv", table);
    assertThat(load(store(), "m", file, "--value", "v", "--batch", batch)).as(out).isZero();
    assertThat(out).contains("loaded 6 rows").contains("has 6 entries");
    Files.writeString(file, "6,last\n", StandardOpenOption.APPEND);
    assertThat(load(store(), "m", file, "--value", "v", "--batch", batch)).as(out).isZero();
    assertThat(out).contains("continued behind row 6").contains("has 7 entries");
  }

  private static Object[] with(Object[] last, Object... first) {
    return Stream.concat(Arrays.stream(first), Arrays.stream(last)).toArray();
  }

  @Test
  void aLoadedFileIsNotLoadedAgainAndOneThatHasGrownGoesOn() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\n");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out).contains("continued behind row 2").contains("loaded 0 rows");
    Files.writeString(rows, "3,c\n", StandardOpenOption.APPEND);
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out).contains("loaded 1 rows").contains("has 3 entries");
    assertThat(load(store(), "m", rows, "--restart")).isZero();
    assertThat(out).contains("loaded 3 rows").contains("has 3 entries");
  }

  @Test
  void whatIsLoadedAndRemovedNeedsRestart() {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\n");
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out).doesNotContain("nothing new");
    assertThat(run(new RemoveCommand(), store(), "m", "2")).as(out).isZero();
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out)
        .contains("has 1 entries")
        .contains("nothing new in " + rows + "; --restart loads it again");
  }

  @Test
  void aMapThatWasDroppedIsLoadedFromTheBeginning() {
    Path rows = file("rows.csv", "id,v,w\n1,a,x\n2,b,y\n");
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(load(store(), "m2", rows)).isZero();
    assertThat(run(new DropCommand(), store(), "m")).as(out).isZero();
    requireNothingNoted("m");
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out).contains("loaded 2 rows").contains("has 2 entries");
    assertThat(run(new DropCommand(), store(), "m")).as(out).isZero();
    assertThat(load(store(), "m", rows, "--value", "v")).as(out).isZero();
    assertThat(out).contains("loaded 2 rows").contains("has 2 entries");
    assertThat(load(store(), "m2", rows)).isZero();
    assertThat(out).as("what another map has stays").contains("loaded 0 rows");
  }

  @Test
  void aMapThatAProgramHasDroppedIsLoadedFromTheBeginning() {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\n");
    assertThat(load(store(), "m", rows)).isZero();
    try (Store store = Store.open(store())) {
      assertThat(store.admin().drop("m")).isTrue();
    }
    assertThat(load(store(), "m", rows, "--value", "v")).as(out).isZero();
    assertThat(out).contains("loaded 2 rows").contains("has 2 entries");
  }

  @Test
  void whatWasNeverLoadedIsDroppedWithoutNotes() {
    try (Store store = Store.open(store())) {
      var _ = store.map("m", Codec.utf8(), Codec.utf8());
    }
    assertThat(run(new DropCommand(), store(), "m")).as(out).isZero();
    try (Store store = Store.open(store())) {
      assertThat(store.read(store.admin()::collections)).isEmpty();
    }
  }

  /** Or a store could not be loaded into once a class of the command has another package. */
  @Test
  void whatIsNotedOfLoadsNamesNoClass() {
    assertThat(load(store(), "m", file("rows.csv", "id,v\n1,a\n"))).as(out).isZero();
    try (Store store = Store.open(store())) {
      Map<String, String> types = store.read(store.admin()::collections);
      assertThat(types).containsKey(LoadBook.SHAPES).hasSizeGreaterThan(2);
      assertThat(types.values()).allSatisfy(type -> assertThat(type).doesNotContain("io.howdah"));
    }
  }

  @PersistentName("io.howdah.cli.data.LoadProgress")
  private record FormerProgress(
      long position, long checksum, long rows, long replaced, boolean isComplete) {}

  @PersistentName("io.howdah.cli.data.MapShape")
  private record FormerShape(String key, String value, String columns) {}

  @Test
  void aLoadGoesOnInAStoreWhoseNotesHaveTheirFormerNames() {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\n");
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    try (Store store = Store.open(store())) {
      PersistentMap<String, FormerProgress> progress =
          store.map("howdah.load.progress", Codec.utf8(), Codecs.of(lookup, FormerProgress.class));
      PersistentMap<String, FormerShape> shapes =
          store.map(LoadBook.SHAPES, Codec.utf8(), Codecs.of(lookup, FormerShape.class));
      store.run(
          tx -> {
            progress.put(tx, "1:mother.csv", new FormerProgress(1, 2, 3, 4, true));
            shapes.put(tx, "m", new FormerShape("id", "", "id\nv\n"));
            shapes.put(tx, "other", new FormerShape("a", "", "a\nb\n"));
          });
      var _ = store.map("m", Codec.utf8(), Codec.utf8());
    }
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(out).contains("loaded 2 rows");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(out).contains("loaded 0 rows");
    try (Store store = Store.open(store())) {
      assertThat(LoadBook.shape(store, "other").key()).isEqualTo("a");
    }
  }

  private void requireNothingNoted(String map) {
    try (Store store = Store.open(store())) {
      LoadBook book = new LoadBook(store);
      store.run(
          tx -> {
            assertThat(book.shape(tx, map)).isEqualTo(MapShape.UNKNOWN);
            assertThat(book.progress(tx, map, "rows.csv")).isEqualTo(LoadProgress.NONE);
          });
    }
  }

  @Test
  void aTableThatHadNoRowsIsLoadedWithItsColumns() throws IOException {
    Path rows = file("rows.csv", "id,v\n");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    Files.writeString(rows, "1,a\n", StandardOpenOption.APPEND);
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(dump(store(), "m", "--format", "csv")).as(out).isZero();
    assertThat(out).isEqualTo("id,v\n1,a\n");
  }

  /** Programs of old Macs wrote such files, and spreadsheets still can. */
  @Test
  void aTableWhoseLinesEndInCarriageReturnsIsLoaded() {
    Path rows = file("rows.csv", "id,v\r1,a\r2,b\r");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(out).contains("loaded 2 rows").doesNotContain("no row");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(out).contains("loaded 0 rows").contains("nothing new");
    assertThat(load(store(), "n", file("mixed.csv", "id,v\r1,a\n2,b\r\n3,c"))).as(out).isZero();
    assertThat(out).contains("loaded 3 rows");
  }

  @ParameterizedTest
  @CsvSource({"CSV, 'id,v'", "CSV, 'id,v\r'", "TSV, 'id\n\n'", "JSONL, ''", "JSONL, '\n\r\n'"})
  void aFileWithoutARowSaysSo(RowFormat format, String text) {
    Path rows = file("rows", text);
    assertThat(load(store(), "m", rows, "--format", format)).as(out).isZero();
    assertThat(out).contains("loaded 0 rows").contains(rows + " has no row");
  }

  /** Names may hold any character, also the ones between a map and a file. */
  @Test
  void loadsOfMapsAndFilesWithLineFeedsInTheirNamesAreTwo() {
    Path one = file("b\nrows.csv", "id,v\n1,a\n");
    Path two = file("rows.csv", "id,v\n2,b\n");
    assertThat(load(store(), "a", one)).as(out).isZero();
    assertThat(load(store(), "a\nb", two)).as(out).isZero();
    assertThat(out).contains("loaded 1 rows");
    assertThat(run(new DropCommand(), store(), "a")).as(out).isZero();
    assertThat(load(store(), "a\nb", two)).as(out).isZero();
    assertThat(out).contains("nothing new");
    assertThat(load(store(), "a", one)).as(out).isZero();
    assertThat(out).contains("loaded 1 rows");
  }

  @Test
  void anotherFileOfTheSameNameIsRefused() throws IOException {
    assertThat(load(store(), "m", file("rows.csv", "id,v\n1,a\n"))).isZero();
    Path folder = Files.createDirectories(this.folder.resolve("b"));
    Path other = Files.writeString(folder.resolve("rows.csv"), "id,v\n2,b\n");
    assertThat(load(store(), "m", other)).isEqualTo(1);
    assertThat(out).contains("or they came from another file that is named rows.csv, too");
    assertThat(load(store(), "m", other, "--restart")).as(out).isZero();
    assertThat(out).contains("has 2 entries");
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

  /** A program that appends rows may end the last line only when it begins the next one. */
  @ParameterizedTest
  @ValueSource(strings = {"\n2,b\n", "\r\n2,b\r\n", "\n\n2,b", "\r\n\r\n2,b"})
  void aLineThatEndsWithTheNextAppendIsNoRowThatGrew(String appended) throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a");
    assertThat(load(store(), "m", rows, "--value", "v")).as(out).isZero();
    Files.writeString(rows, appended, StandardOpenOption.APPEND);
    assertThat(load(store(), "m", rows, "--value", "v")).as(out).isZero();
    assertThat(out).contains("continued behind row 1").contains("has 2 entries");
    assertThat(dump(store(), "m", "--format", "csv")).isZero();
    assertThat(out.lines().skip(1)).containsExactlyInAnyOrder("1,a", "2,b");
    assertThat(load(store(), "m", rows, "--value", "v")).as(out).isZero();
    assertThat(out).contains("nothing new");
  }

  @Test
  void whatIsLoadedBeforeABadRowStaysAndGoesOn() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\nx\n4,d\n");
    assertThat(load(store(), "m", rows, "--batch", 1)).isEqualTo(1);
    assertThat(out).contains("line 4: the row has 1 fields");
    Files.writeString(rows, "id,v\n1,a\n2,b\n3,c\n4,d\n");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(out).contains("continued behind row 2").contains("loaded 2 rows");
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
    assertThat(dump(folder.resolve("no-store"), "m")).isEqualTo(2);
    assertThat(out).contains("no-store is no directory: it does not exist");
    assertThat(folder.resolve("no-store")).doesNotExist();
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(dump(store(), "nope")).isEqualTo(1);
    assertThat(out).contains("the store has no \"nope\"");
  }

  @Test
  void rowsThatReplaceOthersAreCounted() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a\n2,b\n1,c\n1,d\nx\n");
    assertThat(load(store(), "m", rows, "--batch", 2)).isEqualTo(1);
    Files.writeString(rows, "id,v\n1,a\n2,b\n1,c\n1,d\n2,e\n3,f\n");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(out)
        .contains("continued behind row 4")
        .contains("loaded 2 rows")
        .contains("has 3 entries")
        .contains("of the file's 6 rows 3 had a key that was there already");
    assertThat(dump(store(), "m", "--format", "csv")).isZero();
    assertThat(out.lines()).containsExactlyInAnyOrder("id,v", "1,d", "2,e", "3,f");
    assertThat(load(store(), "m", rows)).isZero();
    assertThat(out).contains("loaded 0 rows").contains("of the file's 6 rows 3 had");
    assertThat(load(store(), "n", file("once.csv", "id,v\n1,a\n2,b\n"))).isZero();
    assertThat(out).doesNotContain("there already");
  }

  /** Else the right types would be refused for a map that has none of the rows. */
  @Test
  void aLoadThatPutsNothingLeavesNoMap() {
    Path rows = file("rows.csv", "id,v\n1,a\n");
    assertThat(load(store(), "m", rows, "--key", "v", "--key-type", "int64")).isEqualTo(1);
    assertThat(load(store(), "m", rows, "--key", "v")).as(out).isZero();
    Path surrogate = file("s.jsonl", "{\"id\":1,\"v\":\"\\ud800\"}\n");
    assertThat(load(store(), "s", surrogate)).isEqualTo(1);
    assertThat(out).contains("s.jsonl, rows from line 1 on").contains("unpaired surrogate");
    assertThat(dump(store(), "s")).isEqualTo(1);
    assertThat(out).contains("the store has no \"s\"");
  }

  @Test
  void aFileThatCannotBeLoadedMakesNoStore() throws IOException {
    Path table = file("t.csv", "id,v\n1,a\n");
    Path rows = file("r.jsonl", "{\"id\":1,\"v\":2}\n");
    assertThat(load(store(), "m", table, "--key", "nokey")).isOne();
    assertThat(out).contains("no column \"nokey\", but [id, v]");
    assertThat(load(store(), "m", rows, "--value", "none")).isOne();
    assertThat(load(store(), "m", table, "--value", "v", "--expires", "when")).isEqualTo(2);
    assertThat(load(store(), "m", file("bad.jsonl", "{\"id\":"))).isOne();
    for (String name : new String[] {"", "n".repeat(256)}) {
      assertThat(load(store(), name, table)).isEqualTo(2);
      assertThat(out).contains("MAP is a name of 1 to 255 characters, not of " + name.length());
    }
    assertThat(store()).doesNotExist();
    Files.createDirectories(store());
    assertThat(load(store(), "m", file("bad.jsonl", "{\"id\":"))).isOne();
    assertThat(load(store(), "m", rows, "--value", "none")).isOne();
    assertThat(store()).as("an empty directory").isEmptyDirectory();
    assertThat(load(store(), "n".repeat(255), table)).as(out).isZero();
  }

  @Test
  void rowsThatNameTheirColumnsHaveTheKeyOfTheFirst() {
    Path rows = file("rows.jsonl", "{\"id\":1,\"v\":\"a\"}\n{\"v\":\"b\",\"id\":2}\n");
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(dump(store(), "m")).isZero();
    assertThat(out.lines())
        .containsExactlyInAnyOrder("{\"id\":\"1\",\"v\":\"a\"}", "{\"id\":\"2\",\"v\":\"b\"}");
    Path lacking = file("lacking.jsonl", "{\"id\":1}\n{\"v\":2}\n");
    assertThat(load(store(), "l", lacking)).isEqualTo(1);
    assertThat(out).contains("lacking.jsonl, line 2: ").contains("no column \"id\", but [v]");
  }

  /** What is dumped loads again, and is the same then, whatever the fields hold. */
  @ParameterizedTest
  @EnumSource
  void whatIsDumpedLoadsAgainAsTheSame(RowFormat format) throws IOException {
    String rows =
        switch (format) {
          case CSV ->
              "\uFEFF\"a\nb\",id,\"c,\\n\"\r\n,1,\"x\"\"y\ntwo\"\r\n\\n,2,\r\n\" \",3,\"\r\"\r\n";
          case TSV -> "a\\nb\tid\t\"c\"\n\t1\tx\\ty\n\\\\n\t2\t\n \t3\t\\r\n";
          case JSONL ->
              """
              {"id":1,"a":null,"b":[1, {"c":1.50}],"c":"x\\ny"}
              {"b":"","id":2}

              {"id":3}
              {"id":"é😀","n":123456789012345678901234567890}
              """;
        };
    String ending = format.name().toLowerCase(Locale.ROOT);
    Path file = file("rows." + ending, rows);
    assertThat(load(store(), "first", file, "--key", "id")).as(out).isZero();
    Path copy = folder.resolve("copy." + ending);
    assertThat(dump(store(), "first", "--out", copy)).as(out).isZero();
    assertThat(load(store(), "second", copy, "--key", "id")).as(out).isZero();
    try (Store store = Store.open(store())) {
      PersistentMap<String, String> first = store.map("first", Codec.utf8(), Codec.utf8());
      PersistentMap<String, String> second = store.map("second", Codec.utf8(), Codec.utf8());
      store.run(
          tx -> {
            assertThat(first.size(tx)).isEqualTo(format == RowFormat.JSONL ? 4 : 3);
            assertThat(Map.copyOf(second.asMap(tx))).isEqualTo(Map.copyOf(first.asMap(tx)));
          });
    }
  }

  /** What a table or a load has no room for is refused, not left out. */
  @Test
  void membersThatARowCannotHaveAreRefused() {
    assertThat(load(store(), "m", file("rows.csv", "id,a,b\n1,x,y\n"))).as(out).isZero();
    assertThat(run(new PutCommand(), store(), "m", "9", "{\"a\":\"1\",\"extra\":\"LOST\"}"))
        .as(out)
        .isZero();
    for (String format : List.of("csv", "tsv")) {
      Path file = folder.resolve("m." + format);
      assertThat(dump(store(), "m", "--out", file)).isEqualTo(1);
      assertThat(out)
          .contains("the value of key \"9\" of \"m\" has a member \"extra\"")
          .contains("[id, a, b]; dump it as JSONL");
      assertThat(file).doesNotExist();
      assertThat(folder.toFile().list()).noneMatch(name -> name.endsWith(".part"));
    }
    assertThat(dump(store(), "m")).as(out).isZero();
    assertThat(out).contains("{\"id\":\"9\",\"a\":\"1\",\"extra\":\"LOST\"}");
    assertThat(run(new PutCommand(), store(), "m", "9", "{\"id\":\"77\",\"a\":\"z\"}")).isZero();
    for (RowFormat format : RowFormat.values()) {
      assertThat(dump(store(), "m", "--format", format)).isEqualTo(1);
      assertThat(out)
          .contains(
              "the value of key \"9\" of \"m\" has a member \"id\", which is the column of the"
                  + " keys");
    }
  }

  @Test
  void aFileBesideTheOneThatIsWrittenStaysAsItIs() throws IOException {
    assertThat(load(store(), "m", file("rows.csv", "id,v\n1,a\n"))).as(out).isZero();
    Path other = file("other", "kept");
    Files.createSymbolicLink(folder.resolve("copy.csv.part"), other);
    assertThat(dump(store(), "m", "--out", folder.resolve("copy.csv"))).as(out).isZero();
    assertThat(other).content().isEqualTo("kept");
    assertThat(folder.resolve("copy.csv")).content().isEqualTo("id,v\n1,a\n");
    assertThat(folder.toFile().list())
        .containsExactlyInAnyOrder("store", "rows.csv", "other", "copy.csv.part", "copy.csv");
  }

  /** Alone in its row, an empty field of TSV would be an empty line, which is no row. */
  @Test
  void anEmptyFieldAloneInItsRowIsKeptOrRefused() {
    assertThat(load(store(), "m", file("rows.csv", "id\na\n\"\"\n"))).as(out).isZero();
    assertThat(out).contains("has 2 entries");
    assertThat(dump(store(), "m", "--format", "tsv")).isEqualTo(1);
    assertThat(out).contains("a row of \"id\" has one; dump it as CSV");
    for (RowFormat format : List.of(RowFormat.CSV, RowFormat.JSONL)) {
      Path copy = folder.resolve("copy." + format.name().toLowerCase(Locale.ROOT));
      assertThat(dump(store(), "m", "--out", copy)).as(out).isZero();
      assertThat(load(store(), format.name(), copy)).as(out).isZero();
      assertThat(out).contains("has 2 entries");
    }
  }

  @Test
  void theStandardInputIsLoadedOnceEachAndGoesOnIfItWasCutOff() {
    InputStream before = System.in;
    try {
      assertThat(pipe("id,v\n1,a\n2,b\n")).isZero();
      assertThat(out).contains("loaded 2 rows");
      assertThat(pipe("id,v\n3,c\n")).as("another input: " + out).isZero();
      assertThat(out).contains("loaded 1 rows").contains("has 3 entries");
      assertThat(pipe("id,v\n4,d\n5,e\nx\n")).isEqualTo(1);
      assertThat(out).contains("standard input, line 4: the row has 1 fields");
      assertThat(pipe("id,v\n4,d\n5,e\n6,f\n")).as(out).isZero();
      assertThat(out).contains("continued behind row 2").contains("has 6 entries");
      assertThat(load(store(), "m", "-")).isEqualTo(2);
      assertThat(out).contains("--format");
    } finally {
      System.setIn(before);
    }
  }

  private int pipe(String text) {
    System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    return load(store(), "m", "-", "--format", "csv", "--batch", 1);
  }

  @Test
  void whatCannotBeReadOrWrittenIsNamed() throws IOException {
    Path rows = file("rows.csv", "id,v\n1,a\n");
    Path directory = Files.createDirectories(folder.resolve("folder.csv"));
    assertThat(load(store(), "m", directory)).isEqualTo(2);
    assertThat(out).contains(directory + " is a folder");
    assertThat(load(store(), "m", folder.resolve("absent.csv"))).isEqualTo(2);
    assertThat(out).contains("there is no " + folder.resolve("absent.csv"));
    assertThat(store()).doesNotExist();
    assertThat(load(store(), "m", rows)).as(out).isZero();
    assertThat(dump(store(), "m", "--out", directory)).isEqualTo(1);
    assertThat(out).contains(directory + " is a folder");
    Path nowhere = folder.resolve("nowhere").resolve("x.csv");
    assertThat(dump(store(), "m", "--out", nowhere)).isEqualTo(1);
    assertThat(out).contains(nowhere + " cannot be written: there is no folder for");
    assertThat(folder.toFile().list()).noneMatch(name -> name.endsWith(".part"));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFullDiskIsNoSuccess() throws IOException {
    assertThat(load(store(), "m", file("rows.csv", "id,v\n1,a\n"))).as(out).isZero();
    // By way of a link, so that the device is in no danger if this test is broken.
    Path full = Files.createSymbolicLink(folder.resolve("full.csv"), Path.of("/dev/full"));
    assertThat(dump(store(), "m", "--out", full)).isEqualTo(1);
    assertThat(out).contains(full + " cannot be written").contains("No space left");
    assertThat(Files.isSymbolicLink(full)).as("a device is not replaced by a file").isTrue();
    StringWriter complaint = new StringWriter();
    try (PrintWriter device = new PrintWriter(Files.newBufferedWriter(full))) {
      int exit =
          new CommandLine(new DumpCommand())
              .setOut(device)
              .setErr(new PrintWriter(complaint))
              .execute(store().toString(), "m");
      assertThat(exit).isEqualTo(1);
    }
    assertThat(complaint.toString()).contains("the standard output cannot be written");
    Files.delete(full);
  }

  @Test
  void loadsThatDifferAreRefusedForOneMap() {
    assertThat(load(store(), "m", file("a.csv", "id,v\n1,a\n"))).isZero();
    assertThat(load(store(), "m", file("b.csv", "id,w\n1,a\n"))).isEqualTo(1);
    assertThat(out).contains("was loaded with key \"id\", objects and columns [id, v]");
    assertThat(load(store(), "m", file("c.csv", "id,v\n2,a\n"))).as(out).isZero();
    assertThat(out).contains("has 2 entries");
  }

  @Test
  void theRestOfAFileGoesIntoTheMapAsItsBeginningDid() throws IOException {
    Path rows = file("a.csv", "id,name,v\n1,one,a\n2,two,b\n");
    assertThat(load(store(), "m", rows, "--value", "v")).as(out).isZero();
    Files.writeString(rows, "3,three,c\n", StandardOpenOption.APPEND);
    for (List<String> other :
        List.<List<String>>of(
            List.of("--key", "name", "--value", "v"), List.of("--value", "name"), List.of())) {
      List<Object> arguments = new ArrayList<>(List.of(store(), "m", rows));
      arguments.addAll(other);
      assertThat(load(arguments.toArray())).as("%s", other).isEqualTo(1);
      assertThat(out).contains("was loaded with key \"id\", value \"v\"", "use another map");
    }
    assertThat(load(store(), "m", rows, "--key", "id", "--value", "v")).as(out).isZero();
    assertThat(out).contains("loaded 1 rows").contains("has 3 entries");
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
    // A load whose lives all ended before it began or after it was done shows nothing.
    for (int attempt = 0; killedMidway(command, attempt) == 0; attempt++) {
      assertThat(attempt).as("loads that no kill met").isLessThan(20);
      deleteStore();
    }
    assertThat(load(command.toArray())).as(out).isZero();
    assertThat(out).contains("loaded 0 rows").contains("has 20,000 entries");
  }

  /** Kills a load again and again until it is done, and returns how many kills met it midway. */
  private int killedMidway(List<String> command, int attempt) throws Exception {
    int midway = 0;
    long noted = 0;
    for (int life = 0; noted < ROWS; life++) {
      Process child = start(command);
      // Longer each time: some die before they begin, some midway, wherever that is.
      long until = System.nanoTime() + 300_000_000L + 40_000_000L * attempt + 150_000_000L * life;
      while (child.isAlive() && System.nanoTime() < until) {
        Thread.sleep(10);
      }
      boolean isKilled = child.isAlive();
      child.destroyForcibly().waitFor();
      long now = requireExactlyTheNotedRows();
      if (isKilled && now > noted && now < ROWS) {
        midway++;
      }
      assertThat(now).isGreaterThanOrEqualTo(noted);
      noted = now;
      assertThat(life)
          .as("lives; the last one said " + Files.readString(childOutput()))
          .isLessThan(200);
    }
    return midway;
  }

  /** Starts a load in a JVM of its own. */
  private Process start(List<String> arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData", // a killed JVM would leave that file behind
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(childOutput().toFile())
        .start();
  }

  private Path childOutput() {
    return folder.resolve("out");
  }

  private void deleteStore() throws IOException {
    try (Stream<Path> files = Files.walk(store())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
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

  /** A table has an empty field for what a value lacks, wherever the column of the keys is. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void valuesThatLackMembersAreDumpedInEachFormat(int place) {
    List<String> members = List.of("a", "b", "c");
    List<String> columns = new ArrayList<>(members);
    columns.add(place, "id");
    List<String> first = new ArrayList<>(List.of("x", "y", "z"));
    first.add(place, "0");
    String table = String.join(",", columns) + "\n" + String.join(",", first) + "\n";
    assertThat(load(store(), "m", file("rows.csv", table), "--key", "id")).as(out).isZero();
    List<List<String>> rows = new ArrayList<>();
    rows.add(columns);
    List<String> objects = new ArrayList<>();
    try (Store store = Store.open(store())) {
      PersistentMap<String, String> map = store.map("m", Codec.utf8(), Codec.utf8());
      for (int kept = 0; kept < 1 << members.size(); kept++) {
        String key = "" + kept;
        List<String> json = new ArrayList<>();
        List<String> row = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
          boolean isKept = (kept & 1 << i) != 0;
          row.add(isKept ? "v" + i : "");
          if (isKept) {
            json.add("\"" + members.get(i) + "\":\"v" + i + "\"");
          }
        }
        store.run(tx -> map.put(tx, key, "{" + String.join(",", json) + "}"));
        row.add(place, key);
        rows.add(row);
        json.add(Math.min(place, json.size()), "\"id\":\"" + key + "\"");
        objects.add("{" + String.join(",", json) + "}");
      }
    }
    for (String format : List.of("csv", "tsv")) {
      String separator = format.equals("csv") ? "," : "\t";
      assertThat(dump(store(), "m", "--format", format)).as(out).isZero();
      assertThat(out.lines())
          .containsExactlyInAnyOrderElementsOf(
              rows.stream().map(row -> String.join(separator, row)).toList());
    }
    assertThat(dump(store(), "m", "--format", "jsonl")).as(out).isZero();
    assertThat(out.lines()).containsExactlyInAnyOrderElementsOf(objects);
  }
}
