package io.howdah.cli.entries;

import io.howdah.cli.command.MaxSizeOption;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.command.TimeToLive;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code howdah put}. */
@Command(
    name = "put",
    description = {
      "Puts one value into a structure: into a map by a key, into a set, at the end of a list or"
          + " queue, in place of an element of a list, as the number of a counter, into a blob.",
      "One transaction, which is durable when the command ends with 0. Values are written with the"
          + " codec of the structure, records in their newest shape. No other process may have the store open."
    },
    mixinStandardHelpOptions = true)
public final class PutCommand extends EntryCommand {

  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      description =
          "How long an entry of an expiring map lives: 500ms, 90s, 30m, 8h, 2d, PT1H30M or"
              + " forever.")
  private @Nullable String timeToLive;

  @Mixin private MaxSizeOption maxSize;

  /** For the command line. */
  public PutCommand() {}

  @Override
  public Integer call() throws Exception {
    try (StoreOption.Opened open = store().openToWrite(maxSize)) {
      Structure structure = structure(open.store());
      List<String> operands = operands(structure, structure.putOperands());
      if (structure.isExpiring()) {
        Duration duration = duration();
        open.store().run(tx -> structure.put(tx, operands, duration));
      } else if (timeToLive != null) {
        throw usage("entries of \"" + name() + "\" do not expire; --ttl is for expiring maps");
      } else {
        open.store().run(tx -> structure.put(tx, operands));
      }
    }
    report("put", Map.of("done", true));
    return 0;
  }

  private Duration duration() {
    if (timeToLive == null) {
      throw usage(
          "\""
              + name()
              + "\" is an expiring map: say how long the entry lives, as with --ttl 30m, or --ttl"
              + " forever");
    }
    Duration duration = TimeToLive.parse(timeToLive);
    if (duration == null) {
      throw usage(
          "--ttl is more than 0 and like 500ms, 90s, 30m, 8h, 2d, PT1H30M or forever, not "
              + timeToLive);
    }
    return duration;
  }
}
