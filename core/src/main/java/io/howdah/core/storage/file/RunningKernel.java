package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the operating system tells about this run of the machine and about this process. */
final class RunningKernel {

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");
  private static final Path SELF = Path.of("/proc/self");

  private RunningKernel() {}

  /** Returns the identity of this run of the kernel, empty off Linux. */
  static Optional<UUID> boot() {
    try {
      return Optional.of(UUID.fromString(Files.readString(BOOT_ID).strip()));
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Returns the machine's name without asking the network. */
  static String hostName() {
    try {
      return Files.readString(HOST_NAME).strip();
    } catch (IOException e) {
      String name = System.getenv("COMPUTERNAME");
      return name == null ? "unknown" : name;
    }
  }

  /** Returns the user this process acts as, null where the system does not tell. */
  static @Nullable Integer userId() {
    try {
      return (Integer) Files.getAttribute(SELF, "unix:uid");
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return null;
    }
  }
}
