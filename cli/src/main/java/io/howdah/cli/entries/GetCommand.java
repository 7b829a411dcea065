package io.howdah.cli.entries;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.value.JsonValue;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code howdah get}. */
@Command(
    name = "get",
    description = {
      "Prints one value of a structure: of a map that of a key, of a list that at an index, the"
          + " first element of a queue, the number of a counter, bytes of a blob. Exit code 1 if it"
          + " is not there.",
      "Nothing in the store is changed; no process may have it open for writing."
    },
    mixinStandardHelpOptions = true)
public final class GetCommand extends EntryCommand {

  /** For the command line. */
  public GetCommand() {}

  @Override
  public Integer call() throws Exception {
    Optional<JsonValue> value;
    Map<String, @Nullable Object> result = new LinkedHashMap<>();
    try (StoreOption.Opened open = store().openToRead()) {
      Structure structure = structure(open.store());
      List<String> operands = operands(structure, structure.getOperands());
      value =
          open.store()
              .read(
                  tx -> {
                    if (structure.isExpiring()) {
                      Instant at = structure.expiresAt(tx, operands);
                      result.put("expiresAt", Instant.MAX.equals(at) ? null : String.valueOf(at));
                    }
                    return Optional.ofNullable(structure.get(tx, operands));
                  });
    }
    if (value.isEmpty()) {
      throw new DataException("there is no such entry in \"" + name() + "\"");
    }
    result.put("value", value.get().tree());
    report(value.get().forPeople(), result);
    return 0;
  }
}
