package io.howdah.cli.sim;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/** Loads classes from a jar or folder of the user. */
final class OwnClasses {
  private OwnClasses() {}

  /**
   * A loader for the jar or folder. It stays open: the classes may be needed until the JVM ends.
   *
   * @param option that named the path, for the message
   * @throws IllegalArgumentException if there is nothing at the path
   */
  static ClassLoader loader(String option, Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new IllegalArgumentException(option + " does not exist: " + path);
    }
    return new URLClassLoader(new URL[] {path.toUri().toURL()}, OwnClasses.class.getClassLoader());
  }
}
