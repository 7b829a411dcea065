package io.howdah.lab.sim;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The folder of {@code --out}. */
final class OutFolder {
  private OutFolder() {}

  /**
   * Creates it. To be called before the runs, so that a wrong name does not cost them.
   *
   * @throws ParameterException if nothing can be written there
   */
  static void create(CommandSpec command, Path folder) {
    String why = null;
    try {
      Files.createDirectories(folder);
      if (!Files.isWritable(folder)) {
        why = "it is not writable";
      }
    } catch (FileAlreadyExistsException e) {
      why = e.getMessage() + " is a file";
    } catch (IOException e) {
      why = e.toString();
    }
    if (why != null) {
      throw new ParameterException(
          command.commandLine(),
          "--out must be a folder that can be written: " + folder + " (" + why + ")");
    }
  }
}
