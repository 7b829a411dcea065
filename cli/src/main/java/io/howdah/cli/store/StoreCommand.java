package io.howdah.cli.store;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What commands on a store have in common. */
abstract class StoreCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  final void line(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }

  /** Returns a directory that is there, or ends the command with exit code 2. */
  final Path existing(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw usage(directory + " is no directory");
    }
    return directory;
  }

  /** Returns what ends the command with exit code 2. */
  final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
