package io.howdah.cli.store;

import io.howdah.archive.Archive;
import io.howdah.cli.command.ArchivePlace;
import io.howdah.cli.command.StoreFolder;
import io.howdah.cli.json.JsonOption;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.storage.StoreLockedException;
import io.howdah.core.storage.file.FileStorage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What commands on a store have in common. */
abstract class StoreCommand implements Callable<Integer> {

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** Writes the lines for people, unless JSON takes their place, and the result as JSON. */
  final int report(List<String> lines, Map<String, ?> result) throws IOException {
    if (json.isTextWanted()) {
      PrintWriter out = spec.commandLine().getOut();
      lines.forEach(out::println);
      out.flush();
    }
    json.write(result);
    return 0;
  }

  /** Returns a directory that is there, or ends the command with exit code 2. */
  final Path existing(Path directory) {
    return StoreFolder.existing(directory, spec.commandLine());
  }

  /** Returns an archive that is there, to read it, or ends the command with exit code 2. */
  final Archive existingArchive(String place) {
    Archive archive;
    try {
      archive = ArchivePlace.toRead(place);
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
    archive.directory().ifPresent(this::existing);
    return archive;
  }

  /** Ends the command with exit code 2 if a copy would lie in the directory that is copied. */
  final void requireOutside(Path source, Path target) {
    try {
      FileStorage.requireOutside(source, target);
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Asks the process that has the store open.
   *
   * @param locked names that process
   * @throws StoreLockedException if it does not answer
   */
  static <T> T ask(StoreLockedException locked, Supplier<T> question) {
    try {
      return question.get();
    } catch (UnsupportedStoreException e) {
      throw new StoreLockedException(
          locked.getMessage()
              + ". That process can be asked if it opens the store with"
              + " StoreOptions.withAdminSocket(true); now "
              + e.getMessage(),
          e);
    }
  }

  /** Returns what ends the command with exit code 2. */
  final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
