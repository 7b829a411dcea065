package io.howdah.cli.tables;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.cli.command.SharedStore;
import io.howdah.cli.entries.GetCommand;
import io.howdah.cli.entries.PutCommand;
import io.howdah.cli.entries.RemoveCommand;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.CodecRegistry;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.Tx;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What JSON has no number for, or no second one: it is dumped, loaded, found and removed. */
final class OddNumbersTest {

  private static final List<Double> NUMBERS =
      List.of(0.0, -0.0, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 1e300);

  @Command(
      name = "howdah",
      subcommands = {
        GetCommand.class,
        PutCommand.class,
        RemoveCommand.class,
        DumpCommand.class,
        LoadCommand.class
      })
  private static final class Program {}

  record Point(double x, List<Float> more) {}

  @TempDir private Path folder;

  private final Store store = Store.inMemory();
  private String out = "";

  @AfterEach
  void close() {
    store.close();
  }

  private int run(String... arguments) {
    StringWriter written = new StringWriter();
    int exit =
        new CommandLine(new Program(), new SharedStore(store))
            .setOut(new PrintWriter(written))
            .setErr(new PrintWriter(written))
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(arguments);
    out = written.toString().stripTrailing();
    return exit;
  }

  private void succeed(String... arguments) {
    assertThat(run(arguments)).as("%s: %s", List.of(arguments), out).isZero();
  }

  private void copy(String name, RowFormat format) {
    String file = folder.resolve(name + "." + format.name().toLowerCase(Locale.ROOT)).toString();
    succeed("dump", "shop", name, "--out", file);
    succeed("load", "shop", name + ".copy", file, "--value", "value");
  }

  private static Set<String> entries(KeyedCollection<Double, Double> map, Tx tx) {
    Set<String> all = new TreeSet<>();
    for (double number : NUMBERS) {
      all.add(number + "=" + map.get(tx, number));
    }
    assertThat(map.size(tx)).isEqualTo(NUMBERS.size());
    return all;
  }

  @ParameterizedTest
  @EnumSource(RowFormat.class)
  void mapsAreLoadedAsTheyWereDumped(RowFormat format) {
    PersistentMap<Double, Double> map = store.map("m", Codec.float64(), Codec.float64());
    PersistentSortedMap<Double, Double> sorted =
        store.sortedMap("s", Codec.float64(), Codec.float64());
    PersistentMultimap<Double, Double> multi =
        store.multimap("x", Codec.float64(), Codec.float64());
    var mapCopy = store.map("m.copy", Codec.float64(), Codec.float64());
    var sortedCopy = store.sortedMap("s.copy", Codec.float64(), Codec.float64());
    var multiCopy = store.multimap("x.copy", Codec.float64(), Codec.float64());
    store.run(
        tx -> {
          for (double number : NUMBERS) {
            map.put(tx, number, number);
            sorted.put(tx, number, number);
            NUMBERS.forEach(value -> multi.put(tx, number, value));
          }
        });
    copy("m", format);
    copy("s", format);
    copy("x", format);
    Set<String> all = store.read((Tx tx) -> entries(map, tx));
    assertThat(store.read((Tx tx) -> entries(mapCopy, tx))).isEqualTo(all);
    assertThat(store.read((Tx tx) -> entries(sortedCopy, tx))).isEqualTo(all);
    store.run(
        tx -> {
          assertThat(multiCopy.size(tx)).isEqualTo((long) NUMBERS.size() * NUMBERS.size());
          for (double number : NUMBERS) {
            assertThat(multiCopy.values(tx, number).toList())
                .containsExactlyInAnyOrderElementsOf(NUMBERS);
          }
        });
  }

  @ParameterizedTest
  @EnumSource(RowFormat.class)
  void partsOfRecordsAreLoadedAsTheyWereDumped(RowFormat format) {
    Codec<Point> codec =
        CodecRegistry.defaults().withLookup(MethodHandles.lookup()).of(Point.class);
    Point point = new Point(-0.0, List.of(-0.0f, Float.NaN, Float.NEGATIVE_INFINITY));
    PersistentMap<Double, Point> map = store.map("m", Codec.float64(), codec);
    PersistentMap<Double, Point> mapCopy = store.map("m.copy", Codec.float64(), codec);
    store.run(tx -> map.put(tx, 1.0, point));
    copy("m", format);
    assertThat(store.read((Tx tx) -> requireNonNull(mapCopy.get(tx, 1.0)))).isEqualTo(point);
  }

