package io.howdah.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BuildIdentityTest {

  @Test
  void folderOutsideAnyCheckoutIsUnknown(@TempDir Path folder) {
    assertThat(BuildIdentity.commitOf(folder)).isEqualTo("unknown");
  }

  @Test
  void missingFolderIsUnknown(@TempDir Path folder) {
    assertThat(BuildIdentity.commitOf(folder.resolve("gone"))).isEqualTo("unknown");
  }

  @Test
  void checkoutIsNamedByItsCommit(@TempDir Path folder) throws Exception {
    git(folder, "init", "-q");
    git(
        folder,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "first");
    assertThat(BuildIdentity.commitOf(folder)).matches("[0-9a-f]{40}");
  }

  @Test
  void aDistributionNamesTheCommitThatItsJarHolds() throws Exception {
    String sha = "99e39578".repeat(5);
    assertThat(BuildIdentity.shaIn(bytes(sha + "\n"))).isEqualTo(sha);
    assertThat(BuildIdentity.shaIn(bytes("HEAD\n"))).isEqualTo("unknown");
    assertThat(BuildIdentity.shaIn(bytes(""))).isEqualTo("unknown");
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static void git(Path folder, String... arguments) throws Exception {
    var command = new java.util.ArrayList<>(java.util.List.of("git"));
    command.addAll(java.util.List.of(arguments));
    Process git = new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start();
    assertThat(git.waitFor()).isZero();
  }
}
