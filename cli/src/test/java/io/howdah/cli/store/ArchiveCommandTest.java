package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.archive.Archive;
import io.howdah.core.HowdahException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code howdah archive}, and {@code howdah restore} of an archive. */
final class ArchiveCommandTest {

  private static final int DAMAGED_PLACES = 16;
  private static final byte[] FILLED = new byte[200_000];

  static {
    Arrays.fill(FILLED, (byte) 1);
  }

  @TempDir private Path folder;

  private String out = "";

  /** What has ended the last command, if anything was thrown. */
  private @Nullable Exception failure;

  private int run(Object command, Object... arguments) {
    StringWriter written = new StringWriter();
    CommandLine line = new CommandLine(command);
    line.setOut(new PrintWriter(written)).setErr(new PrintWriter(written));
    failure = null;
    line.setExecutionExceptionHandler(
        (thrown, _, _) -> {
          failure = thrown;
          written.append(thrown.toString());
          return 1;
        });
    int exit = line.execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  private int archive(Object... arguments) {
    return run(new ArchiveCommand(), arguments);
  }

  private StoreOptions options() {
    return StoreOptions.defaults().withMaxSize(1 << 20).withAdminSocket(true);
  }

  /** Makes an archive of a store with the number 7 in its root. */
  private Path archived() {
    Path place = folder.resolve("archive");
    StoreOptions archiving = options().withArchive(Archive.to(place, Duration.ofHours(1)));
    try (Store store = Store.open(folder.resolve("store"), archiving)) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
      store.run(tx -> tx.putLong(tx.root(0), 7));
      store.admin().updateArchive();
    }
    return place;
  }

  @Test
  void anArchiveIsListedVerifiedDrilledAndRestored() {
    Path place = archived();
    assertThat(archive("ls", place)).as(out).isZero();
    assertThat(out).contains("archive of store ").contains("LSN ");
    assertThat(archive("verify", place)).as(out).isZero();
    assertThat(out).contains("sound");
    assertThat(archive("drill", place)).as(out).isZero();
    assertThat(out).contains("verified and opened; the restore took ");
    Path scratch = folder.resolve("scratch");
    assertThat(archive("drill", place, "--scratch", scratch)).as(out).isZero();
    assertThat(scratch).doesNotExist();
    Path target = folder.resolve("target");
    assertThat(run(new RestoreCommand(), place, target, "--latest")).as(out).isZero();
    assertThat(out).contains("restored as of LSN ").contains("had been committed at ");
    try (Store store = Store.open(target)) {
      long value = store.read(tx -> tx.getLong(tx.root(0)));
      assertThat(value).isEqualTo(7);
    }
  }

  @Test
  void momentsOutOfRangeAreRefusedWithTheRanges() {
    Path place = archived();
    Path target = folder.resolve("target");
    assertThat(run(new RestoreCommand(), place, target, "--lsn", 99_999)).isEqualTo(2);
    assertThat(out).contains("only from LSN ");
    for (String time :
        List.of(
            "2001-01-01T00:00:00Z",
            "+999999999-12-31T23:59:59Z", // has no number of milliseconds
            "-999999999-01-01T00:00:00Z")) {
      assertThat(run(new RestoreCommand(), place, target, "--time", time)).as(time).isEqualTo(2);
      assertThat(out).contains("only from LSN ");
    }
    assertThat(run(new RestoreCommand(), place, target, "--time", "yesterday")).isEqualTo(2);
    assertThat(out).contains("such as 2026-11-30T14:03:07Z");
    assertThat(run(new RestoreCommand(), place, target, "--latest", "--lsn", 1)).isEqualTo(2);
    assertThat(out).contains("exclude each other");
    assertThat(target).doesNotExist();
  }

