package io.howdah.cli.store;

import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.PrintableText;
import io.howdah.cli.terminal.Table;
import io.howdah.core.storage.file.VolatileDirectory;
import io.howdah.core.storage.file.VolatileDirectory.Foreign;
import io.howdah.core.storage.file.VolatileDirectory.Listing;
import io.howdah.core.storage.file.VolatileDirectory.Place;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code howdah volatile ls}. */
@Command(
    name = "ls",
    mixinStandardHelpOptions = true,
    description = {
      "Lists what stores of this user have in /dev/shm: size, age, how much of it is in no log yet,"
          + " state, the process that uses it or has used it last, the store's directory, and the"
          + " place's own directory, whose name ends with -m if it is memory of a store and not its"
          + " rings. Changes nothing.",
      "open: a process has the store open. left: the process has ended; the next opening of the"
          + " store takes it. abandoned: the process has ended, and the directory is gone from its"
          + " path; howdah volatile rm removes it. unknown: the process cannot be seen from here, as"
          + " that of another container."
    })
public final class VolatileListCommand extends StoreCommand {

  private static final int COLUMNS = 10;
  private static final int OWNER = 14;

  /** A longer path moves its place to the right. */
  private static final int MAX_STORE = 60;

  @Mixin private VolatileOption volatiles;

  /** Creates it, for the command line. */
  public VolatileListCommand() {}

  @Override
  public Integer call() throws IOException {
    Listing listing = VolatileDirectory.list(volatiles.directory());
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("places", listing.places().stream().map(VolatileOption::json).toList());
    result.put("leftAlone", listing.foreign().stream().map(VolatileOption::json).toList());
    result.put("complete", listing.isComplete());
    return report(lines(listing), result);
  }

  private static int storeWidth(Listing listing) {
    return listing.places().stream()
        .mapToInt(place -> PrintableText.of(place.store().toString()).length())
        .filter(length -> length <= MAX_STORE)
        .max()
        .orElse(0);
  }

  private List<String> lines(Listing listing) {
    List<String> lines = new ArrayList<>();
    if (listing.places().isEmpty()) {
      lines.add("  no store has anything in " + volatiles.directory());
    } else {
      Table table =
          new Table()
              .figure("size", COLUMNS)
              .figure("age", COLUMNS)
              .figure("not forced", COLUMNS)
              .text("state", COLUMNS)
              .text("owner", OWNER)
              .text("store", storeWidth(listing))
              .text("place", 0);
      lines.add(table.head());
      Instant now = Instant.now();
      for (Place place : listing.places()) {
        lines.add(
            table.row(
                Figures.bytes((double) place.bytes()),
                VolatileOption.age(place.since(), now),
                place.unforcedBytes().isPresent()
                    ? Figures.bytes((double) place.unforcedBytes().getAsLong())
                    : "?",
                VolatileOption.name(place.state()),
                VolatileOption.owner(place),
                PrintableText.of(place.store().toString()),
                PrintableText.of(volatiles.directory().resolve(place.name()).toString())));
      }
    }
    for (Foreign foreign : listing.foreign()) {
      lines.add(
          "  left alone: "
              + PrintableText.of(foreign.name())
              + ": "
              + PrintableText.of(foreign.why()));
    }
    if (!listing.isComplete()) {
      lines.add("  there is more, which was not searched");
    }
    return lines;
  }
}
