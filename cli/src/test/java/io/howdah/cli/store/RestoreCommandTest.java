package io.howdah.cli.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
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
    StringWriter written = new StringWriter();
    CommandLine command = new CommandLine(new RestoreCommand());
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
  void aTargetThatHoldsSomethingIsLeftAlone() {
    assertThat(restore(backup, target)).as(out).isZero();
    assertThat(restore(backup, target)).isNotZero();
    assertThat(out).contains("name an empty or a new directory");
  }
}
