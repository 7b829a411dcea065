package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code howdah restore}, and what it is asked for in vain. */
final class RestoreCommandTest {

  @TempDir private Path folder;

  private Path backup = Path.of("");
  private Path target = Path.of("");
  private String out = "";

  @BeforeEach
  void createAStore() {
    backup = folder.resolve("backup");
    target = folder.resolve("target");
    try (Store store = Store.open(backup, StoreOptions.defaults().withMaxSize(1 << 20))) {
      store.run(tx -> tx.root(0, tx.allocate(64)));
    }
  }

  private int restore(Object... options) {
    return run(new RestoreCommand(), options);
  }

  private int run(StoreCommand asked, Object... options) {
    StringWriter written = new StringWriter();
    CommandLine command = new CommandLine(asked);
    command.setOut(new PrintWriter(written)).setErr(new PrintWriter(written));
    int exit = command.execute(Arrays.stream(options).map(Object::toString).toArray(String[]::new));
    out = written.toString();
    return exit;
  }

  @Test
  void aStoreIsRestored() {
    assertThat(restore(backup, target)).as(out).isZero();
    assertThat(out).contains("restored as of LSN");
    assertThat(target).isDirectoryContaining("glob:**/store.howdah");
  }

  @Test
  void anLsnOutOfRangeIsRefusedWithTheRangeAndNothingIsTouched() {
    assertThat(restore(backup, target, "--lsn", 99_999)).isEqualTo(2);
    assertThat(out).contains("as of an LSN from").contains("not 99999").doesNotContain("\tat ");
    assertThat(target).doesNotExist();
  }

  @Test
  void aTargetInTheSourceIsRefused() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), backup);
    for (Path inside : List.of(backup.resolve("x"), backup.resolve("x/y"), link.resolve("x"))) {
      assertThat(restore(backup, inside)).isEqualTo(2);
      assertThat(out).contains(inside + " lies in " + backup);
      assertThat(run(new BackupCommand(), backup, inside)).isEqualTo(2);
      assertThat(out).contains(inside + " lies in " + backup);
    }
    assertThat(backup.resolve("x")).doesNotExist();
    assertThat(run(new BackupCommand(), backup, target)).as(out).isZero();
  }

  @Test
  void aTargetThatHoldsSomethingIsLeftAlone() {
    assertThat(restore(backup, target)).as(out).isZero();
    assertThat(restore(backup, target)).isNotZero();
    assertThat(out).contains("name an empty or a new directory");
  }
}
