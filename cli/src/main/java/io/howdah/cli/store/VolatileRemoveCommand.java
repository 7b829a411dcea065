package io.howdah.cli.store;

import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.PrintableText;
import io.howdah.core.storage.file.VolatileDirectory;
import io.howdah.core.storage.file.VolatileDirectory.Foreign;
import io.howdah.core.storage.file.VolatileDirectory.Listing;
import io.howdah.core.storage.file.VolatileDirectory.Place;
import io.howdah.core.storage.file.VolatileDirectory.State;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code howdah volatile rm}. */
@Command(
    name = "rm",
    mixinStandardHelpOptions = true,
    description = {
      "Removes what stores have left in /dev/shm, and never what a process uses.",
      "Without operands: of stores whose process has ended and whose directory is gone, if their log"
          + " has all that their rings have, so that nothing is lost even where the directory was only"
          + " moved. With --force also the others of these.",
      "With operands: of the stores that are named. What the next opening of such a store would take"
          + " is removed only after a question on the terminal, or with --force: the ASYNC commits"
          + " that were not forced are lost then."
    })
public final class VolatileRemoveCommand extends StoreCommand {

  @Parameters(
      arity = "0..*",
      paramLabel = "STORE",
      description = "Directory of a store, or the name of a place in volatile ls --json.")
  private List<Path> named = List.of();

  @Option(names = "--force", description = "Asks nothing.")
  private boolean force;

  @Mixin private VolatileOption volatiles;

  private final Predicate<String> question;

  private final List<String> lines = new ArrayList<>();
  private final List<Map<String, Object>> removed = new ArrayList<>();
  private final List<Map<String, Object>> kept = new ArrayList<>();

  /** Creates it, for the command line. */
  public VolatileRemoveCommand() {
    this(VolatileRemoveCommand::ask);
  }

  /** Creates it with another way to ask. */
  VolatileRemoveCommand(Predicate<String> question) {
    this.question = question;
  }

  @SuppressWarnings("SystemConsoleNull") // as the method is declared
  private static boolean ask(String text) {
    Console console = System.console();
    if (console == null || !console.isTerminal()) {
      return false;
    }
    String answer = console.readLine("%s [y/N] ", text);
    return answer != null && answer.strip().equalsIgnoreCase("y");
  }

  @Override
  public Integer call() throws IOException {
    Listing listing = VolatileDirectory.list(volatiles.directory());
    boolean isDone = named.isEmpty() ? removeAbandoned(listing) : removeNamed(listing);
    if (lines.isEmpty()) {
      lines.add("nothing to remove");
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("removed", removed);
    result.put("kept", kept);
    report(lines, result);
    return isDone ? 0 : 1;
  }

  private boolean removeAbandoned(Listing listing) {
    for (Place place : listing.places()) {
      if (place.state() == State.ABANDONED) {
        if (place.isForced() || force) {
          remove(place);
        } else {
          keep(
              place,
              "its directory is gone, but "
                  + atRisk(place)
                  + "; if the directory was moved, open the store there, otherwise use --force");
        }
      }
    }
    return true;
  }

  private boolean removeNamed(Listing listing) {
    boolean isDone = true;
    for (Path name : named) {
      List<Place> places = listing.places().stream().filter(place -> isNamed(place, name)).toList();
      if (places.isEmpty()) {
        isDone = false;
        keepUnknown(listing, name.toString());
      }
      for (Place place : places) {
        isDone &= removeNamed(place);
      }
    }
    return isDone;
  }

  private static boolean isNamed(Place place, Path name) {
    return place.name().equals(name.toString())
        || place.store().equals(name.toAbsolutePath().normalize())
        || place.store().equals(real(name));
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path;
    }
  }

  private void keepUnknown(Listing listing, String name) {
    Optional<Foreign> foreign =
        listing.foreign().stream().filter(each -> each.name().equals(name)).findFirst();
    String why =
        foreign.isPresent()
            ? foreign.get().why() + "; inspect it, and remove it by hand"
            : "nothing of it is in " + volatiles.directory();
    lines.add("left: " + PrintableText.of(name) + ": " + PrintableText.of(why));
    kept.add(Map.of("name", name, "why", why));
  }

  private boolean removeNamed(Place place) {
    if (place.state() == State.OPEN) {
      return keep(place, "it is in use by " + place.process());
    }
    boolean isNeeded = place.state() != State.ABANDONED || !place.isForced();
    if (isNeeded
        && !force
        && !question.test("remove " + place.name() + " of " + place.store() + "? " + cost(place))) {
      return keep(place, cost(place) + " Use --force to remove it");
    }
    return remove(place);
  }

  private static String cost(Place place) {
    String cost =
        place.isForced() ? "Its log has all that its rings have." : "But " + atRisk(place) + ".";
    return switch (place.state()) {
      case UNKNOWN -> "Its process cannot be seen from here and may use it. " + cost;
      case LEFT -> "The next opening of the store would take it. " + cost;
      case OPEN, ABANDONED -> cost;
    };
  }

  private static String atRisk(Place place) {
    return place.unforcedBytes().isPresent()
        ? Figures.bytes((double) place.unforcedBytes().getAsLong())
            + " of commits are in its rings alone"
        : "a commit was under way, or a ring is damaged, so that commits may need its rings";
  }

  private boolean remove(Place place) {
    Optional<String> why = VolatileDirectory.remove(volatiles.directory(), place);
    if (why.isPresent()) {
      return keep(place, why.get());
    }
    lines.add(
        "removed "
            + Figures.bytes((double) place.bytes())
            + " of "
            + PrintableText.of(place.store().toString()));
    removed.add(VolatileOption.json(place));
    return true;
  }

  private boolean keep(Place place, String why) {
    lines.add("left: " + PrintableText.of(place.store().toString()) + ": " + PrintableText.of(why));
    Map<String, Object> fields = VolatileOption.json(place);
    fields.put("why", why);
    kept.add(fields);
    return false;
  }
}
