package io.howdah.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands in processes of their own, whose standard output cannot be written. */
@EnabledOnOs(OS.LINUX)
final class StandardOutputTest {

  private static final int ROWS = 30_000;
  private static final int TIMEOUT_SECONDS = 120;

  /** Filled once: the commands here only read it. */
  @TempDir private static Path store;

  @TempDir private Path folder;

  @BeforeAll
  static void fillStore() {
    try (Store filled = Store.open(store)) {
      PersistentMap<String, String> map = filled.map("m", Codec.utf8(), Codec.utf8());
      filled.run(
          tx -> {
            for (int i = 0; i < ROWS; i++) {
              map.put(tx, "key " + i, "value");
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"dump STORE m", "get STORE m 'key 7' --json -", "stat STORE", "--help"})
  void aFullOutputIsNoSuccess(String arguments) throws Exception {
    startWithAFullOutput(arguments);
  }

  @Tag("campaign")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "get STORE m 'key 7'",
        "ls STORE",
        "ls STORE --json -",
        "stat STORE --json -",
        "verify STORE",
        "verify STORE --json -"
      })
  void aFullOutputIsNoSuccessOfOtherCommands(String arguments) throws Exception {
    startWithAFullOutput(arguments);
  }

  private void startWithAFullOutput(String arguments) throws Exception {
    Process process = start(arguments + " >/dev/full");
    assertThat(exitCode(process)).as(errors()).isOne();
    assertThat(errors().lines().toList())
        .containsExactly("howdah: the standard output cannot be written: No space left on device");
  }

  @Test
  void aClosedOutputIsNoSuccess() throws Exception {
    Process process = start("dump STORE m >&-");
    assertThat(exitCode(process)).as(errors()).isOne();
    assertThat(errors()).startsWith("howdah: the standard output cannot be written: ");
    assertThat(errors().lines()).hasSize(1);
  }

  /** As of {@code howdah dump … | head -1}. */
  @Test
  void aReaderThatWantsNoMoreEndsADumpQuietly() throws Exception {
    Process process = start("dump STORE m");
    try (BufferedReader out = process.inputReader(UTF_8)) {
      assertThat(out.readLine()).startsWith("{\"key\":\"key ");
    }
    assertThat(exitCode(process)).as(errors()).isOne();
    assertThat(errors()).isEmpty();
  }

  @Test
  void whatIsWrittenIsCompleteAndOnStandardOutput() throws Exception {
    Process process = start("dump STORE m >" + folder.resolve("out"));
    assertThat(exitCode(process)).as(errors()).isZero();
    assertThat(errors()).isEmpty();
    assertThat(Files.readAllLines(folder.resolve("out"))).hasSize(ROWS);
  }

  /** Starts the command as a shell does, which redirects its output. */
  private Process start(String arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                "exec \"$@\" " + arguments.replace("STORE", store.toString()),
                "howdah",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    return new ProcessBuilder(command).redirectError(folder.resolve("err").toFile()).start();
  }

  private static int exitCode(Process process) throws InterruptedException {
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private String errors() throws IOException {
    return Files.readString(folder.resolve("err"));
  }
}
