package io.howdah.cli.data;

import io.howdah.txn.Durability;
import io.howdah.txn.PersistentMap;
import io.howdah.txn.Store;
import io.howdah.txn.codec.Codec;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah dump}: what {@link LoadCommand} has loaded, as text again. */
@Command(
    name = "dump",
    mixinStandardHelpOptions = true,
    description =
        "Writes the records of a map that was loaded, one a line, in no particular order, all from"
            + " one state of the store.%n")
public final class DumpCommand implements Callable<Integer> {

  @Parameters(index = "0", paramLabel = "STORE", description = "Folder of the store.")
  private Path folder;

  @Parameters(index = "1", paramLabel = "MAP", description = "Name of the map.")
  private String map;

  @Option(names = "--to", paramLabel = "FILE", description = "Where to; without it, stdout.")
  private @Nullable Path to;

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public DumpCommand() {}

  @Override
  public Integer call() throws IOException {
    try (Store store = Store.open(StoreFolder.require(folder, spec))) {
      PersistentMap<String, String> source = store.map(map, Codec.utf8(), Codec.utf8());
      if (to == null) {
        PrintWriter out = spec.commandLine().getOut();
        dump(store, source, out);
        out.flush();
        return 0;
      }
      try (BufferedWriter writer = Files.newBufferedWriter(to)) {
        dump(store, source, writer);
      }
    }
    return 0;
  }

  private static void dump(Store store, PersistentMap<String, String> source, Appendable out) {
    store.read(
        Durability.ASYNC,
        tx -> {
          long[] count = new long[1];
          source
              .values(tx)
              .forEach(
                  record -> {
                    try {
                      out.append(record).append('\n');
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                    count[0]++;
                  });
          return count[0];
        });
  }
}
