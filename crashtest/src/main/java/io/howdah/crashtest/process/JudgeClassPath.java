package io.howdah.crashtest.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/**
 * The class path of the command, without what takes the program's log to itself: the command prints
 * messages its own way, and tests listen to the loggers of the JDK.
 */
public final class JudgeClassPath {

  private static final String LOGGER_FINDER = "META-INF/services/java.lang.System$LoggerFinder";

  private JudgeClassPath() {}

  /**
   * Leaves out folders and jars that provide a logger finder. A jar whose manifest names such a jar
   * is left out, too, because the JVM follows its manifest. What the manifest of a jar that is left
   * out names stays.
   *
   * @param classPath parts between {@link File#pathSeparator}
   */
  public static String withoutLoggerFinders(String classPath) throws IOException {
    List<String> parts = new ArrayList<>();
    for (String part : classPath.split(File.pathSeparator, -1)) {
      Path path = Path.of(part);
      if (Files.isRegularFile(path)) {
        parts.addAll(jarOrNamed(path));
      } else if (!Files.exists(path.resolve(LOGGER_FINDER))) {
        parts.add(part);
      }
    }
    return String.join(File.pathSeparator, parts);
  }

  private static List<String> jarOrNamed(Path jar) throws IOException {
    List<String> named = new ArrayList<>();
    boolean hasFinder = hasFinder(jar);
    for (Path path : named(jar)) {
      if (Files.isRegularFile(path) && hasFinder(path)) {
        hasFinder = true;
      } else {
        named.add(path.toString());
      }
    }
    return hasFinder ? named : List.of(jar.toString());
  }

  private static boolean hasFinder(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.getEntry(LOGGER_FINDER) != null;
    }
  }

  private static List<Path> named(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String names =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      List<Path> paths = new ArrayList<>();
      if (names != null) {
        for (String name : names.trim().split(" +", -1)) {
          paths.add(Path.of(jar.toAbsolutePath().toUri().resolve(name)));
        }
      }
      return paths;
    }
  }
}
