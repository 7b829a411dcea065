package io.howdah.cli.entries;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.catalogue.NearNames;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.tables.LoadBook;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah drop}. */
@Command(
    name = "drop",
    description = {
      "Removes a structure with its contents.",
      "One transaction, which is durable when the command ends with 0. Another one removes what"
          + " howdah load has noted of a map. No other process may have the store open."
    },
    mixinStandardHelpOptions = true)
public final class DropCommand implements Callable<Integer> {

  @Mixin private StoreOption store;

  @Parameters(index = "1", paramLabel = "NAME", description = "Name of the structure.")
  private String name;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public DropCommand() {}

  @Override
  public Integer call() throws Exception {
    try (StoreOption.Opened opened = store.openToWrite()) {
      Store open = opened.store();
      if (!open.admin().drop(name)) {
        throw new DataException(
            "the store has no \""
                + name
                + "\""
                + NearNames.suggest(name, open.read(open.admin()::collections).keySet()));
      }
      LoadBook.forget(open, name);
    }
    if (json.isTextWanted()) {
      spec.commandLine().getOut().println("dropped");
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("name", name);
    result.put("done", true);
    json.write(result);
    return 0;
  }
}
