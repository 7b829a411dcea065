package io.howdah.crashtest.power;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

/** Whether this machine lets us cut the power of a file system. */
final class PowerProbe {

  private static final byte[] FORCED = {1, 2, 3};
  private static final byte[] UNFORCED = {4, 5, 6};

  private PowerProbe() {}

  /**
   * Makes a disk, cuts its power, and looks whether what was forced is there and what was not is
   * gone.
   *
   * @param folder for the disk; must exist
   * @return why power cuts do not work here; empty if they do
   */
  static Optional<String> whyNot(Path folder, FileSystemKind kind) throws InterruptedException {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return Optional.of("power cuts need Linux");
    }
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("mounting a file system needs root");
    }
    for (String program :
        new String[] {"mount", "losetup", "fallocate", "mkfs.ext4", kind.maker()}) {
      if (!Programs.exists(program)) {
        return Optional.of("the program " + program + " is missing");
      }
    }
    try (LossyDisk disk = LossyDisk.create(Files.createTempDirectory(folder, "probe-"), kind)) {
      Path file = Files.write(disk.root().resolve("file"), FORCED);
      Programs.run("sync", "-f", file.toString());
      // In place: a journal commits names and lengths after seconds, and overwritten data much
      // later.
      Files.write(file, UNFORCED, StandardOpenOption.WRITE);
      disk.cut(new SplittableRandom(0));
      disk.restart();
      if (!Arrays.equals(Files.readAllBytes(file), FORCED)) {
        return Optional.of(
            "a cut of this kernel's file system keeps what was not forced, or loses what was");
      }
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.of("this machine does not let us: " + e.getMessage());
    }
  }
}
