package io.howdah.cli.command;

import io.howdah.core.HowdahException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Libraries that are installed beside those of the command, in a folder of {@code lib}, and that
 * only some uses of it need. They are large, so no class path names them, and no start of the
 * command opens them.
 */
public final class ExtraLibraries {

  /** The folder of the libraries for archives in buckets. */
  public static final String S3 = "s3";

  /** The folder of the libraries that read other stores. */
  public static final String IMPORT = "import";

  private ExtraLibraries() {}

  /**
   * Has the service loader find libraries, for this thread and those that it starts. No effect if
   * they are not installed.
   *
   * @param folder one of those named above
   */
  public static void use(String folder) {
    use(installed(folder));
  }

  /** The same, of a folder with jars, which may be absent. */
  static void use(Path folder) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    List<URL> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
      for (Path file : files) {
        jars.add(file.toUri().toURL());
      }
    } catch (IOException e) {
      throw new HowdahException("the libraries in " + folder + " cannot be listed: " + e);
    }
    Thread thread = Thread.currentThread();
    thread.setContextClassLoader(
        new URLClassLoader(jars.toArray(URL[]::new), ExtraLibraries.class.getClassLoader()));
  }

  private static Path installed(String folder) {
    CodeSource source = ExtraLibraries.class.getProtectionDomain().getCodeSource();
    try {
      return Path.of(source.getLocation().toURI()).resolveSibling("lib").resolve(folder);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the command does not lie in a file", e);
    }
  }
}
