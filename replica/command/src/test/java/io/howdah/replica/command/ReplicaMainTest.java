package io.howdah.replica.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** Mistakes in the command line and the group file, without a member that answers. */
@ResourceLock(Resources.SYSTEM_ERR)
class ReplicaMainTest {

  private static final String PEERS =
      """
      cluster = 7b0c5a1e-95a4-4c0a-9d1c-0d6b4c7f2a11
      peer.a = 127.0.0.1:1
      max-size = 1048576
      """;

  @TempDir private Path directory;

  private final PrintStream err = System.err;
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();

  @BeforeEach
  void catchErrors() {
    System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restoreErrors() {
    System.setErr(err);
  }

  private String group(String more) throws IOException {
    Path secret = directory.resolve("secret");
    Files.writeString(secret, "0123456789abcdef");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Path file = directory.resolve("group.properties");
    Files.writeString(file, PEERS + more);
    return file.toString();
  }

  private void requireExit(int code, String message, String... arguments) {
    told.reset();
    assertThat(ReplicaMain.run(arguments)).as(String.join(" ", arguments)).isEqualTo(code);
    assertThat(told.toString(StandardCharsets.UTF_8)).contains(message);
  }

  @Test
  void aMemberIsCreatedOnce() throws IOException {
    String group = group("");
    String member = directory.resolve("a").toString();
    requireExit(0, "", "init", member, "--group", group, "--id", "a");
    assertThat(directory.resolve("a").resolve("store.howdah")).exists();
    requireExit(
        1, "name an empty or a new directory", "init", member, "--group", group, "--id", "a");
    String other = directory.resolve("b").toString();
    requireExit(2, "b is not a member", "init", other, "--group", group, "--id", "b");
    requireExit(
        2,
        "needs http.NAME of all members",
        "init",
        other,
        "--group",
        group,
        "--id",
        "a",
        "--join");
    requireExit(2, "Missing required", "init", other, "--id", "a");
  }

  @Test
  void aWrongGroupFileIsToldWithItsLine() throws IOException {
    String group = group("nonsense = 1\n");
    requireExit(2, "group.properties line 4: unknown key", "status", "--group", group);
    requireExit(
        1, "there is no group file", "status", "--group", directory.resolve("none").toString());
  }

  @Test
  void aGroupThatDoesNotAnswerIsTold() throws IOException {
    requireExit(2, "no addresses http.NAME", "status", "--group", group(""));
    String group = group("http.a = 127.0.0.1:2\nsecret-file = secret\n");
    requireExit(1, "", "status", "--group", group);
    requireExit(1, "no member of the group leads", "transfer", "--group", group, "--to", "a");
    requireExit(2, "d is not a member", "replace", "--group", group, "--old", "c", "--new", "d");
    requireExit(
        1, "no member of the group leads", "replace", "--group", group, "--old", "c", "--new", "a");
  }

  @Test
  void anUnknownCommandIsTold() {
    requireExit(2, "Unmatched argument", "frobnicate");
  }
}
