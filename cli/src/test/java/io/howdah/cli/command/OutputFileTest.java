package io.howdah.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.entries.ListCommand;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.tables.DumpCommand;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Files that commands write never take the place of a store's own, and replace others whole. */
final class OutputFileTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2).withRingBytes(1 << 16);

  @TempDir private Path folder;

  private Path store;
  private String out = "";

  /** Leaves a backup, which has files in every directory of a store, and its mark. */
  @BeforeEach
  void fill() {
    store = folder.resolve("store");
    try (Store open = Store.open(folder.resolve("source"), OPTIONS)) {
      PersistentMap<String, Long> map = open.map("m", Codec.utf8(), Codec.int64());
      for (long i = 0; i < 50; i++) {
        long value = i;
        open.run(tx -> map.put(tx, "key", value));
      }
      open.admin().backup(store);
    }
  }

  private int run(Object command, Object... arguments) {
    StringWriter written = new StringWriter();
    int exit =
        new CommandLine(command)
            .setExecutionStrategy(JsonOption::execute)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(written))
            .setErr(new PrintWriter(written))
            .execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  private List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> all = new TreeMap<>();
    for (Path file : files(store)) {
      all.put(file.toString(), Arrays.hashCode(Files.readAllBytes(file)) + "");
    }
    return all;
  }

  /** Each file that is there, and names that a store gives its files at other times. */
  private List<Path> ownFiles() throws IOException {
    List<Path> own = new ArrayList<>(files(store));
    for (String name :
        List.of(
            "store.lock",
            "store.owner",
            "store.admin",
            "image.compact",
            "journal/0",
            "rings/0",
            "log/0/00000099.seg",
            "log/summary-0",
            "log/forced")) {
      own.add(store.resolve(name));
    }
    assertThat(own).hasSizeGreaterThan(12);
    return own;
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void noOutputTakesThePlaceOfAFileOfAStore() throws IOException {
    Map<String, String> before = contents();
    Path link = Files.createSymbolicLink(folder.resolve("link"), store);
    for (Path own : ownFiles()) {
      Path byLink = link.resolve(store.relativize(own));
      Path toFile = folder.resolve("to file");
      Files.deleteIfExists(toFile);
      Files.createSymbolicLink(toFile, own);
      List<Path> ways = new ArrayList<>(List.of(own, byLink));
      if (Files.exists(own)) {
        ways.add(toFile);
      }
      for (Path way : ways) {
        assertThat(run(new DumpCommand(), store, "m", "--out", way)).as(way + out).isEqualTo(2);
        assertThat(out).contains("it is a file of the store " + store.toRealPath());
        assertThat(run(new ListCommand(), store, "--json", way)).as(way + out).isEqualTo(2);
        assertThat(out).contains("it is a file of the store " + store.toRealPath());
        assertThat(OutputFile.problem(way)).as("%s", way).isNotNull();
      }
    }
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void otherFilesAreWrittenWhereverTheyLie() throws IOException {
    Files.createDirectories(folder.resolve("log/0"));
    for (String name :
        List.of("image", "store.howdah.csv", "log/0/m.csv", "log/image", "store/m.csv", "imaged")) {
      Path file = folder.resolve(name);
      assertThat(OutputFile.problem(file)).as(name).isNull();
      assertThat(run(new DumpCommand(), store, "m", "--out", file)).as(name + out).isZero();
      assertThat(file).content().contains("49");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-------", "rw-r-----", "r--r--r--", "rwxrwxrwx"})
  @EnabledOnOs(OS.LINUX)
  void aReplacedFileKeepsItsPermissionsAndALinkStaysALink(String permissions) throws IOException {
    Path file = Files.writeString(folder.resolve("real.csv"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("link.csv"), file);
    for (boolean isJson : new boolean[] {false, true}) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
      int exit =
          isJson
              ? run(new ListCommand(), store, "--json", link)
              : run(new DumpCommand(), store, "m", "--out", link);
      assertThat(exit).as(out).isZero();
      assertThat(link).isSymbolicLink();
      assertThat(file).content().contains(isJson ? "structures" : "49");
      assertThat(permissions(file)).isEqualTo(permissions);
    }
    assertThat(folder.toFile().list())
        .containsExactlyInAnyOrder("source", "store", "real.csv", "link.csv");
  }

  /** A group that may read it in the end could not be told from another before it is its own. */
  @ParameterizedTest
  @CsvSource({"rw-------, false", "rw-r-----, false", "rw-r--r--, true", "'', true"})
  @EnabledOnOs(OS.LINUX)
  void whatIsWrittenIsTheOwnersAloneUntilItIsAll(String replaced, boolean isNewPrivate)
      throws IOException {
    Path file = folder.resolve("file");
    if (!replaced.isEmpty()) {
      Files.writeString(file, "old");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(replaced));
    }
    OutputFile.write(
        file,
        isNewPrivate,
        part -> {
          assertThat(part).isNotEqualTo(file);
          Files.writeString(part, "new");
          assertThat(permissions(part)).isEqualTo("rw-------");
        });
    assertThat(file).hasContent("new");
    assertThat(permissions(file)).isEqualTo(replaced.isEmpty() ? "rw-------" : replaced);
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  /** A power cut leaves the old file, or all of the new one. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aNewFileIsForcedBeforeItHasItsNameAndItsNameThereafter() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "old").toRealPath();
    List<String> forced = new ArrayList<>();
    OutputFile.write(
        file,
        false,
        part -> Files.writeString(part, "new"),
        path ->
            forced.add(
                Files.isDirectory(path)
                    ? "names of " + Files.readString(file)
                    : Files.readString(path) + " beside " + Files.readString(file)));
    assertThat(forced).containsExactly("new beside old", "names of new");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aFailureLeavesTheOldFileAndNoOther(int step) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "old");
    int[] steps = {0};
    assertThatThrownBy(
            () ->
                OutputFile.write(
                    file,
                    false,
                    part -> {
                      Files.writeString(part, "ne");
                      failAt(step, ++steps[0]);
                      failAt(step, ++steps[0]);
                    },
                    _ -> failAt(step, ++steps[0])))
        .hasMessage("step " + step);
    assertThat(file).hasContent("old");
    assertThat(folder.toFile().list()).containsExactlyInAnyOrder("source", "store", "file");
  }

  private static void failAt(int step, int reached) throws IOException {
    if (step == reached) {
      throw new IOException("step " + step);
    }
  }
}
