package io.howdah.crashtest.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that read the program's log judge as well, because the command's own logger is absent. */
final class JudgeClassPathTest {

  private static final String LOGGER_FINDER = "META-INF/services/java.lang.System$LoggerFinder";

  @TempDir Path folder;

  private Path jar(String name, String entry, String classPath) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    if (!classPath.isEmpty()) {
      attributes.put(Attributes.Name.CLASS_PATH, classPath);
    }
    Path jar = folder.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      out.putNextEntry(new JarEntry(entry));
      out.closeEntry();
    }
    return jar;
  }

  private static String path(Path... parts) {
    return String.join(File.pathSeparator, Arrays.stream(parts).map(Path::toString).toList());
  }

  @Test
  void aJarWithALoggerFinderIsReplacedByWhatItsManifestNames() throws IOException {
    Path command = jar("command.jar", LOGGER_FINDER, "lib/a.jar lib/b.jar");
    Path other = jar("other.jar", "x", "lib/c.jar");
    assertThat(JudgeClassPath.withoutLoggerFinders(path(other, command)))
        .isEqualTo(path(other, folder.resolve("lib/a.jar"), folder.resolve("lib/b.jar")));
  }

  /** The JVM reads the manifest of a jar, and takes what it names. */
  @Test
  void aJarThatNamesAJarWithALoggerFinderIsReplacedByTheOthersThatItNames() throws IOException {
    Path finder = jar("finder.jar", LOGGER_FINDER, "");
    Path plain = jar("plain.jar", "x", "");
    Path command = jar("command.jar", "x", finder.getFileName() + " " + plain.getFileName());
    assertThat(JudgeClassPath.withoutLoggerFinders(path(command))).isEqualTo(path(plain));
  }

  @Test
  void aJarThatNamesNothingAndAFolderAreLeftOut() throws IOException {
    Path command = jar("command.jar", LOGGER_FINDER, "");
    Path classes = folder.resolve("classes");
    Path finder = classes.resolve(LOGGER_FINDER);
    Files.createDirectories(finder.getParent());
    Files.createFile(finder);
    Path other = Files.createDirectories(folder.resolve("other"));
    Path absent = folder.resolve("absent");
    assertThat(JudgeClassPath.withoutLoggerFinders(path(classes, other, command, absent)))
        .isEqualTo(path(other, absent));
  }
}
