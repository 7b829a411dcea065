package io.howdah.cli.entries;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.command.SharedStore;
import io.howdah.cli.store.CheckpointCommand;
import io.howdah.cli.tables.DumpCommand;
import io.howdah.cli.tables.LoadCommand;
import io.howdah.cli.value.JsonTree;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.EntryExpiry;
import io.howdah.collections.Expiry;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.changes.Change;
import io.howdah.txn.Tx;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code ls}, {@code get}, {@code put}, {@code rm}, {@code drop} and {@code checkpoint}, as
 * commands.
 */
final class EntryCommandsTest {

  /** The part of the program that these commands are. */
  @Command(
      name = "howdah",
      subcommands = {
        ListCommand.class,
        GetCommand.class,
        PutCommand.class,
        RemoveCommand.class,
        DropCommand.class,
        CheckpointCommand.class,
        DumpCommand.class,
        LoadCommand.class
      })
  private static final class Program {}

  record Line(String article, int pieces, BigDecimal price) {}

  @TempDir private Path folder;

  private String out = "";

  /** Commands work on it if it is there, and else open and close the store each. */
  private @Nullable Store open;

  @AfterEach
  void close() {
    if (open != null) {
      open.close();
    }
  }

  private Path path() {
    return folder.resolve("shop");
  }

  private int run(String command, String... arguments) {
    StringWriter written = new StringWriter();
    String[] all =
        Stream.concat(Stream.of(command, path().toString()), Arrays.stream(arguments))
            .toArray(String[]::new);
    int exit =
        (open == null
                ? new CommandLine(new Program())
                : new CommandLine(new Program(), new SharedStore(open)))
            .setOut(new PrintWriter(written))
            .setErr(new PrintWriter(written))
            .setParameterExceptionHandler(
                (wrong, _) -> {
                  wrong.getCommandLine().getErr().println(wrong.getMessage());
                  return 2;
                })
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(all);
    out = written.toString().stripTrailing();
    return exit;
  }

  private String succeed(String command, String... arguments) {
    assertThat(run(command, arguments)).as("%s: %s", command, out).isZero();
    return out;
  }

  private String fail(int exit, String command, String... arguments) {
    assertThat(run(command, arguments)).as("%s: %s", command, out).isEqualTo(exit);
    return out;
  }

  private void openShop() {
    open = Store.inMemory();
    createCollections(open);
  }

  private void createShop() {
    try (Store store = Store.open(path(), StoreOptions.defaults().withMaxSize(16 << 20))) {
      createCollections(store);
    }
  }

  private static void createCollections(Store store) {
    store.map("stock", Codec.utf8(), Codec.int64());
    lines(store);
    store.sortedMap("by price", Codecs.pair(Codecs.decimal(), Codec.int64()), Codec.bool());
    store.set("tags", Codec.utf8());
    store.list("names", Codec.utf8());
    store.queue("jobs", Codec.int32());
    store.counter("visits");
    store.blob("picture");
  }

  private static PersistentMap<Long, Line> lines(Store store) {
    return store.map("lines", Codec.int64(), Codecs.of(MethodHandles.lookup(), Line.class));
  }

  @Test
  void aFullStoreGetsLargerByAnOption() throws IOException {
    try (Store small = Store.open(path(), StoreOptions.defaults().withMaxSize(4 << 20))) {
      createCollections(small);
    }
    Path rows = folder.resolve("rows.csv");
    String text = "v".repeat(3 << 19);
    Files.writeString(rows, "key,value\nx,%s\ny,%s\nz,%s\n".formatted(text, text, text));
    assertThat(fail(1, "load", "texts", rows.toString())).contains("larger maxSize");
    assertThat(fail(2, "load", "texts", rows.toString(), "--max-size", "64q"))
        .isEqualTo("--max-size: it is a number of bytes such as 512m or 64g, not 64q");
    assertThat(fail(2, "put", "stock", "tea pot", "1", "--max-size", "64"))
        .startsWith("--max-size: maxSize must be from ");
    succeed("load", "texts", rows.toString(), "--max-size", "64m");
    assertThat(succeed("get", "texts", "z")).contains(text);
    try (Store store = Store.open(path())) {
      assertThat(store.admin().stats().capacityBytes()).isEqualTo(64 << 20);
    }
    succeed("put", "stock", "tea pot", "1", "--max-size", "80M");
    try (Store store = Store.open(path())) {
      assertThat(store.admin().stats().capacityBytes()).isEqualTo(80 << 20);
    }
  }