  @ParameterizedTest
  @EnumSource(RowFormat.class)
  void stringsThatMayBeMissingAreLoadedAsTheyWereDumped(RowFormat format) {
    List<Optional<String>> values =
        List.of("null", "1", "NaN", "text", "", "\"a\"", "{}").stream().map(Optional::of).toList();
    Codec<Optional<String>> codec = Codecs.optional(Codec.utf8());
    PersistentMap<Double, Optional<String>> map = store.map("m", Codec.float64(), codec);
    PersistentMap<Double, Optional<String>> mapCopy = store.map("m.copy", Codec.float64(), codec);
    store.run(
        tx -> {
          for (int i = 0; i < values.size(); i++) {
            map.put(tx, (double) i, values.get(i));
          }
          map.put(tx, -1.0, Optional.empty());
        });
    copy("m", format);
    store.run(
        tx -> {
          for (int i = 0; i < values.size(); i++) {
            assertThat(mapCopy.get(tx, (double) i)).isEqualTo(values.get(i));
          }
          assertThat(requireNonNull(mapCopy.get(tx, -1.0))).isEmpty();
        });
  }

  @Test
  void negativeZeroIsAKeyOfItsOwn() {
    PersistentMap<Double, String> map = store.map("m", Codec.float64(), Codec.utf8());
    PersistentSortedMap<Float, Boolean> sorted =
        store.sortedMap("s", Codecs.descending(Codec.float32()), Codec.bool());
    store.run(tx -> map.put(tx, 0.0, "positive"));
    store.run(tx -> sorted.put(tx, 0.0f, true));
    succeed("put", "shop", "m", "NaN", "not a number");
    succeed("put", "shop", "m", "\"-Infinity\"", "least");
    succeed("put", "shop", "s", "Infinity", "false");
    assertThat(run("rm", "shop", "m", "--", "-0.0")).as(out).isNotZero();
    assertThat(run("rm", "shop", "s", "--", "-0")).as(out).isNotZero();
    store.run(
        tx -> {
          assertThat(map.get(tx, 0.0)).isEqualTo("positive");
          assertThat(map.get(tx, Double.NaN)).isEqualTo("not a number");
          assertThat(map.get(tx, Double.NEGATIVE_INFINITY)).isEqualTo("least");
          assertThat(sorted.get(tx, 0.0f)).isTrue();
          assertThat(sorted.get(tx, Float.POSITIVE_INFINITY)).isFalse();
        });
    assertThat(run("get", "shop", "m", "zero")).isNotZero();
    assertThat(out).contains("\"zero\" is no float64");
  }

  @Test
  void nullIsNoString() throws IOException {
    Path rows =
        Files.writeString(
            folder.resolve("rows.jsonl"),
            "{\"key\":\"null\",\"value\":\"a\"}\n{\"key\":null,\"value\":\"b\"}\n");
    assertThat(run("load", "shop", "m", rows.toString(), "--value", "value")).isNotZero();
    assertThat(out).contains("line 2: column \"key\" holds null, which is no utf8");
    store.map("t", Codec.int32(), Codecs.instant());
    Path times = Files.writeString(folder.resolve("t.jsonl"), "{\"key\":1,\"value\":null}\n");
    assertThat(run("load", "shop", "t", times.toString(), "--value", "value")).isNotZero();
    assertThat(out).contains("column \"value\" holds null, which is no instant");
    var optional = store.map("o", Codec.int32(), Codecs.optional(Codec.int32()));
    succeed("load", "shop", "o", times.toString(), "--value", "value");
    assertThat(store.read((Tx tx) -> requireNonNull(optional.get(tx, 1)))).isEmpty();
  }
}
