package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreBackups;
import io.howdah.StoreOptions;
import io.howdah.cli.entries.GetCommand;
import io.howdah.cli.entries.ListCommand;
import io.howdah.cli.entries.PutCommand;
import io.howdah.cli.shell.ShellCommand;
import io.howdah.cli.tables.LoadCommand;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A backup is told from a store, and no command changes it by mistake. */
final class BackupMarkTest {

  @TempDir private Path folder;

  private Path backup = Path.of("");
  private String out = "";

  @BeforeEach
  void backUp() {
    backup = folder.resolve("backup");
    StoreOptions small = StoreOptions.defaults().withMaxSize(1 << 22);
    try (Store store = Store.open(folder.resolve("store"), small)) {
      PersistentMap<String, String> map = store.map("m", Codec.utf8(), Codec.utf8());
      store.run(tx -> map.put(tx, "key", "old"));
      store.admin().backup(backup);
    }
  }

  private int run(Object command, Object... arguments) {
    StringWriter written = new StringWriter();
    int exit =
        new CommandLine(command)
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

  @Test
  void commandsThatChangeAStoreRefuseABackup() throws IOException {
    Path rows = Files.writeString(folder.resolve("rows.csv"), "k,v\nkey,new\n");
    assertThat(run(new PutCommand(), backup, "m", "key", "new")).isOne();
    assertThat(out).contains("is a backup").contains("howdah restore");
    assertThat(run(new LoadCommand(), backup, "other", rows)).isOne();
    assertThat(out).contains("is a backup");
    assertThat(run(new ShellCommand(), backup)).isOne();
    assertThat(out).contains("is a backup");
    assertThat(run(new GetCommand(), backup, "m", "key")).as(out).isZero();
    assertThat(out).isEqualTo("old\n");
    assertThat(run(new VerifyCommand(), backup)).as(out).isZero();
    assertThat(out).contains("is a backup, as it was made");
    assertThat(StoreBackups.isBackup(backup)).isTrue();
  }

  /** Returns the names of all files with what they hold. */
  private Map<String, String> files(Path directory) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        CRC32C sum = new CRC32C();
        sum.update(Files.readAllBytes(file));
        files.put(
            directory.relativize(file).toString(),
            Files.size(file) + " bytes with checksum " + sum.getValue());
      }
    }
    return files;
  }

  @Test
  void noCommandOnWholeStoresChangesABackup() throws IOException {
    Map<String, String> before = files(backup);
    Path target = folder.resolve("target");
    assertThat(run(new BackupCommand(), backup, target)).isOne();
    assertThat(out).contains("is a backup").contains("copy the folder");
    assertThat(target).doesNotExist();
    assertThat(run(new CompactCommand(), backup)).isOne();
    assertThat(out).contains("is a backup");
    assertThat(run(new AcceptRollbackCommand(), backup)).isOne();
    assertThat(out).contains("is a backup");
    assertThat(run(new CheckpointCommand(), backup)).isOne();
    assertThat(out).contains("is a backup");
    assertThat(run(new ExportCommand(), backup, target)).as(out).isZero();
    assertThat(run(new ImportCommand(), target, backup)).isOne();
    assertThat(out).contains("is a backup");
    assertThat(run(new VerifyCommand(), backup)).as(out).isZero();
    assertThat(run(new RestoreCommand(), backup, folder.resolve("restored"))).as(out).isZero();
    assertThat(files(backup)).isEqualTo(before);
  }

  @Test
  void whatIsMadeOfABackupIsAStore() {
    Path restored = folder.resolve("restored");
    StoreBackups.restore(backup, restored, OptionalLong.empty());
    assertThat(run(new PutCommand(), restored, "m", "key", "new")).as(out).isZero();
    assertThat(StoreBackups.isBackup(restored)).isFalse();
    Store.open(backup).close();
    assertThat(StoreBackups.isBackup(backup)).isFalse();
    assertThat(run(new PutCommand(), backup, "m", "key", "new")).as(out).isZero();
    assertThat(run(new VerifyCommand(), backup)).as(out).isZero();
    assertThat(out).doesNotContain("backup, as it was made");
    assertThat(StoreBackups.isBackup(folder.resolve("store"))).isFalse();
    assertThatThrownBy(() -> StoreBackups.isBackup(folder.resolve("none")))
        .hasMessageContaining("none");
  }

  @Test
  void anOpenStoreIsRefusedWithAWayToLookAtIt() {
    try (Store _ =
        Store.open(folder.resolve("store"), StoreOptions.defaults().withAdminSocket(false))) {
      assertThat(run(new ListCommand(), folder.resolve("store"))).isOne();
      assertThat(out).contains("howdah backup", "howdah stat", "withAdminSocket(true)");
      assertThat(run(new PutCommand(), folder.resolve("store"), "m", "a", "b")).isOne();
      assertThat(out).doesNotContain("To read it");
    }
  }
}