  @Test
  void entriesOfEachKindArePutGotAndRemoved() {
    openShop();
    succeed("put", "stock", "tea pot", "12");
    assertThat(succeed("get", "stock", "tea pot")).isEqualTo("12");
    succeed("rm", "stock", "tea pot");
    assertThat(fail(1, "get", "stock", "tea pot")).contains("no such entry in \"stock\"");
    assertThat(fail(1, "rm", "stock", "tea pot")).contains("no such entry in \"stock\"");

    String line = "{\"article\":\"pot\",\"pieces\":2,\"price\":4.50}";
    succeed("put", "lines", "5", line);
    assertThat(succeed("get", "lines", "5")).isEqualTo(line);
    Store shop = requireNonNull(open);
    assertThat(shop.read((Tx tx) -> requireNonNull(lines(shop).get(tx, 5L))))
        .isEqualTo(new Line("pot", 2, new BigDecimal("4.50")));
    succeed("put", "by price", "[4.50, 5]", "true");
    assertThat(succeed("get", "by price", "[4.50, 5]")).isEqualTo("true");

    succeed("put", "tags", "new");
    assertThat(succeed("get", "tags", "new")).isEqualTo("new");
    succeed("rm", "tags", "new");
    fail(1, "get", "tags", "new");

    succeed("put", "names", "Ada");
    succeed("put", "names", "Bob");
    succeed("put", "names", "0", "Eve");
    assertThat(succeed("get", "names", "0")).isEqualTo("Eve");
    succeed("rm", "names", "0");
    assertThat(succeed("get", "names", "0")).isEqualTo("Bob");
    fail(1, "get", "names", "1");
    assertThat(fail(1, "put", "names", "1", "x")).contains("1 elements, none of index 1");

    succeed("put", "jobs", "1");
    succeed("put", "jobs", "2");
    succeed("rm", "jobs");
    assertThat(succeed("get", "jobs")).isEqualTo("2");

    succeed("put", "visits", "41");
    assertThat(succeed("get", "visits")).isEqualTo("41");

    succeed("put", "picture", "2", "cafe");
    assertThat(succeed("get", "picture", "0", "4")).isEqualTo("0000cafe");
    assertThat(fail(1, "get", "picture", "0", "5")).contains("the blob has 4 bytes");
  }

  @Test
  void resultsAreJsonIfAskedForInPlaceOfTextOnStandardOutput() throws IOException {
    openShop();
    succeed("put", "stock", "tea", "12");
    assertThat(succeed("get", "stock", "tea", "--json", "-"))
        .isEqualTo("{\"name\":\"stock\",\"value\":12}");
    assertThat(succeed("put", "stock", "cup", "6", "--json=-"))
        .isEqualTo("{\"name\":\"stock\",\"done\":true}");
    Path file = folder.resolve("out.json");
    assertThat(succeed("get", "stock", "cup", "--json", file.toString())).isEqualTo("6");
    assertThat(file).hasContent("{\"name\":\"stock\",\"value\":6}");
    Map<?, ?> listed = (Map<?, ?>) requireNonNull(JsonTree.parse(succeed("ls", "--json", "-")));
    assertThat(requireNonNull((List<?>) listed.get("structures")).getLast())
        .asString()
        .contains("name=visits", "type=counter", "entries=1", "bytes=");
  }

  @Test
  void theListHasNamesEntriesAndTypes() {
    openShop();
    succeed("put", "stock", "tea", "12");
    assertThat(succeed("ls").lines().toList())
        .anySatisfy(
            line -> assertThat(line).matches(" +stock +1 +[\\d.]+ k?B +map of utf8 to int64"))
        .anySatisfy(line -> assertThat(line).matches(" +jobs +0 .* queue of int32"));
  }