  @Test
  void damageIsTold() throws Exception {
    Path place = archived();
    Path log;
    try (var files = Files.list(place)) {
      log = files.filter(file -> file.toString().contains(".base.")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length / 2] ^= 1;
    Files.write(log, bytes);
    int exit = archive("verify", place);
    assertThat(exit == 1 || out.contains("note: ")).as(out).isTrue();
    assertThat(out).contains(log.getFileName().toString());
  }

  /**
   * A drill is there to find damage: it says what it has found, wherever that is in the base, and
   * leaves nothing behind.
   */
  @Test
  void aDrillTellsOfDamage() throws Exception {
    try (Store store = Store.open(folder.resolve("store"), options())) { // so the base has pages
      store.run(tx -> tx.write(tx.allocate(FILLED.length), FILLED));
    }
    Path place = archived();
    Path base;
    try (var files = Files.list(place)) {
      base = files.filter(file -> file.toString().contains(".base.")).findFirst().orElseThrow();
    }
    byte[] whole = Files.readAllBytes(base);
    int named = 0;
    for (int part = 0; part < DAMAGED_PLACES; part++) {
      byte[] damaged = whole.clone();
      int at = (int) ((long) whole.length * part / DAMAGED_PLACES);
      damaged[at] ^= 1;
      Files.write(base, damaged);
      Path scratch = folder.resolve("scratch-" + part);
      assertThat(archive("drill", place, "--scratch", scratch))
          .as("byte %d: %s", at, out)
          .isEqualTo(1);
      assertThat(failure).as("byte %d", at).isInstanceOf(HowdahException.class);
      named += out.contains(base.getFileName().toString()) ? 1 : 0;
      assertThat(scratch).as("byte %d", at).doesNotExist();
    }
    assertThat(named).as("damages of pages, which a restore meets").isPositive();
  }

  /** A drill that fails removes what it has made, and nothing else. */
  @Test
  void aDrillLeavesADirectoryThatWasThere() throws Exception {
    Path place = archived();
    Path base;
    try (var files = Files.list(place)) {
      base = files.filter(file -> file.toString().contains(".base.")).findFirst().orElseThrow();
    }
    byte[] damaged = Files.readAllBytes(base);
    damaged[damaged.length / 2] ^= 1;
    Files.write(base, damaged);
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThat(archive("drill", place, "--scratch", empty)).as(out).isEqualTo(1);
    assertThat(empty).isEmptyDirectory();
    Path used = Files.createDirectory(folder.resolve("used"));
    Path file = Files.writeString(used.resolve("notes"), "kept");
    assertThat(archive("drill", place, "--scratch", used)).as(out).isEqualTo(1);
    assertThat(file).hasContent("kept");
  }

  private List<Object> takingAKey(String command, Path place, Path target) {
    return switch (command) {
      case "restore" -> List.of(place, target);
      case "start" -> List.of(command, place.resolveSibling("store"), target);
      default -> List.of(command, place);
    };
  }

  /** Whatever takes a key says that the file is none. */
  @ParameterizedTest
  @CsvSource({
    "ls,missing", "ls,short", "ls,folder", "ls,endless",
    "verify,missing", "verify,short", "verify,folder", "verify,endless",
    "drill,missing", "drill,short", "drill,folder", "drill,endless",
    "start,missing", "start,short", "start,folder", "start,endless",
    "restore,missing", "restore,short", "restore,folder", "restore,endless",
  })
  void aFileThatIsNoKeyIsRefused(String command, String mistake) throws Exception {
    Path place = archived();
    Path key = folder.resolve(mistake);
    switch (mistake) {
      case "short" -> Files.writeString(key, "0f".repeat(31));
      case "folder" -> Files.createDirectory(key);
      case "endless" -> key = Path.of("/dev/zero");
      default -> {}
    }
    Path target = folder.resolve("target");
    List<Object> arguments = new ArrayList<>(takingAKey(command, place, target));
    arguments.addAll(List.of("--key", key));
    Object of = command.equals("restore") ? new RestoreCommand() : new ArchiveCommand();
    assertThat(run(of, arguments.toArray())).as(out).isEqualTo(2);
    assertThat(failure).isNull();
    assertThat(out).contains("--key: ").contains(key.toString());
    assertThat(target).doesNotExist();
  }

  @Test
  void anOpenStoreIsArchivedOnRequest() {
    Path directory = folder.resolve("store");
    Path place = folder.resolve("archive");
    try (Store store = Store.open(directory, options())) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
      assertThat(archive("status", directory)).as(out).isZero();
      assertThat(out).contains("the store has no archive");
      assertThat(archive("start", directory, place, "--every", "1h", "--keep", "7d"))
          .as(out)
          .isZero();
      store.admin().updateArchive();
      assertThat(archive("status", directory)).as(out).isZero();
      assertThat(out).contains("restorable 1").contains("gaps 0");
      assertThat(archive("stop", directory)).as(out).isZero();
      assertThat(out).contains("not archived any more");
      assertThat(archive("start", directory, directory.resolve("archive"))).isEqualTo(2);
    }
    assertThat(archive("ls", place)).as(out).isZero();
    assertThat(out).contains("LSN ");
  }

