package io.howdah.cli.tables;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.catalogue.StructureType;
import io.howdah.cli.command.MaxSizeOption;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.command.TimeToLive;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.value.JsonValue;
import io.howdah.collections.EntryExpiry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah load}. */
@Command(
    name = "load",
    description = {
      "Puts the rows of a CSV, TSV or JSON lines file into a persistent map.",
      "A row's key is one of its columns. Its value is another one (--value), or a JSON object"
          + " with all the others. If it is killed at any moment, the same command continues where it stopped;"
          + " rows that were added to a file that is loaded are loaded by the same command, too."
    },
    mixinStandardHelpOptions = true)
public final class LoadCommand implements Callable<Integer> {

  private static final int MAX_BATCH = 100_000;
  private static final int MAX_NAME = 255;

  @Mixin private StoreOption store;

  @Parameters(index = "1", paramLabel = "MAP", description = "Name of the map.")
  private String map;

  @Parameters(
      index = "2",
      paramLabel = "FILE",
      description =
          "What to load, unpacked if it ends in .gz; - for the standard input. The same command continues an input whose end it has not reached; otherwise it begins with the next input.")
  private Path file;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; by the file's name if not given.")
  private @Nullable RowFormat format;

  @Option(
      names = "--key",
      paramLabel = "COLUMN",
      defaultValue = "",
      description = "Column of the keys; the first one if not given.")
  private String key;

  @Option(
      names = "--key-type",
      paramLabel = "TYPE",
      defaultValue = "utf8",
      description =
          "utf8, int64, int32, float64 or bool (${DEFAULT-VALUE}). A map that is there already"
              + " keeps its types, which may be any.")
  private String keyType;

  @Option(
      names = "--value",
      paramLabel = "COLUMN",
      defaultValue = "",
      description = "Column of the values; all but the key's, as a JSON object, if not given.")
  private String value;

  @Option(
      names = "--value-type",
      paramLabel = "TYPE",
      defaultValue = "utf8",
      description = "Like --key-type (${DEFAULT-VALUE}).")
  private String valueType;

  @Option(
      names = "--sorted",
      description =
          "Make a sorted map, if there is no map of that name. Rows in the order of their keys are"
              + " loaded fastest into it.")
  private boolean sorted;

  @Option(
      names = "--columns",
      paramLabel = "NAME",
      split = ",",
      description = "Names of the columns, for a table whose first row does not name them.")
  private List<String> columns = List.of();

  @Option(
      names = "--batch",
      paramLabel = "ROWS",
      defaultValue = "1000",
      description = "Rows of one transaction (${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = "--ttl",
      paramLabel = "DURATION",
      description =
          "How long entries of an expiring map live: 500ms, 90s, 30m, 8h, 2d, PT1H30M or forever.")
  private @Nullable String timeToLive;

  @Option(
      names = "--expires",
      paramLabel = "COLUMN",
      defaultValue = "",
      description =
          "Column that says when an entry of an expiring map expires, as howdah dump writes it:"
              + " 2026-01-31T12:00:00Z, or empty for never. What has expired is not there.")
  private String expires;

  @Option(names = "--restart", description = "Load the file from its beginning in any case.")
  private boolean restart;

  @Mixin private MaxSizeOption maxSize;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public LoadCommand() {}

