package io.howdah.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.CheckReport;
import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.Expiry;
import io.howdah.collections.PersistentMap;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Options that are numbers, durations or sizes, at both ends of their ranges and one beyond: the
 * command does what they say, or ends with 2, names the option and has done nothing.
 */
@Timeout(60)
final class OptionsAtTheirEndsTest {

  @TempDir private Path folder;

  private final StringWriter said = new StringWriter();

  @BeforeEach
  void make() throws IOException {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(1)
            .withRingBytes(1 << 16)
            .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
    try (Store store = Store.open(folder.resolve("shop"), options)) {
      store.map("e", Codec.utf8(), Codec.int64(), Expiry.perEntry());
      PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
      for (int i = 0; i < 3; i++) {
        long value = i;
        store.run(TxOptions.sync(), tx -> map.put(tx, "k", value));
      }
      store.admin().checkpoint();
      for (int i = 3; i < 6; i++) {
        long value = i;
        store.run(TxOptions.sync(), tx -> map.put(tx, "k", value));
      }
      copy(folder.resolve("shop"), folder.resolve("killed"));
    }
    Files.writeString(folder.resolve("rows.csv"), "key,value\na,1\nb,2\nc,3\n", UTF_8);
  }

  /** Copies the directory of an open store, as a kill and a reboot would leave it. */
  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        // A segment that is being prepared gets its name meanwhile.
        if (!Set.of("store.owner", "unfinished").contains(file.getFileName().toString())) {
          Files.copy(file, to.resolve(from.relativize(file)));
        }
      }
    }
  }

  private int run(String... arguments) {
    said.getBuffer().setLength(0);
    return Main.program()
        .commandLineFor(arguments)
        .setOut(new PrintWriter(said))
        .setErr(new PrintWriter(said))
        .execute(arguments);
  }

  private long count(String name) {
    try (Store store =
        Store.open(folder.resolve("shop"), StoreOptions.defaults().withReadOnly(true))) {
      return store.read(tx -> store.admin().collections(tx).containsKey(name) ? 1L : 0L);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1,0",
    "2,0",
    "3,0",
    "4,0",
    "100000,0",
    "0,2",
    "-1,2",
    "100001,2",
    "2147483647,2",
    "2147483648,2",
    "99999999999999999999,2",
    "1.5,2",
    "x,2",
    "'',2"
  })
  void aBatchHasOneRowAtLeastAndAHundredThousandAtMost(String rows, int exit) {
    int found =
        run(
            "load",
            folder.resolve("shop").toString(),
            "loaded",
            folder.resolve("rows.csv").toString(),
            "--batch=" + rows);
    assertThat(found).as("%s", said).isEqualTo(exit);
    assertThat(count("loaded")).isEqualTo(exit == 0 ? 1 : 0);
    if (exit == 0) {
      assertThat(run("get", folder.resolve("shop").toString(), "loaded", "c")).isZero();
    } else {
      assertThat(said.toString()).contains("--batch");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1ms,0", "1s,0", "999999999999d,0", "forever,0", "PT0.001S,0", "P1D,0", "0s,2", "0ms,2",
    "-1s,2", "PT0S,2", "PT-1S,2", "1000000000000d,2", "1,2", "1w,2", "s,2", "'',2"
  })
  void anEntryLivesLongerThanNotAtAll(String duration, int exit) {
    int found = run("put", folder.resolve("shop").toString(), "e", "k", "7", "--ttl=" + duration);
    assertThat(found).as("%s", said).isEqualTo(exit);
    if (exit != 0) {
      assertThat(said.toString()).contains("--ttl");
      assertThat(run("get", folder.resolve("shop").toString(), "e", "k")).isEqualTo(1);
    } else if (!duration.endsWith("ms") && !duration.equals("PT0.001S")) {
      assertThat(run("get", folder.resolve("shop").toString(), "e", "k")).isZero();
      assertThat(said.toString()).contains("7");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0,2",
    "1,2",
    "-1,2",
    "4k,2",
    "1m,0",
    "2m,0",
    "1048577,0",
    "x,2",
    "1x,2",
    "9999999999999999999,2",
    "4194304t,2",
    "'',2"
  })
  void aStoreHasASizeOrIsNotMade(String size, int exit) {
    Path made = folder.resolve("made");
    int found =
        run(
            "load",
            made.toString(),
            "m",
            folder.resolve("rows.csv").toString(),
            "--max-size=" + size);
    assertThat(found).as("%s", said).isEqualTo(exit);
    assertThat(Files.exists(made)).isEqualTo(exit == 0);
    if (exit == 0) {
      try (Store store = Store.open(made)) {
        long expected = size.equals("2m") ? 2 << 20 : 1 << 20; // whole pages
        assertThat(store.admin().stats().capacityBytes()).isEqualTo(expected);
      }
    } else {
      assertThat(said.toString()).contains("--max-size");
    }
  }

  /** Each LSN of the range has the value that the key had then; none beyond it is restored. */
  @Test
  void aRestoreGoesToEachLsnOfItsRangeAndToNoOther() {
    Path killed = folder.resolve("killed");
    CheckReport report = StoreBackups.check(killed);
    long first = report.fromLsn();
    long last = report.restorableLsn();
    assertThat(last - first).isGreaterThanOrEqualTo(3);
    for (long lsn = first; lsn <= last; lsn++) {
      Path target = folder.resolve("as of " + lsn);
      assertThat(run("restore", killed.toString(), target.toString(), "--lsn=" + lsn))
          .as("%s", said)
          .isZero();
      try (Store store = Store.open(target, StoreOptions.defaults().withReadOnly(true))) {
        PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
        long value = store.read(tx -> map.getOrDefault(tx, "k", -1L));
        assertThat(value).as("as of %d of %d to %d", lsn, first, last).isEqualTo(5 - (last - lsn));
      }
    }
    for (String lsn :
        List.of("" + (first - 1), "" + (last + 1), "-1", "" + Long.MAX_VALUE, "x", "")) {
      Path target = folder.resolve("refused");
      assertThat(run("restore", killed.toString(), target.toString(), "--lsn=" + lsn))
          .as("%s: %s", lsn, said)
          .isEqualTo(2);
      assertThat(target).doesNotExist();
    }
    assertThat(
            run(
                "restore",
                killed.toString(),
                folder.resolve("refused").toString(),
                "--lsn=9223372036854775808"))
        .isEqualTo(2);
  }
}
