package io.howdah.cli.entries;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.command.StoreOption;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code howdah rm}. */
@Command(
    name = "rm",
    description = {
      "Removes one entry of a structure: of a map that of a key, an element of a set, of a list"
          + " that at an index, the first element of a queue. Exit code 1 if it is not there.",
      "One transaction, which is durable when the command ends with 0. No other process may have the store open."
    },
    mixinStandardHelpOptions = true)
public final class RemoveCommand extends EntryCommand {

  /** For the command line. */
  public RemoveCommand() {}

  @Override
  public Integer call() throws Exception {
    boolean isRemoved;
    try (StoreOption.Opened open = store().openToWrite()) {
      Structure structure = structure(open.store());
      List<String> operands = operands(structure, structure.removeOperands());
      isRemoved = open.store().call(tx -> structure.remove(tx, operands));
    }
    if (!isRemoved) {
      throw new DataException("there is no such entry in \"" + name() + "\"");
    }
    report("removed", Map.of("done", true));
    return 0;
  }
}
