package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.core.HowdahException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code howdah export} and {@code import}, as commands. */
final class ExportCommandTest {

  @TempDir private Path folder;

  private String out = "";

  @BeforeEach
  void fill() {
    try (Store store = Store.open(folder.resolve("store"))) {
      PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
      store.run(tx -> map.put(tx, "key", 7L));
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
                  assertThat(failure).isInstanceOf(HowdahException.class);
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(Arrays.stream(arguments).map(Object::toString).toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  private int export(Object... arguments) {
    return run(new ExportCommand(), arguments);
  }

  private long imported(String name) {
    try (Store store = Store.open(folder.resolve(name))) {
      PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
      return store.read(tx -> map.getOrDefault(tx, "key", 0L));
    }
  }

  @Test
  void whatIsExportedIsImportedIntoANewStore() {
    assertThat(export(folder.resolve("store"), folder.resolve("out"))).as(out).isZero();
    assertThat(out).startsWith("exported 1 structures with 1 items, ");
    assertThat(run(new ImportCommand(), folder.resolve("out"), folder.resolve("new")))
        .as(out)
        .isZero();
    assertThat(out).startsWith("imported 1 structures with 1 items, ");
    assertThat(imported("new")).isEqualTo(7);
    assertThat(run(new ImportCommand(), folder.resolve("out"), folder.resolve("new"))).isOne();
    assertThat(out).contains("the store has \"m\" already");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void anOpenStoreIsAskedToDoIt() {
    try (Store store =
        Store.open(folder.resolve("store"), StoreOptions.defaults().withAdminSocket(true))) {
      PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
      store.run(tx -> map.put(tx, "key", 8L));
      assertThat(export(folder.resolve("store"), folder.resolve("out"))).as(out).isZero();
      assertThat(export(folder.resolve("store"), folder.resolve("out"), "--without-objects"))
          .isEqualTo(2);
    }
    assertThat(run(new ImportCommand(), folder.resolve("out"), folder.resolve("new"))).isZero();
    assertThat(imported("new")).isEqualTo(8);
  }

  @Test
  void whatCannotBeExportedOrImportedIsNamed() throws IOException {
    try (Store store = Store.open(folder.resolve("store"))) {
      store.run(tx -> tx.root(0, tx.allocate(8)));
    }
    assertThat(export(folder.resolve("store"), folder.resolve("out"))).isOne();
    assertThat(out).contains("--without-objects");
    assertThat(export(folder.resolve("store"), folder.resolve("out"), "--without-objects"))
        .as(out)
        .isZero();
    assertThat(export(folder.resolve("store"), folder.resolve("store/in"))).isEqualTo(2);
    assertThat(export(folder.resolve("none"), folder.resolve("out"))).isEqualTo(2);
    Path file = folder.resolve("out/export.howdah");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);
    assertThat(run(new ImportCommand(), folder.resolve("out"), folder.resolve("new"))).isOne();
    assertThat(out).contains("export.howdah").contains("offset");
  }

  @Test
  void whatCannotBeImportedMakesNoStore() throws IOException {
    assertThat(export(folder.resolve("store"), folder.resolve("out"))).as(out).isZero();
    Path file = folder.resolve("out/export.howdah");
    byte[] bytes = Files.readAllBytes(file);
    Path target = folder.resolve("new");
    for (int damaged : new int[] {0, 8, bytes.length / 2, bytes.length - 1}) {
      byte[] other = bytes.clone();
      other[damaged] ^= 1;
      Files.write(file, other);
      assertThat(run(new ImportCommand(), folder.resolve("out"), target)).as(out).isOne();
      assertThat(target).doesNotExist();
    }
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    assertThat(run(new ImportCommand(), folder.resolve("out"), target)).isOne();
    assertThat(out).contains("incomplete");
    assertThat(target).doesNotExist();
    Files.delete(file);
    assertThat(run(new ImportCommand(), folder.resolve("out"), target)).isOne();
    assertThat(out).contains("is no export");
    assertThat(target).doesNotExist();
    Files.write(file, bytes);
    Files.createDirectory(target);
    assertThat(run(new ImportCommand(), folder.resolve("out"), target)).as(out).isZero();
    assertThat(imported("new")).isEqualTo(7);
  }

  /** A user who exchanges them is told, and nothing lies in the export afterwards. */
  @Test
  void theSourceComesFirst() throws IOException {
    assertThat(export(folder.resolve("store"), folder.resolve("out"))).as(out).isZero();
    assertThat(run(new ImportCommand(), folder.resolve("store"), folder.resolve("out"))).isOne();
    assertThat(out).contains("is no export");
    try (Stream<Path> files = Files.list(folder.resolve("out"))) {
      assertThat(files).containsExactly(folder.resolve("out/export.howdah"));
    }
    for (Object command :
        List.of(
            new BackupCommand(), new RestoreCommand(), new ExportCommand(), new ImportCommand())) {
      assertThat(run(command, "--help")).isZero();
      assertThat(out.replaceAll("\\s+", " "))
          .contains("TARGET")
          .contains("The source comes first, then the target");
    }
  }
}
