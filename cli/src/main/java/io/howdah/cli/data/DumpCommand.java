package io.howdah.cli.data;

import io.howdah.Store;
import io.howdah.cli.terminal.Figures;
import io.howdah.cli.terminal.Screen;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah dump}. */
@Command(
    name = "dump",
    description = {
      "Writes a persistent map as a CSV, TSV or JSON lines file, in no particular order.",
      "A map that howdah load has filled is written as the table it came from; any other one with"
          + " the columns key and value. Nothing in the store is changed; nobody may have it open to"
          + " write."
    },
    mixinStandardHelpOptions = true)
public final class DumpCommand implements Callable<Integer> {

  private static final Pattern MAP_TYPE = Pattern.compile("map of (\\w+) to (\\w+)");
  private static final int BUFFER_CHARACTERS = 1 << 16;
  private static final int ROWS_PER_CHECK = 10_000;

  @Mixin private StoreOption store;

  @Parameters(index = "1", paramLabel = "MAP", description = "Name of the map.")
  private String map;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description =
          "${COMPLETION-CANDIDATES}; by the name of --out if not given, JSONL without one.")
  private @Nullable RowFormat format;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where to write; standard output if not given.")
  private @Nullable Path out;

  @Spec private CommandSpec spec;

  /** For the command line. */
  public DumpCommand() {}

  @Override
  public Integer call() throws Exception {
    try (Store open = store.openToRead()) {
      String type = open.read(open.admin()::collections).get(map);
      if (type == null) {
        throw new DataException(
            "the store has no \""
                + map
                + "\", but "
                + open.read(open.admin()::collections).keySet());
      }
      Matcher types = MAP_TYPE.matcher(type);
      ScalarType<?> keys = types.matches() ? ScalarType.named(types.group(1)) : null;
      ScalarType<?> values = types.matches() ? ScalarType.named(types.group(2)) : null;
      if (keys == null || values == null) {
        throw new DataException(
            "\"%s\" is a %s; only maps of %s can be written as text"
                .formatted(map, type, ScalarType.names()));
      }
      dump(dumper(open, keys, values));
    }
    return 0;
  }

  private <K, V> Dumper<K, V> dumper(Store open, ScalarType<K> keys, ScalarType<V> values) {
    MapShape shape =
        open.read(open.admin()::collections).containsKey(LoadBook.SHAPES)
            ? LoadBook.shape(open, map)
            : MapShape.UNKNOWN;
    return new Dumper<>(open, map, keys, values, shape);
  }

  private void dump(Dumper<?, ?> dumper) throws IOException {
    if (out == null) {
      dumpTo(spec.commandLine().getOut(), dumper);
      return;
    }
    if (Files.isDirectory(out)) {
      throw new DataException(out + " is a folder; name a file in it");
    }
    RowFormat named = RowFormat.of(out);
    RowFormat chosen = format != null ? format : named != null ? named : RowFormat.JSONL;
    Screen screen = Screen.of(spec.commandLine());
    // A device or a pipe is written to; a file is not replaced before the new one is complete.
    boolean isFile = !Files.exists(out) || Files.isRegularFile(out);
    Path target = isFile ? out.resolveSibling(out.getFileName() + ".part") : out;
    long rows;
    try {
      try (Writer file = new BufferedWriter(Files.newBufferedWriter(target), BUFFER_CHARACTERS)) {
        rows =
            dumper.dump(
                file, chosen, count -> screen.status("  " + Figures.count(count) + " rows"));
      }
      if (isFile) {
        Files.move(target, out, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException | UncheckedIOException e) {
      if (isFile) {
        Files.deleteIfExists(target);
      }
      throw new DataException(out + " cannot be written: " + reason(e), e);
    }
    screen.plainLine("  wrote %s rows to %s".formatted(Figures.count(rows), out));
  }

  private static String reason(Exception failure) {
    return switch (failure) {
      case UncheckedIOException e when e.getCause() != null -> reason(e.getCause());
      case NoSuchFileException e -> "there is no folder for " + e.getFile();
      case AccessDeniedException e -> "access to " + e.getFile() + " is denied";
      default -> String.valueOf(failure.getMessage());
    };
  }

  /** A writer to the standard output swallows its failures: it has to be asked. */
  private void dumpTo(PrintWriter console, Dumper<?, ?> dumper) {
    dumper.dump(
        console,
        format == null ? RowFormat.JSONL : format,
        count -> {
          if (count % ROWS_PER_CHECK == 0) {
            requireWritten(console, count);
          }
        });
    requireWritten(console, -1);
  }

  private static void requireWritten(PrintWriter console, long rows) {
    if (console.checkError()) {
      throw new DataException(
          "the standard output cannot be written"
              + (rows < 0 ? "" : " beyond row " + Figures.count(rows))
              + "; is it full, or was it closed?");
    }
  }
}
