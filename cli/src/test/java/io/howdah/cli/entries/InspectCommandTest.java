package io.howdah.cli.entries;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code howdah inspect}, as a command. */
final class InspectCommandTest {

  private static final int ENTRIES = 10_000;

  @TempDir private Path folder;

  private String out = "";

  /** What the store keeps of one person. */
  @Persistent
  public interface Person {
    /** Returns a year. */
    int born();

    /** Sets a year. */
    void born(int year);
  }

  private int inspect(Path store, String... options) {
    StringWriter written = new StringWriter();
    int exit =
        new CommandLine(new InspectCommand())
            .setOut(new PrintWriter(written))
            .setErr(new PrintWriter(written))
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(
                Stream.concat(Stream.of(options), Stream.of(store.toString()))
                    .toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  private Path store() {
    return folder.resolve("store");
  }

  @Test
  void theBoundsOfCachesAreShown() throws Exception {
    try (Store store = Store.open(store())) {
      PersistentCache<Long, String> cache =
          store.cache(
              "pages",
              Codec.int64(),
              Codec.utf8(),
              CacheOptions.ofEntries(100).withMaxBytes(1 << 20));
      for (long key = 0; key < 150; key++) {
        cache.put(key, "page");
      }
    }
    Path json = folder.resolve("inspected.json");
    assertThat(inspect(store())).as(out).isZero();
    assertThat(out).containsPattern("pages +100 +100 +3\\.2 kB +1\\.0 MB +50");
    assertThat(inspect(store(), "--json", json.toString())).as(out).isZero();
    assertThat(Files.readString(json).replaceAll("\\s", ""))
        .contains("\"cache\":{\"maxBytes\":1048576,\"maxEntries\":100,\"usedBytes\":3200,");
  }

  @Test
  void rootsTypesTreesAndSpaceAreShown() {
    long address;
    try (Store store = Store.open(store())) {
      PersistentMap<Long, String> cities = store.map("cities", Codec.int64(), Codec.utf8());
      PersistentSortedMap<Long, Long> byYear =
          store.sortedMap("by year", Codec.int64(), Codec.int64());
      PersistentType<Person> people = store.type(Person.class, MethodHandles.lookup());
      for (long from = 0; from < ENTRIES; from += 1000) {
        long first = from;
        store.run(
            tx -> {
              for (long i = first; i < first + 1000; i++) {
                cities.put(tx, i, "city " + i);
                byYear.put(tx, i, i);
              }
            });
      }
      address =
          store.call(
              tx -> {
                tx.root(3, tx.allocate(64));
                tx.root(5, people.address(people.create(tx)));
                return tx.root(3);
              });
    }
    assertThat(inspect(store())).as(out).isZero();
    assertThat(out)
        .containsPattern("cities +10,000 +[\\d,]+ +[\\d.]+ [kM]B  map of int64 to utf8")
        .containsPattern("by year +10,000 +[\\d,]+ +[\\d.]+ [kM]B  sorted map of int64 to int64")
        .containsPattern("by year +root +1 +\\d+")
        .containsPattern("leaves +[\\d,]+ +10,000 +\\d+ %")
        .containsPattern("InspectCommandTest\\$Person +\\{born: int}")
        .containsPattern("[\\d.]+ [kM]B +map of int64 to utf8")
        .contains("objects, and blocks of the application")
        .containsPattern("3 +" + address);
    Matcher root = Pattern.compile("(?m)^ +5 +(\\d+)$").matcher(out);
    assertThat(root.find()).as(out).isTrue();
    long person = Long.parseLong(root.group(1));
    assertThat(person).as("where it is, without what tells it from others").isLessThan(1L << 46);
  }

  @Test
  void objectsThatNothingLeadsToAreShown() {
    try (Store store = Store.open(store())) {
      PersistentType<Person> people = store.type(Person.class, MethodHandles.lookup());
      store.run(
          tx -> {
            tx.root(5, people.address(people.create(tx)));
            assertThat(people.create(tx).born()).isZero();
          });
    }
    assertThat(inspect(store())).as(out).isZero();
    assertThat(out).doesNotContain("orphans");
    assertThat(inspect(store(), "--orphans")).as(out).isZero();
    assertThat(out)
        .containsPattern("InspectCommandTest\\$Person +1 +\\d+ B")
        .contains("Addresses that programs keep outside of the store");
    Path file = folder.resolve("inspection.json");
    assertThat(inspect(store(), "--orphans", "--json=" + file)).as(out).isZero();
    assertThat(file).content().containsPattern("\"orphans\"[^]]*\"objects\" ?: ?1\\b");
    try (Store store = Store.open(store())) {
      PersistentType<Person> people = store.type(Person.class, MethodHandles.lookup());
      long lost = store.admin().orphans().getFirst().addresses().getFirst();
      store.run(tx -> people.free(tx, people.at(tx, lost)));
    }
    assertThat(inspect(store(), "--orphans")).as(out).isZero();
    assertThat(out).contains("no orphans: every object is referred to");
  }

  @Test
  void aNameDoesNotTellTheTerminalWhatToDo() {
    try (Store store = Store.open(store())) {
      store.map("two\nlines \u001b[31mred", Codec.int64(), Codec.utf8());
    }
    assertThat(inspect(store())).as(out).isZero();
    assertThat(out).contains("two\\u000alines \\u001b[31mred").doesNotContain("\u001b");
  }

  @Test
  void whatIsNoStoreOrInUseIsNamedAndLeftAlone() {
    assertThat(inspect(folder.resolve("nothing"))).isEqualTo(2);
    assertThat(out).contains(folder.resolve("nothing") + " is no directory");
    assertThat(Files.exists(folder.resolve("nothing"))).isFalse();
    try (Store store = Store.open(store())) {
      store.map("m", Codec.int64(), Codec.utf8());
      assertThat(inspect(store())).isEqualTo(1);
      assertThat(out).contains(store().toString());
    }
    assertThat(inspect(store())).as(out).isZero();
  }
}
