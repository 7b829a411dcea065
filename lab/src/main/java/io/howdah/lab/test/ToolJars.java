package io.howdah.lab.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Jars of testing tools that are on no class path of the build; Maven fetches them when needed. */
final class ToolJars {

  private ToolJars() {}

  /**
   * Returns the folder with the jars of a tool.
   *
   * @param tool name of the folder below {@code target}, and of the execution in the root pom
   * @param profile of the root pom that has the execution
   */
  static Path of(Path root, String tool, String profile) throws IOException, InterruptedException {
    Path jars = root.resolve("target").resolve(tool);
    if (!Files.isDirectory(jars)) {
      Process maven =
          new ProcessBuilder("mvn", "-q", "-B", "-N", "-P" + profile, "dependency:copy@" + tool)
              .directory(root.toFile())
              .inheritIO()
              .start();
      if (maven.waitFor() != 0 || !Files.isDirectory(jars)) {
        throw new IOException(
            "Maven could not fetch "
                + tool
                + "; run: mvn -N -P"
                + profile
                + " dependency:copy@"
                + tool);
      }
    }
    return jars;
  }
}