  @Test
  void mistakesAreNamed() {
    openShop();
    assertThat(fail(1, "get", "stok", "tea"))
        .isEqualTo("the store has no \"stok\"; is it \"stock\"?");
    assertThat(fail(1, "drop", "Jobs")).endsWith("is it \"jobs\"?");
    assertThat(fail(1, "get", "zzzzzz", "tea"))
        .isEqualTo(
            "the store has no \"zzzzzz\", but \"by price\", \"jobs\", \"lines\", \"names\","
                + " \"picture\" and 3 more");
    assertThat(fail(2, "get", "stock"))
        .isEqualTo("\"stock\" is a map: get takes KEY, not 0 operands");
    assertThat(fail(2, "put", "names", "a", "b", "c"))
        .isEqualTo("\"names\" is a list: put takes VALUE or INDEX VALUE, not 3 operands");
    assertThat(fail(2, "rm", "visits")).isEqualTo("rm does not work on a counter");
    assertThat(fail(1, "put", "stock", "tea", "many")).startsWith("\"many\" is no int64");
    assertThat(fail(1, "put", "stock", "tea", "1.5")).startsWith("\"1.5\" is no int64: ");
    assertThat(fail(1, "put", "lines", "1", "{\"article\":\"a\",\"pieces\":\"x\",\"price\":1}"))
        .startsWith("pieces: \"x\" is no int32: ");
    assertThat(fail(1, "get", "names", "first")).contains("an index is a whole number");
    assertThat(fail(2, "put", "names", "-")).contains("the shell");
  }

  @Test
  void theProcessThatHasTheStoreIsNamed() {
    createShop();
    try (Store _ = Store.open(path())) {
      String holder = "process " + ProcessHandle.current().pid();
      assertThat(fail(1, "put", "stock", "tea", "1")).contains(holder);
      assertThat(fail(1, "ls")).contains(holder);
    }
  }

  /** A process that is killed when the command has ended would find it again. */
  @Test
  void whatWasPutIsInTheFiles() {
    createShop();
    succeed("put", "stock", "tea pot", "12");
    assertThat(succeed("get", "stock", "tea pot")).isEqualTo("12");
    assertThat(succeed("checkpoint", "--json", "-"))
        .contains("\"lsn\":", "\"dirtyPages\":", "\"writtenBytes\":");
  }

  @Test
  void noStoreIsCreated() {
    for (String command : List.of("ls", "get", "put", "rm", "drop", "checkpoint")) {
      String[] name = command.matches("ls|checkpoint") ? new String[0] : new String[] {"stock"};
      assertThat(fail(2, command, name)).contains(path() + " is no directory: it does not exist");
    }
    assertThat(path()).doesNotExist();
  }

  @Test
  void whatOnlyReadsChangesNoFile() throws IOException {
    createShop();
    succeed("put", "stock", "tea", "12");
    SortedMap<String, String> before = files();
    succeed("ls");
    succeed("get", "stock", "tea");
    succeed("dump", "stock");
    fail(1, "get", "stock", "cup");
    fail(1, "get", "none", "cup");
    assertThat(files()).isEqualTo(before);
  }

