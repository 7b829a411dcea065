package io.howdah.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What all commands on a store say of a folder that holds none, or a damaged one. */
final class StoreOperandTest {

  /** Each with what stands behind the store, in the words of a shell. */
  private static final List<String> COMMANDS =
      List.of(
          "ls",
          "inspect",
          "get m k",
          "put m k 1",
          "rm m k",
          "drop m",
          "dump m",
          "checkpoint",
          "shell",
          "verify",
          "stat",
          "compact",
          "backup /tmp/howdah-none/b",
          "restore /tmp/howdah-none/r",
          "accept-rollback");

  @TempDir private Path folder;

  private String err = "";

  private int run(String... arguments) {
    StringWriter written = new StringWriter();
    int exit =
        Main.program()
            .commandLineFor(arguments)
            .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(written))
            .execute(arguments);
    err = written.toString();
    return exit;
  }

  private int runOn(String command, String store) {
    List<String> words = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
    words.add(1, store);
    return run(words.toArray(String[]::new));
  }

  private Path store() {
    Path path = folder.resolve("shop");
    try (Store store = Store.open(path, StoreOptions.defaults().withMaxSize(1 << 20))) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
    }
    return path;
  }

  @Test
  void aFolderThatIsNotThereIsWrongUsage() {
    Path missing = folder.resolve("none");
    for (String command : COMMANDS) {
      assertThat(runOn(command, missing.toString())).as("%s: %s", command, err).isEqualTo(2);
      assertThat(err).contains(missing + " is no directory").doesNotContain("\tat ");
    }
    assertThat(missing).doesNotExist();
  }

  @Test
  void aFolderWithoutAStoreIsAFailure() throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.createFile(other.resolve("x"));
    for (String command : COMMANDS) {
      assertThat(runOn(command, other.toString())).as("%s: %s", command, err).isEqualTo(1);
      assertThat(err).contains("there is no store in " + other).doesNotContain("\tat ");
    }
    assertThat(other).isDirectoryContaining("glob:**/x").satisfies(StoreOperandTest::hasOneFile);
  }

  private static void hasOneFile(Path path) {
    assertThat(path.toFile().list()).hasSize(1);
  }

  /** As that of a variable of the shell that is not set; it would be the current folder. */
  @Test
  void anEmptyPathIsWrongUsage() {
    List<String> all = new ArrayList<>(COMMANDS);
    all.add("serve");
    all.add("load m /dev/null");
    for (String command : all) {
      assertThat(runOn(command, "")).as("%s: %s", command, err).isEqualTo(2);
      assertThat(err).contains(" is empty; is a variable of the shell not set?");
    }
    assertThat(run("backup", store().toString(), "")).isEqualTo(2);
    assertThat(run("ls", store().toString(), "--json", "")).isEqualTo(2);
  }

  @Test
  void whatIsRefusedLeavesNoLockBehind() throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.createFile(other.resolve("x"));
    Path rows = Files.writeString(folder.resolve("rows.csv"), "k,v\na,b\n");
    assertThat(run("load", other.toString(), "m", rows.toString())).isEqualTo(1);
    assertThat(err).contains(other + " holds x");
    assertThat(run("accept-rollback", other.toString())).isEqualTo(1);
    hasOneFile(other);
  }

  /** All say the same of it, and what to do. */
  @Test
  void filesThatAreGoneOrTooShortAreExplained() throws IOException {
    Path shop = store();
    for (String name : List.of("store.howdah", "image.sums", "image")) {
      Path file = shop.resolve(name);
      Path kept = folder.resolve("kept");
      Files.move(file, kept);
      explained(shop, name, "missing");
      Files.move(kept, file);
    }
    try (RandomAccessFile image = new RandomAccessFile(shop.resolve("image").toFile(), "rw")) {
      image.setLength(100_000);
    }
    explained(shop, "image", "image ends here");
  }

  private void explained(Path shop, String name, String text) {
    for (String command : List.of("verify", "ls", "stat", "get m k", "put m k 1", "compact")) {
      assertThat(runOn(command, shop.toString())).as("%s: %s", command, err).isEqualTo(1);
      assertThat(err)
          .as("%s without %s", command, name)
          .contains(name, text)
          .containsIgnoringCase("restore the store from a backup")
          .doesNotContain("\tat ");
    }
  }

  /** What copies a store may leave out its empty directories, and an opening makes them again. */
  @ParameterizedTest
  @ValueSource(strings = {"journal", "log/0", "log"})
  void aDirectoryOfAClosedStoreMayBeMissing(String directory) throws IOException {
    Path shop = store();
    try (Stream<Path> files = Files.walk(shop.resolve(directory))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    for (String command :
        List.of("verify", "ls", "stat", "inspect", "backup " + folder.resolve("b"), "stat")) {
      assertThat(runOn(command, shop.toString())).as("%s: %s", command, err).isZero();
    }
  }

  @Test
  void whoHasTheStoreOpenIsNamedByThoseThatWouldAskIt() {
    Path shop = store();
    try (Store _ = Store.open(shop)) {
      for (String command : List.of("stat", "backup " + folder.resolve("b"))) {
        assertThat(runOn(command, shop.toString())).isEqualTo(1);
        assertThat(err)
            .contains("process " + ProcessHandle.current().pid(), "withAdminSocket(true)");
      }
    }
  }
}
