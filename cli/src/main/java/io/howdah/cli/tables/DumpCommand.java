package io.howdah.cli.tables;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.catalogue.StructureType;
import io.howdah.cli.command.OutputFile;
import io.howdah.cli.command.StoreOption;
import io.howdah.cli.json.JsonOption;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.OutputException;
import io.howdah.cli.terminal.Screen;
import io.howdah.cli.value.DescribedCodec;
import io.howdah.cli.value.JsonValue;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentMultimap;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.Tx;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah dump}. */
@Command(
    name = "dump",
    description = {
      "Writes a map, sorted map, multimap, set, list or queue as a CSV, TSV or JSON lines file;"
          + " maps and sets in no particular order.",
      "An expiring map has the column expires, too: when an entry does, empty for never.",
      "A map that howdah load has filled is written as the table it came from; any other one with"
          + " the columns key and value, and elements with the column value. Records, lists and the"
          + " like are JSON in their column. Nothing in the store is changed; no process may have it open for writing."
    },
    mixinStandardHelpOptions = true)
public final class DumpCommand implements Callable<Integer> {

  private static final int BUFFER_CHARACTERS = 1 << 16;
  private static final int ROWS_PER_CHECK = 10_000;

  @Mixin private StoreOption store;

  @Parameters(index = "1", paramLabel = "NAME", description = "Name of the structure.")
  private String name;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "${COMPLETION-CANDIDATES}; by the name of --out if not given, JSONL without one.")
  private @Nullable RowFormat format;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where to write; standard output if not given, or -.")
  private @Nullable Path out;

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public DumpCommand() {}

  @Override
  public Integer call() throws Exception {
    if (out != null && out.toString().equals("-")) {
      out = null;
    }
    if (out == null && !json.isTextWanted()) {
      throw new ParameterException(
          spec.commandLine(),
          "the rows and the result cannot both go to the standard output; name a file with --out");
    }
    String problem = out == null ? null : OutputFile.problem(out);
    if (problem != null) {
      throw new ParameterException(spec.commandLine(), "--out " + out + ": " + problem);
    }
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("name", name);
    try (StoreOption.Opened opened = store.openToRead()) {
      Store open = opened.store();
      result.put("rows", dump(dumper(open, StructureType.of(open, name))));
    }
    if (out != null) {
      result.put("file", out.toString());
    }
    json.write(result);
    return 0;
  }

  private Dumper<?, ?> dumper(Store open, StructureType type) {
    DescribedCodec first = type.first();
    return switch (type.kind()) {
      case MAP -> ofMap(open, type, scalar(first), scalar(type.second()));
      case SORTED_MAP -> {
        PersistentSortedMap<JsonValue, JsonValue> map = type.sortedMap(open, name);
        if (type.isExpiring()) {
          yield new Dumper<>(
              open,
              name,
              tx -> map.entries(tx).iterator(),
              ScalarType.described(first),
              ScalarType.described(type.second()),
              MapShape.UNKNOWN,
              map.expiry()::expiresAt);
        }
        yield described(open, type, tx -> map.entries(tx).iterator());
      }
      case MULTIMAP -> {
        PersistentMultimap<JsonValue, JsonValue> map = open.multimap(name, first, type.second());
        yield described(open, type, tx -> map.entries(tx).iterator());
      }
      case SET -> {
        PersistentSet<JsonValue> set = type.set(open, name);
        yield elements(
            open, first, set::iterator, type.isExpiring() ? set.expiry()::expiresAt : null);
      }
      case LIST -> elements(open, first, open.list(name, first)::iterator, null);
      case QUEUE ->
          elements(open, first, tx -> open.queue(name, first).stream(tx).iterator(), null);
      case COUNTER, BLOB ->
          throw new DataException(
              "\"%s\" is a %s, which has no rows; howdah get shows what it holds"
                  .formatted(name, type.kind().title()));
    };
  }

  private Dumper<JsonValue, JsonValue> described(
      Store open,
      StructureType type,
      Function<Tx, Iterator<Map.Entry<JsonValue, JsonValue>>> rows) {
    return new Dumper<>(
        open,
        name,
        rows,
        ScalarType.described(type.first()),
        ScalarType.described(type.second()),
        shape(open));
  }

  private static ScalarType<?> scalar(DescribedCodec codec) {
    ScalarType<?> known = ScalarType.named(codec.name());
    return known != null ? known : ScalarType.described(codec);
  }

  private <K, V> Dumper<K, V> ofMap(
      Store open, StructureType type, ScalarType<K> keys, ScalarType<V> values) {
    PersistentMap<K, V> map = type.map(open, name, keys.codec(), values.codec());
    if (type.isExpiring()) {
      return new Dumper<>(
          open, name, map::iterator, keys, values, MapShape.UNKNOWN, map.expiry()::expiresAt);
    }
    return new Dumper<>(open, name, map::iterator, keys, values, shape(open));
  }

  private MapShape shape(Store open) {
    return open.read(open.admin()::collections).containsKey(LoadBook.SHAPES)
        ? LoadBook.shape(open, name)
        : MapShape.UNKNOWN;
  }

  private Dumper<JsonValue, JsonValue> elements(
      Store open,
      DescribedCodec codec,
      Function<Tx, Iterator<JsonValue>> elements,
      @Nullable BiFunction<Tx, JsonValue, @Nullable Instant> times) {
    ScalarType<JsonValue> type = ScalarType.described(codec);
    return new Dumper<>(
        open, name, tx -> new Pairs(elements.apply(tx)), type, type, MapShape.ELEMENTS, times);
  }

  /** Elements as entries. */
  private record Pairs(Iterator<JsonValue> elements)
      implements Iterator<Map.Entry<JsonValue, JsonValue>> {

    @Override
    public boolean hasNext() {
      return elements.hasNext();
    }

    @Override
    public Map.Entry<JsonValue, JsonValue> next() {
      JsonValue element = elements.next();
      return Map.entry(element, element);
    }
  }

  private long dump(Dumper<?, ?> dumper) throws IOException {
    if (out == null) {
      return dumpTo(spec.commandLine().getOut(), dumper);
    }
    if (Files.isDirectory(out)) {
      throw new DataException(out + " is a folder; name a file in it");
    }
    RowFormat named = RowFormat.of(out);
    RowFormat chosen = format != null ? format : named != null ? named : RowFormat.JSONL;
    Screen screen = Screen.of(spec.commandLine());
    long[] rows = new long[1];
    try {
      OutputFile.write(
          out,
          false,
          target -> {
            try (Writer file =
                new BufferedWriter(
                    Files.newBufferedWriter(target, StandardOpenOption.WRITE), BUFFER_CHARACTERS)) {
              rows[0] =
                  dumper.dump(
                      file, chosen, count -> screen.status("  " + Figures.count(count) + " rows"));
            }
          });
    } catch (IOException | UncheckedIOException e) {
      throw new DataException(out + " cannot be written: " + reason(e), e);
    }
    if (json.isTextWanted()) {
      screen.plainLine("  wrote %s rows to %s".formatted(Figures.count(rows[0]), out));
    }
    return rows[0];
  }

  private static String reason(Exception failure) {
    return switch (failure) {
      case UncheckedIOException e when e.getCause() != null -> reason(e.getCause());
      case NoSuchFileException _ -> "there is no folder for it";
      case AccessDeniedException e -> "access to " + e.getFile() + " is denied";
      default -> String.valueOf(failure.getMessage());
    };
  }

  /** A PrintWriter swallows its failures: it has to be asked. */
  private long dumpTo(PrintWriter console, Dumper<?, ?> dumper) {
    long rows =
        dumper.dump(
            console,
            format == null ? RowFormat.JSONL : format,
            count -> {
              if (count % ROWS_PER_CHECK == 0) {
                requireWritten(console, count);
              }
            });
    requireWritten(console, -1);
    return rows;
  }

  private static void requireWritten(PrintWriter console, long rows) {
    if (console.checkError()) {
      throw new OutputException(
          "the standard output cannot be written"
              + (rows < 0 ? "" : " beyond row " + Figures.count(rows))
              + "; is it full, or was it closed?");
    }
  }
}
