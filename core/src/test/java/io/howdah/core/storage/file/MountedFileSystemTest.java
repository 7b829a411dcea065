package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.storage.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scenarios on file systems mounted for the purpose, each in a mount namespace of its own, which
 * disappears with the JVM that runs in it. Skipped where that is not permitted.
 */
final class MountedFileSystemTest {

  @TempDir Path mountPoint;

  /** Returns a command that mounts and runs the command after it; the mount names "$directory". */
  private List<String> prefix(String mount) {
    String script = "directory=$1; shift; " + mount + " && exec \"$@\"";
    return List.of("unshare", "--mount", "sh", "-c", script, "mount", mountPoint.toString());
  }

  private void requireMounts(String mount) throws Exception {
    boolean permitted;
    try {
      List<String> command = new ArrayList<>(prefix(mount));
      Collections.addAll(command, "true");
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      permitted = process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      permitted = false;
    }
    assumeTrue(permitted, "mounting is not permitted here");
  }

  private void run(String mount, Class<?> scenario) throws Exception {
    requireMounts(mount);
    try (ChildJvm child = ChildJvm.start(prefix(mount), scenario, mountPoint.toString())) {
      assertThat(child.readLine()).isEqualTo("ok");
      assertThat(child.waitFor()).isZero();
      assertThat(child.errors()).isEmpty();
    }
  }

  @Test
  void fullDiskIsReportedAsSuchAndTheJvmLives() throws Exception {
    run("mount -t tmpfs -o size=1m tmpfs \"$directory\"", FullDiskScenario.class);
  }

  @Test
  void readOnlyFileSystemIsReadAndNothingElse() throws Exception {
    try (FileStorage storage = FileStorage.open(mountPoint.resolve("store"))) {
      try (StorageFile file = storage.create("file")) {
        ByteBuffer sevens = ByteBuffer.allocateDirect(4096);
        while (sevens.hasRemaining()) {
          sevens.put((byte) 7);
        }
        file.write(0, sevens.flip());
      }
      storage.lock("creates the lock file");
    }
    String mount =
        "mount --bind \"$directory\" \"$directory\" && mount -o remount,bind,ro \"$directory\"";
    run(mount, ReadOnlyScenario.class);
    assertThat(Files.readAllBytes(mountPoint.resolve("store/file"))).hasSize(4096).containsOnly(7);
  }

  @Test
  void fileSizeLimitIsReportedAsNoSpace() throws Exception {
    try (ChildJvm child =
        ChildJvm.start(
            List.of("sh", "-c", "ulimit -f 2048 && exec \"$@\"", "limited"),
            FileSizeScenario.class,
            mountPoint.toString())) {
      assertThat(child.readLine()).isEqualTo("ok");
    }
  }
}
