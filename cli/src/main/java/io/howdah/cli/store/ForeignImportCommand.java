package io.howdah.cli.store;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.command.ExtraLibraries;
import io.howdah.cli.command.MaxSizeOption;
import io.howdah.cli.command.StoreFolder;
import io.howdah.cli.imports.ForeignMap;
import io.howdah.cli.imports.ForeignOptions;
import io.howdah.cli.imports.ForeignStore;
import io.howdah.cli.imports.ForeignStores;
import io.howdah.cli.imports.ImportType;
import io.howdah.cli.imports.MapImport;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.PrintableText;
import io.howdah.cli.terminal.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah import KIND}: copies maps of another embedded store. */
@Command(mixinStandardHelpOptions = true)
abstract class ForeignImportCommand extends StoreCommand {

  private static final int MAX_BATCH = 100_000;

  private final String kind;

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "The other store: a file of MVStore or MapDB, a directory of RocksDB or Xodus.")
  private Path place;

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "The store's directory, or one to create.")
  private Path target;

  @Option(
      names = "--map",
      paramLabel = "NAME",
      description = "Copy this map alone; may be repeated. All if not given.")
  private List<String> maps = List.of();

  @Option(
      names = "--keys",
      paramLabel = "TYPE",
      description =
          "Type of the keys, where the other store does not tell it: bytes, utf8, int64, int32"
              + " and others.")
  private @Nullable String keys;

  @Option(names = "--values", paramLabel = "TYPE", description = "Likewise, type of the values.")
  private @Nullable String values;

  @Option(
      names = "--raw",
      description =
          "Keep objects of Java, which only a program can read, as the bytes that are stored.")
  private boolean raw;

  @Option(
      names = "--resume",
      description =
          "Continue an import that was cut off, or add maps to a store that holds others.")
  private boolean resume;

  @Option(
      names = "--batch",
      paramLabel = "ENTRIES",
      defaultValue = "200",
      description =
          "Most entries of one transaction, which are in memory at once (${DEFAULT-VALUE}).")
  private int batch;

  @Mixin private MaxSizeOption maxSize;

  @Spec private CommandSpec spec;

  private ForeignImportCommand(String kind) {
    this.kind = kind;
  }

  /** {@code howdah import mvstore}. */
  @Command(
      name = "mvstore",
      description = {
        "Copies the maps of a file of H2's MVStore.",
        "Each becomes a sorted map of its name. The types are those of the entries; name them for maps that were opened with a data type of their own.%n"
      })
  public static final class OfMvStore extends ForeignImportCommand {
    /** Creates it, for the command line. */
    public OfMvStore() {
      super("mvstore");
    }
  }

  /** {@code howdah import mapdb}. */
  @Command(
      name = "mapdb",
      description = {
        "Copies the maps of a file of MapDB 3.",
        "A BTreeMap becomes a sorted map, an HTreeMap a map. The types are those of the serializers that the file names.%n"
      })
  public static final class OfMapDb extends ForeignImportCommand {
    /** Creates it, for the command line. */
    public OfMapDb() {
      super("mapdb");
    }
  }

  /** {@code howdah import rocksdb}. */
  @Command(
      name = "rocksdb",
      description = {
        "Copies the column families of a directory of RocksDB.",
        "Each becomes a sorted map of its name, of bytes if no other types are given.%n"
      })
  public static final class OfRocksDb extends ForeignImportCommand {
    /** Creates it, for the command line. */
    public OfRocksDb() {
      super("rocksdb");
    }
  }

  /** {@code howdah import xodus}. */
  @Command(
      name = "xodus",
      description = {
        "Copies the stores of an environment of JetBrains Xodus.",
        "Each becomes a sorted map of its name, of bytes if no other types are given, which are those of the bindings.%n"
      })
  public static final class OfXodus extends ForeignImportCommand {
    /** Creates it, for the command line. */
    public OfXodus() {
      super("xodus");
    }
  }

  @Override
  public final Integer call() throws IOException {
    if (batch < 1 || batch > MAX_BATCH) {
      throw usage("--batch must be at least 1 and at most " + MAX_BATCH + ": " + batch);
    }
    ForeignOptions options =
        new ForeignOptions(type("--keys", keys), type("--values", values), raw);
    ForeignStores library = library();
    requirePlace(library);
    StoreFolder.requireNoBackup(target);
    long started = System.nanoTime();
    try (ForeignStore source = library.open(place, options)) {
      // All of them before a store is made.
      List<ForeignMap<?, ?>> chosen = chosen(source);
      try (Store store = Store.open(target, maxSize.options())) {
        String name = kind + " " + place.toAbsolutePath().normalize().getFileName();
        List<MapImport.Copied> copied =
            new MapImport(store, name, batch, watcher()).run(chosen, resume);
        return report(lines(copied, (System.nanoTime() - started) / 1e9), result(copied));
      }
    }
  }

  private @Nullable ImportType<?> type(String option, @Nullable String name) {
    if (name == null) {
      return null;
    }
    ImportType<?> type = ImportType.named(name);
    if (type == null) {
      throw usage(option + ": there is no type \"" + name + "\"; there are " + ImportType.names());
    }
    return type;
  }

  private ForeignStores library() {
    ExtraLibraries.use(ExtraLibraries.IMPORT);
    for (ForeignStores each : ServiceLoader.load(ForeignStores.class)) {
      if (each.kind().equals(kind)) {
        return each;
      }
    }
    throw new DataException(
        "this command has no library that reads stores of the kind "
            + kind
            + "; it takes its jars from the folder lib/import, which howdah-import-VERSION.tar.gz has");
  }

  private void requirePlace(ForeignStores library) {
    if (library.isDirectory()) {
      requireOutside(existing(place), target);
    } else if (Files.isDirectory(place)) {
      throw usage(place + " is a directory; a store of the kind " + kind + " is a file");
    } else if (!Files.isReadable(place)) {
      throw usage((Files.exists(place) ? "cannot read " : "there is no ") + place);
    }
  }

  private List<ForeignMap<?, ?>> chosen(ForeignStore source) {
    List<String> names = source.names();
    for (String map : maps) {
      if (!names.contains(map)) {
        throw usage(
            "--map: " + place + " has no map \"" + PrintableText.of(map) + "\"; it has " + names);
      }
    }
    Set<String> wanted = maps.isEmpty() ? new LinkedHashSet<>(names) : new LinkedHashSet<>(maps);
    if (wanted.isEmpty()) {
      throw new DataException(place + " has no map");
    }
    List<ForeignMap<?, ?>> chosen = new ArrayList<>();
    for (String name : wanted) {
      try {
        chosen.add(source.map(name));
      } catch (DataException e) {
        throw maps.isEmpty() && names.size() > 1
            ? new DataException(e.getMessage() + "; --map NAME copies others alone", e)
            : e;
      }
    }
    return chosen;
  }

  private BiConsumer<ForeignMap<?, ?>, Long> watcher() {
    Screen screen = Screen.of(spec.commandLine());
    return (map, entries) -> {
      String work = PrintableText.of(map.name()) + ": " + Figures.count(entries) + " entries";
      long size = map.size();
      if (size > 0) {
        screen.status(work, Math.min(1, (double) entries / size));
      } else {
        screen.status("  " + work);
      }
    };
  }

  private static List<String> lines(List<MapImport.Copied> copied, double seconds) {
    List<String> lines = new ArrayList<>();
    long entries = 0;
    for (MapImport.Copied map : copied) {
      lines.add(
          "  %s: %s entries, sum %016x, the same in both%s"
              .formatted(
                  PrintableText.of(map.map()),
                  Figures.count(map.entries()),
                  map.sum(),
                  map.before() == 0
                      ? ""
                      : "; " + Figures.count(map.before()) + " of them were there already"));
      entries += map.entries() - map.before();
    }
    lines.add("  imported %s entries in %.2f s".formatted(Figures.count(entries), seconds));
    return lines;
  }

  private Map<String, Object> result(List<MapImport.Copied> copied) {
    List<Map<String, Object>> each = new ArrayList<>();
    for (MapImport.Copied map : copied) {
      Map<String, Object> figures = new LinkedHashMap<>();
      figures.put("map", map.map());
      figures.put("before", map.before());
      figures.put("entries", map.entries());
      figures.put("sum", "%016x".formatted(map.sum()));
      each.add(figures);
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("kind", kind);
    result.put("maps", each);
    return result;
  }
}