  @Test
  void anArchiveIsCompressedAndEncryptedOnRequest() throws Exception {
    Path directory = folder.resolve("store");
    Path place = folder.resolve("archive with a space");
    Path key = Files.writeString(folder.resolve("key"), "0f".repeat(32) + "\n");
    try (Store store = Store.open(directory, options())) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
      store.run(tx -> tx.putLong(tx.root(0), 0x5ec4e75ec4e75eL));
      assertThat(archive("start", directory, place, "--compress", "--key", key, "--every", "1h"))
          .as(out)
          .isZero();
      store.admin().updateArchive();
      assertThat(archive("status", directory)).as(out).isZero();
      assertThat(out).contains("lag 0");
      assertThat(archive("start", directory, folder.resolve("other"))).isEqualTo(1);
      assertThat(out).contains("the store has an archive already, in " + place);
      assertThat(folder.resolve("other")).doesNotExist();
    }
    assertThat(archive("verify", place)).isNotZero();
    assertThat(archive("verify", place, "--key", key)).as(out).isZero();
    Path target = folder.resolve("target");
    assertThat(run(new RestoreCommand(), place, target, "--key", key)).as(out).isZero();
    try (Store store = Store.open(target)) {
      assertThat((long) store.read(tx -> tx.getLong(tx.root(0)))).isEqualTo(0x5ec4e75ec4e75eL);
    }
  }

  @Test
  void whatCannotBeAnArchiveIsRefused() throws Exception {
    Path directory = folder.resolve("store");
    Path key = Files.writeString(folder.resolve("key"), "too short");
    try (Store _ = Store.open(directory, options())) {
      assertThat(archive("start", directory, "")).isEqualTo(2);
      assertThat(out).contains("the place of the archive is empty");
      assertThat(archive("start", directory, folder.resolve("a"), "--key", key)).isEqualTo(2);
      assertThat(out).contains("neither 32 bytes nor 64 hexadecimal digits");
      assertThat(archive("start", directory, folder.resolve("a"), "--every", "2h")).isEqualTo(2);
      assertThat(out).contains("interval must be from");
      assertThat(archive("start", directory, folder.resolve("a"), "--keep", "1s")).isEqualTo(2);
      assertThat(out).contains("keep must be from");
    }
  }

  /** The library for addresses is not among those of the command. */
  @Test
  void anAddressWithoutItsLibraryIsRefusedWithAnAdvice() {
    assertThat(archive("ls", "s3://bucket/prefix")).isEqualTo(1);
    assertThat(out).contains("takes its jars from the folder lib/s3");
    assertThat(run(new RestoreCommand(), "s3://bucket/prefix", folder.resolve("t"))).isEqualTo(1);
    assertThat(out).contains("howdah-archive-s3");
  }
}
