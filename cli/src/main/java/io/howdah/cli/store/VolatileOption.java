package io.howdah.cli.store;

import io.howdah.core.storage.file.FileStorageOptions;
import io.howdah.core.storage.file.VolatileDirectory.Foreign;
import io.howdah.core.storage.file.VolatileDirectory.OwnerState;
import io.howdah.core.storage.file.VolatileDirectory.Place;
import io.howdah.core.storage.file.VolatileDirectory.State;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the commands on volatile places have in common. */
final class VolatileOption {

  @Option(
      names = "--tmpfs",
      paramLabel = "DIR",
      description = "Directory to search (/dev/shm, where all stores have their places).")
  private @Nullable Path directory;

  VolatileOption() {}

  /** Returns the tmpfs. */
  Path directory() {
    Path given = directory;
    return given == null ? FileStorageOptions.DEFAULT.volatileDirectory() : given;
  }

  /** Returns a place as JSON has it. */
  static Map<String, Object> json(Place place) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", place.name());
    fields.put("store", place.store().toString());
    fields.put("state", name(place.state()));
    fields.put("process", place.process());
    fields.put("owner", place.owner().pid());
    fields.put("ownerState", name(place.owner().state()));
    fields.put("bytes", place.bytes());
    fields.put("since", place.since().toString());
    place.unforcedBytes().ifPresent(bytes -> fields.put("unforcedBytes", bytes));
    return fields;
  }

  /** Returns what is left alone as JSON has it. */
  static Map<String, Object> json(Foreign foreign) {
    return Map.of("name", foreign.name(), "why", foreign.why());
  }

  /** Returns a state in one word. */
  static String name(State state) {
    return switch (state) {
      case OPEN -> "open";
      case UNKNOWN -> "unknown";
      case LEFT -> "left";
      case ABANDONED -> "abandoned";
    };
  }

  /** Returns the number of a place's process, and whether it runs. */
  static String owner(Place place) {
    return place.owner().pid() + " " + name(place.owner().state());
  }

  private static String name(OwnerState state) {
    return switch (state) {
      case RUNS -> "runs";
      case ENDED -> "ended";
      case UNKNOWN -> "unseen";
    };
  }

  /** Returns how long ago something was, in its largest unit. */
  static String age(Instant since, Instant now) {
    Duration age = Duration.between(since, now);
    if (age.toDays() > 0) {
      return age.toDays() + " d";
    }
    if (age.toHours() > 0) {
      return age.toHours() + " h";
    }
    return age.toMinutes() > 0 ? age.toMinutes() + " min" : Math.max(0, age.toSeconds()) + " s";
  }
}