  private SortedMap<String, String> files() throws IOException {
    SortedMap<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(path())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.put(file.toString(), Files.getLastModifiedTime(file) + " " + contents(file));
      }
    }
    return all;
  }

  private static int contents(Path file) {
    try {
      return Arrays.hashCode(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void droppedIsGone() {
    openShop();
    succeed("drop", "tags");
    fail(1, "get", "tags", "new");
    assertThat(succeed("ls")).doesNotContain("tags");
  }

  @Test
  void whatIsDumpedOfAnyCodecIsLoadedAgain() {
    openShop();
    succeed("put", "lines", "5", "{\"article\":\"pot\",\"pieces\":2,\"price\":4.50}");
    succeed("put", "lines", "6", "{\"article\":\"cup, blue\",\"pieces\":1,\"price\":2}");
    succeed("put", "by price", "[4.50,5]", "true");
    succeed("put", "names", "Ada");
    assertThat(succeed("dump", "names")).isEqualTo("{\"value\":\"Ada\"}");
    assertThat(succeed("dump", "names", "--out", "-")).isEqualTo("{\"value\":\"Ada\"}");
    assertThat(succeed("dump", "by price")).isEqualTo("{\"key\":[4.50,5],\"value\":true}");
    Path csv = folder.resolve("lines.csv");
    succeed("dump", "lines", "--out", csv.toString());
    succeed("rm", "lines", "5");
    assertThat(fail(1, "load", "lines", csv.toString()))
        .contains("line 2: ")
        .contains("has no component \"value\"")
        .contains("if howdah dump has written the file, load it with --value value");
    succeed("load", "lines", csv.toString(), "--value", "value");
    assertThat(succeed("get", "lines", "5")).contains("4.50");
    assertThat(succeed("get", "lines", "6")).contains("cup, blue");
    Path json = folder.resolve("prices.jsonl");
    succeed("dump", "by price", "--out", json.toString());
    succeed("rm", "by price", "[4.50,5]");
    succeed("load", "by price", json.toString(), "--value", "value");
    assertThat(succeed("get", "by price", "[4.50,5]")).isEqualTo("true");
    assertThat(fail(1, "dump", "visits")).contains("\"visits\" is a counter, which has no rows");
    assertThat(fail(1, "load", "names", json.toString()))
        .contains("\"names\" is a list of utf8, no map");
  }

  @Test
  void entriesOfExpiringMapsHaveATime() {
    openShop();
    Store shop = requireNonNull(open);
    PersistentMap<String, Long> map =
        shop.map("sessions", Codec.utf8(), Codec.int64(), Expiry.perEntry());
    assertThat(fail(2, "put", "sessions", "a", "1"))
        .contains("is an expiring map: say how long the entry lives, as with --ttl 30m");
    for (String wrong : List.of("0s", "-5s", "PT-1S", "soon", "9999999999999999999d", "")) {
      assertThat(fail(2, "put", "sessions", "a", "1", "--ttl=" + wrong)).contains("more than 0");
    }
    assertThat(fail(2, "put", "stock", "pot", "1", "--ttl", "1h")).contains("do not expire");
    succeed("put", "sessions", "a", "1", "--ttl", "2d");
    succeed("put", "sessions", "b", "2", "--ttl", "forever");
    Instant at = shop.read((Tx tx) -> requireNonNull(map.expiry().expiresAt(tx, "a")));
    assertThat(at).isAfter(Instant.now().plus(Duration.ofDays(1)));
    assertThat(succeed("get", "sessions", "a")).isEqualTo("1");
    assertThat(succeed("get", "sessions", "a", "--json", "-")).contains("\"" + at + "\"");
    assertThat(succeed("ls")).contains("expiring map of utf8 to int64");
    assertThat(succeed("dump", "sessions").lines())
        .containsExactlyInAnyOrder(
            "{\"key\":\"a\",\"value\":1,\"expires\":\"" + at + "\"}",
            "{\"key\":\"b\",\"value\":2,\"expires\":\"\"}");
    Path csv = folder.resolve("sessions.csv");
    succeed("dump", "sessions", "--out", csv.toString());
    succeed("rm", "sessions", "b");
    fail(1, "get", "sessions", "b");
    assertThat(fail(2, "load", "sessions", csv.toString(), "--value", "value"))
        .contains("--ttl", "--expires");
    assertThat(
            fail(2, "load", "sessions", csv.toString(), "--value=value", "--ttl=1h", "--expires=x"))
        .contains("one of the two");
    assertThat(fail(2, "load", "sessions", csv.toString(), "--value=value", "--ttl=soon"))
        .contains("--ttl is more than 0 and such as", "soon");
    assertThat(fail(2, "load", "sessions", csv.toString(), "--expires", "expires"))
        .contains("--expires needs --value");
    assertThat(fail(2, "load", "stock", csv.toString(), "--value=value", "--expires", "expires"))
        .contains("do not expire");
    assertThat(fail(2, "load", "new", csv.toString(), "--value=value", "--ttl", "1h"))
        .contains("do not expire", "which a program makes");
    assertThat(
            fail(1, "load", "sessions", csv.toString(), "--value", "value", "--expires", "value"))
        .contains("line 2: column \"value\" has \"", "no instant such as");
    succeed("rm", "sessions", "a");
    succeed("load", "sessions", csv.toString(), "--value", "value", "--expires", "expires");
    assertThat(shop.read((Tx tx) -> requireNonNull(map.expiry().expiresAt(tx, "a")))).isEqualTo(at);
    assertThat(shop.read((Tx tx) -> requireNonNull(map.expiry().expiresAt(tx, "b"))))
        .isEqualTo(Instant.MAX);
    succeed("rm", "sessions", "b");
    succeed("load", "sessions", csv.toString(), "--value", "value", "--ttl", "PT1H", "--restart");
    assertThat(succeed("get", "sessions", "b")).isEqualTo("2");
    shop.run(tx -> map.expiry().putUntil(tx, "b", 3L, Instant.EPOCH));
    fail(1, "get", "sessions", "b");
    assertThat(succeed("dump", "sessions").lines()).hasSize(1);
  }

  private static final Index<Line, String> BY_ARTICLE =
      Index.of("by article", Line::article, Codec.utf8());

  private static PersistentMap<Long, Line> indexedLines(Store store) {
    return store.map(
        "indexed", Codec.int64(), Codecs.of(MethodHandles.lookup(), Line.class), BY_ARTICLE);
  }

  @Test
  void aDumpOfAnExpiringSetHasTheTimes() {
    openShop();
    Store shop = requireNonNull(open);
    PersistentSet<String> set = shop.set("online", Codec.utf8(), Expiry.perEntry());
    Instant at = Instant.ofEpochMilli(4_102_444_800_000L);
    shop.run(
        tx -> {
          set.expiry().addUntil(tx, "ann", at);
          set.expiry().add(tx, "bob", EntryExpiry.FOREVER);
        });
    assertThat(succeed("dump", "online").lines())
        .containsExactlyInAnyOrder(
            "{\"value\":\"ann\",\"expires\":\"" + at + "\"}",
            "{\"value\":\"bob\",\"expires\":\"\"}");
  }

  @Test
  void changesOfEntriesAreInTheJournalOfTheirMap() {
    openShop();
    Store shop = requireNonNull(open);
    PersistentMap<String, Long> map =
        shop.map("journaled", Codec.utf8(), Codec.int64(), ChangeJournal.keeping(9));
    PersistentSortedMap<String, Long> sorted =
        shop.sortedMap("sorted journaled", Codec.utf8(), Codec.int64(), ChangeJournal.keeping(9));
    succeed("put", "journaled", "a", "1");
    succeed("rm", "journaled", "a");
    succeed("put", "sorted journaled", "b", "2");
    assertThat(succeed("get", "sorted journaled", "b")).isEqualTo("2");
    List<Change<String, Long>> changes = shop.read((Tx tx) -> map.changes().after(tx, 0, 9));
    assertThat(changes).containsExactly(new Change.Put<>(1, "a", 1L), new Change.Removed<>(2, "a"));
    assertThat(shop.read((Tx tx) -> sorted.changes().newest(tx))).isEqualTo(1L);
    assertThat(succeed("ls")).contains("journaled map of utf8 to int64", "change journal");
    assertThat(fail(1, "get", "journaled/changes", "1"))
        .isEqualTo(
            "\"journaled/changes\" is the change journal of the map \"journaled\", which programs"
                + " read");
    succeed("drop", "journaled/changes");
  }

  @Test
  void mapsWithIndexesAreReadAndNotChanged() {
    openShop();
    Store shop = requireNonNull(open);
    PersistentMap<Long, Line> map = indexedLines(shop);
    shop.run(tx -> map.put(tx, 5L, new Line("pot", 2, new BigDecimal("4.50"))));
    String line = "{\"article\":\"pot\",\"pieces\":2,\"price\":4.50}";
    assertThat(succeed("get", "indexed", "5")).isEqualTo(line);
    fail(1, "get", "indexed", "6");
    String row = "{\"key\":5,\"value\":" + line + "}";
    assertThat(succeed("dump", "indexed")).isEqualTo(row);
    assertThat(fail(1, "put", "indexed", "5", line))
        .contains("\"indexed\" was opened to read", "\"by article\"", "function");
    assertThat(fail(1, "rm", "indexed", "5")).contains("\"by article\"");
    Path file = folder.resolve("lines.jsonl");
    succeed("dump", "indexed", "--out", file.toString());
    assertThat(fail(1, "load", "indexed", file.toString(), "--value", "value"))
        .contains("\"indexed\" has indexes");
    assertThat(fail(1, "load", "indexed", file.toString(), "--key-type", "int64"))
        .contains("indexed map");
    assertThat(fail(1, "get", "indexed/by article", "pot"))
        .isEqualTo(
            "\"indexed/by article\" is an index, whose entries are those of the map \"indexed\"");
    assertThat(
            shop.read((Tx tx) -> indexedLines(shop).index(BY_ARTICLE).entries(tx, "pot").count()))
        .isEqualTo(1);
    succeed("drop", "indexed/by article");
    succeed("put", "indexed", "5", line.replace("4.50", "5"));

    PersistentSortedMap<Long, Line> sorted =
        shop.sortedMap(
            "sorted", Codec.int64(), Codecs.of(MethodHandles.lookup(), Line.class), BY_ARTICLE);
    shop.run(tx -> sorted.put(tx, 5L, new Line("pot", 2, new BigDecimal("4.50"))));
    assertThat(succeed("get", "sorted", "5")).isEqualTo(line);
    assertThat(succeed("dump", "sorted")).isEqualTo(row);
    assertThat(fail(1, "rm", "sorted", "5"))
        .contains("\"sorted\" was opened to read", "\"by article\"");
  }

  @Test
  void multimapsHaveManyValuesForAKey() {
    openShop();
    Store shop = requireNonNull(open);
    PersistentMultimap<String, Line> map =
        shop.multimap("lines of", Codec.utf8(), Codecs.ordered(MethodHandles.lookup(), Line.class));
    shop.run(tx -> map.put(tx, "alice", new Line("pot", 2, new BigDecimal("4.50"))));
    assertThat(succeed("get", "lines of", "alice")).isEqualTo("[[\"pot\",2,4.50]]");
    succeed("put", "lines of", "alice", "[\"cup\",1,2.0]");
    succeed("put", "lines of", "bob", "[\"cup\",1,2.0]");
    assertThat(succeed("get", "lines of", "alice")).isEqualTo("[[\"cup\",1,2.0],[\"pot\",2,4.50]]");
    Path file = folder.resolve("lines.csv");
    succeed("dump", "lines of", "--out", file.toString());
    succeed("rm", "lines of", "alice", "[\"cup\",1,2.0]");
    assertThat(succeed("get", "lines of", "alice")).isEqualTo("[[\"pot\",2,4.50]]");
    succeed("rm", "lines of", "bob");
    fail(1, "get", "lines of", "bob");
    fail(1, "rm", "lines of", "bob");
    assertThat(fail(2, "put", "lines of", "bob")).contains("is a multimap: put takes KEY VALUE");
    assertThat(succeed("load", "lines of", file.toString(), "--value", "value"))
        .contains("loaded 3 rows")
        .contains("of the file's 3 rows 1 were there already");
    assertThat(succeed("dump", "lines of").lines())
        .containsExactly(
            "{\"key\":\"alice\",\"value\":[\"cup\",1,2.0]}",
            "{\"key\":\"alice\",\"value\":[\"pot\",2,4.50]}",
            "{\"key\":\"bob\",\"value\":[\"cup\",1,2.0]}");
  }

  @Test
  void rowsThatAreRecordsAreLoadedAsTheyAre() throws IOException {
    openShop();
    Path file = folder.resolve("lines.csv");
    Files.writeString(file, "id,article,pieces,price\n1,pot,2,4.50\n2,cup,x,1\n");
    assertThat(fail(1, "load", "lines", file.toString()))
        .contains("line 3", "pieces", "\"x\" is no int32");
    Files.writeString(file, "id,article,pieces,price\n1,pot,2,4.50\n");
    succeed("load", "lines", file.toString());
    assertThat(succeed("get", "lines", "1"))
        .isEqualTo("{\"article\":\"pot\",\"pieces\":2,\"price\":4.50}");
  }
}
