package io.howdah.cli.store;

import io.howdah.AdminClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code howdah archive status}. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Prints how far the archive of an open store is.%n")
public final class ArchiveStatusCommand extends StoreCommand {

  @Parameters(paramLabel = "STORE", description = "The store's directory.")
  private Path store;

  /** Creates it, for the command line. */
  public ArchiveStatusCommand() {}

  @Override
  public Integer call() throws IOException {
    Map<String, Object> result = new LinkedHashMap<>();
    List<String> lines = new ArrayList<>();
    AdminClient.archive(existing(store))
        .forEach(
            (name, value) -> {
              result.put(name, value);
              lines.add(name + " " + value);
            });
    if (lines.isEmpty()) {
      lines.add("the store has no archive");
    }
    return report(lines, result);
  }
}
