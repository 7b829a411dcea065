package io.howdah.lab.sim;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

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

  /**
   * Creates the services that the jar or folder names.
   *
   * @throws IllegalArgumentException if it names none
   */
  static <T> List<T> services(String option, Path path, Class<T> service) throws IOException {
    List<T> own = new ArrayList<>();
    ServiceLoader.load(service, loader(option, path)).forEach(own::add);
    if (own.isEmpty()) {
      throw new IllegalArgumentException(
          option + " names no " + service.getName() + " in META-INF/services: " + path);
    }
    return own;
  }
}
