package io.howdah.cli.data;

import io.howdah.cli.terminal.Screen;
import io.howdah.txn.Durability;
import io.howdah.txn.PersistentMap;
import io.howdah.txn.Store;
import io.howdah.txn.codec.Codec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah load}: records of a text file into a map of strings. */
@Command(
    name = "load",
    mixinStandardHelpOptions = true,
    description =
        "Loads records into a persistent map from their keys to their text. How far it has come is"
            + " part of each transaction, so after a kill the same command goes on where the last"
            + " one was, with no record twice.%n")
public final class LoadCommand implements Callable<Integer> {

  static final String PROGRESS = "howdah.load";
  private static final int BATCH = 500;

  @Parameters(index = "0", paramLabel = "STORE", description = "Folder of the store.")
  private Path folder;

  @Parameters(index = "1", paramLabel = "MAP", description = "Name of the map.")
  private String map;

  @Parameters(index = "2", paramLabel = "FILE", description = "What to load.")
  private Path file;

  @Option(
      names = "--format",
      defaultValue = "CSV",
      description = "One of ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private RecordFormat format;

  @Option(
      names = "--key",
      paramLabel = "FIELD",
      defaultValue = "1",
      description =
          "Which field is the key: its number from 1, or a member of JSON objects"
              + " (${DEFAULT-VALUE}).")
  private String key;

  @Option(names = "--header", description = "The first record names the fields: pass it over.")
  private boolean header;

  @Option(
      names = "--again",
      description = "Begin anew, even if this file was loaded before; keys keep their last record.")
  private boolean again;

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public LoadCommand() {}

  @Override
  public Integer call() throws IOException {
    if (!Files.isRegularFile(file)) {
      throw usage("there is no file " + file);
    }
    if (format != RecordFormat.JSONL && !key.matches("[1-9][0-9]{0,5}")) {
      throw usage("--key must be the number of a field, from 1: " + key);
    }
    Screen screen = Screen.of(spec.commandLine());
    try (Store store = Store.open(folder)) {
      PersistentMap<String, String> target = store.map(map, Codec.utf8(), Codec.utf8());
      PersistentMap<String, Long> progress = store.map(PROGRESS, Codec.utf8(), Codec.int64());
      String source = map + " " + file.toRealPath();
      long from = again ? 0 : store.read(tx -> progress.getOrDefault(tx, source, 0L));
      long size = Files.size(file);
      long records = 0;
      try (RecordReader reader = new RecordReader(file, format, from)) {
        if (from == 0 && header) {
          reader.next();
        }
        while (true) {
          Map<String, String> batch = batch(reader);
          if (batch.isEmpty()) {
            break;
          }
          store.run(
              Durability.ASYNC,
              tx -> {
                batch.forEach((k, v) -> target.put(tx, k, v));
                progress.put(tx, source, reader.position());
              });
          records += batch.size();
          screen.status(
              "  %,d records, %d %%"
                  .formatted(records, 100 * reader.position() / Math.max(1, size)));
        }
      }
      long count = store.read(Durability.SYNC, target::size);
      screen.line(
          "  %,d records loaded%s; the map has %,d entries"
              .formatted(records, from == 0 ? "" : " from byte " + from + " on", count));
    }
    return 0;
  }

  private Map<String, String> batch(RecordReader reader) throws IOException {
    Map<String, String> batch = new LinkedHashMap<>();
    while (batch.size() < BATCH) {
      String record = reader.next();
      if (record == null) {
        break;
      }
      batch.put(reader.key(record, key), record);
    }
    return batch;
  }

  private ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
