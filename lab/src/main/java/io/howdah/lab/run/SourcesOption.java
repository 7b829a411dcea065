package io.howdah.lab.run;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --sources}, of commands that work with the project's sources. */
public final class SourcesOption {

  @Option(
      names = "--sources",
      paramLabel = "DIR",
      defaultValue = "${sys:howdah.root:-.}",
      description = "The project's folder, with its sources; default: where howdah was built.")
  private Path folder = Path.of(".");

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Creates it, for the command line. */
  public SourcesOption() {}

  /** Returns the folder, whatever it holds. */
  public Path folder() {
    return folder;
  }

  /** Returns whether a folder holds the project's sources. */
  public static boolean hasSources(Path folder) {
    return Files.exists(folder.resolve("crashtest").resolve("pom.xml"));
  }

  /**
   * Returns the folder with the sources.
   *
   * @throws ParameterException if they are not there
   */
  public Path withSources() {
    if (!hasSources(folder)) {
      throw new ParameterException(
          command.commandLine(),
          folder.toAbsolutePath().normalize()
              + " is not the project's folder, with its sources; name it with --sources");
    }
    return folder;
  }
}
