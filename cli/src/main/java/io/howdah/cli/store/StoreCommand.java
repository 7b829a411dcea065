package io.howdah.cli.store;

import io.howdah.cli.json.JsonOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
    if (!Files.isDirectory(directory)) {
      throw usage(directory + " is no directory");
    }
    return directory;
  }

  /** Ends the command with exit code 2 if a copy would lie in the directory that is copied. */
  final void requireOutside(Path source, Path target) throws IOException {
    Path there = target.toAbsolutePath().normalize().getParent();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there != null && there.toRealPath().startsWith(source.toRealPath())) {
      throw usage(target + " lies in " + source + "; name a directory outside of it");
    }
  }

  /** Returns what ends the command with exit code 2. */
  final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
