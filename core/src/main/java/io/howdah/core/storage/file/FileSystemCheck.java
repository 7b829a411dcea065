package io.howdah.core.storage.file;

import io.howdah.core.UnsupportedStoreException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Which operating and file systems keep what a store promises; says so where they do not. */
final class FileSystemCheck {

  /** Name that this module logs by. */
  static final String LOGGER = "io.howdah.core.storage";

  // Locks are advisory or emulated there, a server may lose what it confirmed, and other machines
  // change pages that are mapped here.
  private static final Set<String> REFUSED =
      Set.of("nfs", "nfs3", "nfs4", "cifs", "smb2", "smb3", "smbfs", "sshfs", "fuse.sshfs");

  // Union and pass-through file systems: what a force reaches is up to how they were mounted.
  private static final Set<String> QUESTIONABLE = Set.of("overlay", "aufs", "9p", "virtiofs");

  private static final AtomicBoolean PLATFORM_TOLD = new AtomicBoolean();

  private FileSystemCheck() {}

  /**
   * Refuses network file systems, unless allowed, and warns of questionable ones.
   *
   * @param type the file system's type, as {@code FileStore.type()} names it
   */
  static void check(
      String type, String place, boolean networkAllowed, Supplier<System.Logger> logger) {
    String name = type.toLowerCase(Locale.ROOT);
    if (REFUSED.contains(name)) {
      if (!networkAllowed) {
        throw new UnsupportedStoreException(
            place
                + " is on "
                + type
                + ", a network file system, which keeps neither the lock nor the durability of a"
                + " store; put the store on a local disk, or open it with FileStorageOptions'"
                + " networkFileSystemAllowed and test what your server does in a power cut");
      }
      logger
          .get()
          .log(
              System.Logger.Level.WARNING,
              "{0} is on {1}, a network file system, as was explicitly allowed",
              place,
              type);
    } else if (QUESTIONABLE.contains(name)) {
      logger
          .get()
          .log(
              System.Logger.Level.WARNING,
              "{0} is on {1}: it may ignore forces and may be deleted with its container; keep"
                  + " stores on a mounted volume",
              place,
              type);
    }
  }

  /** Tells once per JVM that the system is one for development. */
  static void tellPlatform(String operatingSystem, Supplier<System.Logger> logger) {
    if (!operatingSystem.startsWith("Linux") && PLATFORM_TOLD.compareAndSet(false, true)) {
      logger
          .get()
          .log(
              System.Logger.Level.WARNING,
              "Howdah is tested on Linux; {0} is for development: what survives a crash is not"
                  + " proven there",
              operatingSystem);
    }
  }
}
