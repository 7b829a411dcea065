package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Wrong usage; what is measured is tested in the module peers. */
final class PeersCommandTest {

  @TempDir Path folder;

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new PeersCommand())
        .setOut(new PrintWriter(new StringWriter(), true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--entries=99",
        "--value-bytes=0",
        "--threads=0",
        "--sync-threads=1,65",
        "--heap-mib=63",
        "--keys=BLOB",
        "--rounds=0",
        "--peer=SQLITE"
      })
  void aValueOutOfItsRangeExitsWithTwoAndSaysWhich(String argument) {
    assertThat(run(argument, "--dir=" + folder.resolve("stores"))).isEqualTo(2);
    assertThat(err.toString()).contains(argument.substring(0, argument.indexOf('=')));
  }

  /** All stores run at the same time, and a machine that swaps measures its disk. */
  @Test
  void moreDataThanTheMachineHasMemoryIsRefusedBeforeAnythingStarts() {
    assertThat(
            run(
                "--entries=100000000",
                "--value-bytes=1048576",
                "--peer=HEAP,HEAP_HASH",
                "--dir=" + folder.resolve("stores")))
        .isEqualTo(2);
    assertThat(err.toString()).contains("HEAP_HASH 100,", "MiB", "--peer", "--heap-mib");
  }

  @Test
  void heapsThatDoNotFitTogetherAreRefusedToo() {
    assertThat(run("--heap-mib=1048576", "--dir=" + folder.resolve("stores"))).isEqualTo(2);
    assertThat(err.toString()).contains("LMDB 1,048,", "--heap-mib");
  }

  @Test
  void withoutTheOtherStoresItSaysHowToGetThem() {
    assertThat(run("--dir=" + folder.resolve("stores"))).isEqualTo(2);
    assertThat(err.toString()).contains("./howdah", "peers");
  }
}
