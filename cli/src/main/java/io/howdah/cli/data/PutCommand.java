package io.howdah.cli.data;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code howdah put}. */
@Command(
    name = "put",
    description = {
      "Puts one value into a structure: into a map by a key, into a set, at the end of a list or"
          + " queue, in place of an element of a list, as the number of a counter, into a blob.",
      "One transaction, which is durable when the command ends with 0. Values are written with the"
          + " codec of the structure, records in their newest shape. Nobody else may have the store"
          + " open."
    },
    mixinStandardHelpOptions = true)
public final class PutCommand extends EntryCommand {

  /** For the command line. */
  public PutCommand() {}

  @Override
  public Integer call() throws Exception {
    try (StoreOption.Opened open = store().openToWrite()) {
      Structure structure = structure(open.store());
      List<String> operands = operands(structure, structure.putOperands());
      open.store().run(tx -> structure.put(tx, operands));
    }
    report("put", Map.of("done", true));
    return 0;
  }
}
