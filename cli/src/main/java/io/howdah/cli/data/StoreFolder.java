package io.howdah.cli.data;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Finds stores that are there. */
final class StoreFolder {

  private StoreFolder() {}

  /** Refuses a folder without a store, where opening would create one. */
  static Path require(Path folder, CommandSpec spec) {
    if (!Files.exists(folder.resolve("store.howdah"))) {
      throw new ParameterException(spec.commandLine(), "there is no store in " + folder);
    }
    return folder;
  }
}