  @Override
  public Integer call() throws Exception {
    MetricsRun metrics = MetricsRun.start("load");
    Screen screen = Screen.of(spec.commandLine());
    LoadPlan plan = plan();
    long started = System.nanoTime();
    Loader.Result result;
    try (ByteInput in = plan.open()) {
      if (store.isAbsent()) {
        requireNoTimes(); // a new map is none whose entries expire
        Loader.check(plan, type(keyType), type(valueType), in);
      }
      try (StoreOption.Opened open = store.openOrCreate(maxSize)) {
        result = loader(open.store(), plan, watcher(screen, started)).load(in);
      }
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    LoadProgress before = result.before();
    long added = result.after().rows() - before.rows();
    if (before.rows() > 0) {
      screen.plainLine("  continued behind row " + Figures.count(before.rows()));
    }
    screen.plainLine(
        "  loaded %s rows in %.2f s, %s/s; map \"%s\" has %s entries"
            .formatted(
                Figures.count(added),
                seconds,
                Figures.rate(added / seconds),
                map,
                Figures.count(result.entries())));
    if (before.rows() > 0 && added == 0) {
      screen.plainLine("  nothing new in " + file + "; --restart loads it again");
    } else if (added == 0) {
      screen.plainLine("  " + file + " has no row");
    }
    if (result.after().replaced() > 0) {
      screen.plainLine(
          "  of the file's %s rows %s %s"
              .formatted(
                  Figures.count(result.after().rows()),
                  Figures.count(result.after().replaced()),
                  result.repeated()));
    }
    metrics.add(Metric.single("load.rows", "count", (double) added, Map.of()));
    metrics.add(
        Metric.single(
            "load.replaced",
            "count",
            (double) result.after().replaced() - before.replaced(),
            Map.of()));
    metrics.add(Metric.single("load.rowsPerSec", "1/s", added / seconds, Map.of()));
    json.write(metrics);
    return metrics.exitCode();
  }

  /** A map that is there is loaded with its own codecs; else a map of the types that were named. */
  private Loader<?, ?> loader(
      Store open, LoadPlan plan, BiConsumer<LoadProgress, LoadProgress> watcher) {
    String stored = open.read(open.admin()::collections).get(map);
    if (stored == null) {
      requireNoTimes();
      return ofTypes(open, plan, type(keyType), type(valueType), sorted, watcher);
    }
    StructureType type = StructureType.parse(map, stored, open.admin()::properties);
    boolean isSorted = type.kind() == StructureType.Kind.SORTED_MAP;
    if (sorted && !isSorted) {
      throw usage("\"%s\" is there already, and is a %s".formatted(map, stored));
    }
    if (areTypesNamed()) {
      requireNoTimes();
      return ofTypes(open, plan, type(keyType), type(valueType), isSorted, watcher);
    }
    if (type.isOfProgram()) {
      throw new DataException(
          "\"%s\" has indexes or is a cache, which only its program can change;".formatted(map)
              + " load the rows into another map, from which the program puts them");
    }
    if (type.isExpiring()) {
      return ofExpiring(open, plan, type, watcher);
    }
    requireNoTimes();
    ScalarType<?> keys = ScalarType.named(type.first().name());
    ScalarType<?> values = ScalarType.named(type.second().name());
    boolean isMap = isSorted || type.kind() == StructureType.Kind.MAP;
    if (isMap && keys != null && values != null) {
      return ofTypes(open, plan, keys, values, isSorted, watcher);
    }
    Supplier<LoadTarget<JsonValue, JsonValue>> opening =
        switch (type.kind()) {
          case MAP, SORTED_MAP -> () -> LoadTarget.of(type.keyed(open, map));
          case MULTIMAP -> () -> LoadTarget.of(open.multimap(map, type.first(), type.second()));
          default -> throw new DataException("\"%s\" is a %s, no map".formatted(map, stored));
        };
    return new Loader<>(
        open,
        plan,
        ScalarType.described(type.first()),
        ScalarType.described(type.second()),
        opening,
        watcher);
  }

  private Loader<?, ?> ofExpiring(
      Store open,
      LoadPlan plan,
      StructureType type,
      BiConsumer<LoadProgress, LoadProgress> watcher) {
    if ((timeToLive == null) == expires.isEmpty()) {
      throw usage(
          "\""
              + map
              + "\" is an expiring map: say how long the entries live, as with --ttl 30m or --ttl"
              + " forever, or name the column that says when each expires, as with --expires"
              + " expires; one of the two");
    }
    Duration duration = timeToLive == null ? EntryExpiry.FOREVER : TimeToLive.parse(timeToLive);
    if (duration == null) {
      throw usage(
          "--ttl is more than 0 and such as 500ms, 90s, 30m, 8h, 2d, PT1H30M or forever: "
              + timeToLive);
    }
    return new Loader<>(
        open,
        plan,
        ScalarType.described(type.first()),
        ScalarType.described(type.second()),
        () -> LoadTarget.of(type.keyed(open, map).expiry(), duration),
        watcher);
  }

  private void requireNoTimes() {
    if (timeToLive != null || !expires.isEmpty()) {
      throw usage(
          "entries of \""
              + map
              + "\" do not expire; --ttl and --expires are for expiring maps, which a program"
              + " makes");
    }
  }

  private boolean areTypesNamed() {
    return spec.commandLine().getParseResult().hasMatchedOption("--key-type")
        || spec.commandLine().getParseResult().hasMatchedOption("--value-type");
  }

  private static <K, V> Loader<K, V> ofTypes(
      Store open,
      LoadPlan plan,
      ScalarType<K> keys,
      ScalarType<V> values,
      boolean isSorted,
      BiConsumer<LoadProgress, LoadProgress> watcher) {
    return new Loader<>(
        open, plan, keys, values, () -> target(open, plan, keys, values, isSorted), watcher);
  }

  private static <K, V> LoadTarget<K, V> target(
      Store open, LoadPlan plan, ScalarType<K> keys, ScalarType<V> values, boolean isSorted) {
    return LoadTarget.of(
        isSorted
            ? open.sortedMap(plan.map(), keys.ordered(), values.codec())
            : open.map(plan.map(), keys.codec(), values.codec()));
  }

  private LoadPlan plan() {
    RowFormat chosen = format != null ? format : RowFormat.of(file);
    if (chosen == null) {
      throw usage("the name of " + file + " does not tell its format; give --format");
    }
    if (batch < 1 || batch > MAX_BATCH) {
      throw usage("--batch must be at least 1 and at most " + MAX_BATCH + ": " + batch);
    }
    if (map.isEmpty() || map.length() > MAX_NAME) {
      throw usage("MAP is a name of 1 to " + MAX_NAME + " characters, not of " + map.length());
    }
    LoadPlan plan = new LoadPlan(file, chosen, map, key, value, expires, columns, batch, restart);
    if (plan.isStandardInput() && store.isShared()) {
      throw usage(
          file + " is the standard input, from which the shell reads commands; name another file");
    }
    if (!plan.isStandardInput() && Files.isDirectory(file)) {
      throw usage(file + " is a folder; name a file in it");
    }
    if (!plan.isStandardInput() && !Files.isReadable(file)) {
      throw usage((Files.exists(file) ? "cannot read " : "there is no ") + file);
    }
    if (chosen == RowFormat.JSONL && !columns.isEmpty()) {
      throw usage("--columns is for tables; each JSON object names its own");
    }
    if (value.isEmpty() && !expires.isEmpty()) {
      throw usage("--expires needs --value; without it, values are objects of all other columns");
    }
    if (value.isEmpty() && !valueType.equals(ScalarType.UTF8.name())) {
      throw usage("--value-type needs --value; without it, values are JSON objects");
    }
    return plan;
  }

  private ScalarType<?> type(String name) {
    ScalarType<?> type = ScalarType.named(name);
    if (type == null) {
      throw usage("there is no type \"" + name + "\"; there are " + ScalarType.names());
    }
    return type;
  }

  private BiConsumer<LoadProgress, LoadProgress> watcher(Screen screen, long started)
      throws IOException {
    boolean isPlain = Files.isRegularFile(file) && !file.toString().endsWith(".gz");
    long length = isPlain ? Files.size(file) : 0;
    return (before, reached) -> {
      double seconds = (System.nanoTime() - started) / 1e9;
      String rate = Figures.rate((reached.rows() - before.rows()) / seconds);
      String work = "%s rows, %s/s".formatted(Figures.count(reached.rows()), rate);
      if (length > 0) {
        screen.status(work, (double) reached.position() / length);
      } else {
        screen.status("  " + work);
      }
    };
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
