package io.howdah.cli.tables;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * {@code howdah load} with something wrong and no store: none is made, wherever in the first batch
 * the mistake is, in each format, and whether the directory is absent or empty. Without the mistake
 * the same rows are loaded.
 */
final class LoadIntoNewStoreTest {

  private static final int ROWS = 5;

  @TempDir private Path folder;

  /** What is wrong. */
  enum Mistake {
    KEY_OF_ANOTHER_TYPE("\"k\""),
    VALUE_OF_ANOTHER_TYPE("\"v\""),
    ROW_THAT_IS_CUT(""),
    NO_SUCH_KEY("no column \"none\"", "--key", "none"),
    NO_SUCH_VALUE("no column \"none\"", "--value", "none"),
    NO_SUCH_KEY_TYPE("there is no type \"int65\"", "--key-type", "int65"),
    NO_SUCH_VALUE_TYPE("there is no type \"int65\"", "--value-type", "int65"),
    TIME_TO_LIVE("do not expire", "--ttl", "30m"),
    EXPIRES("do not expire", "--expires", "v");

    private final String message;
    private final String options;

    Mistake(String message, String... options) {
      this.message = message;
      this.options = String.join(" ", options);
    }

    boolean isInARow() {
      return options.isEmpty();
    }

    /** Returns a row with the mistake. */
    String row(RowFormat format, int i) {
      return switch (this) {
        case KEY_OF_ANOTHER_TYPE -> LoadIntoNewStoreTest.row(format, "x" + i, "1.5");
        case VALUE_OF_ANOTHER_TYPE -> LoadIntoNewStoreTest.row(format, "" + i, "x");
        case ROW_THAT_IS_CUT -> format == RowFormat.JSONL ? "{\"k\":" : "" + i;
        default -> LoadIntoNewStoreTest.row(format, "" + i, "1.5");
      };
    }
  }

  private static String row(RowFormat format, String key, String value) {
    return switch (format) {
      case JSONL -> "{\"k\":\"%s\",\"v\":\"%s\"}".formatted(key, value);
      case CSV -> key + "," + value;
      case TSV -> key + "\t" + value;
    };
  }

  static List<Arguments> mistakes() {
    List<Arguments> all = new ArrayList<>();
    for (RowFormat format : RowFormat.values()) {
      for (Mistake mistake : Mistake.values()) {
        for (int row = 0; row < (mistake.isInARow() ? ROWS : 1); row += 2) {
          all.add(Arguments.of(format, mistake, row));
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void noStoreIsMade(RowFormat format, Mistake mistake, int wrong) throws IOException {
    Path store = folder.resolve("store");
    List<String> arguments = new ArrayList<>();
    for (String option :
        List.of("--key-type", "int64", "--value", "v", "--value-type", "float64")) {
      arguments.add(option);
    }
    if (!mistake.isInARow()) {
      List<String> option = List.of(mistake.options.split(" ", 2));
      int given = arguments.indexOf(option.getFirst());
      if (given >= 0) {
        arguments.set(given + 1, option.getLast());
      } else {
        arguments.addAll(option);
      }
    }
    Path bad = rows("bad", format, mistake, wrong);
    for (boolean isEmpty : new boolean[] {false, true}) {
      if (isEmpty) {
        Files.createDirectory(store);
      }
      for (boolean isSorted : new boolean[] {false, true}) {
        List<String> all = new ArrayList<>(arguments);
        if (isSorted) {
          all.add("--sorted");
        }
        String out = load(store, bad, all, false);
        assertThat(out).contains(mistake.message);
        if (isEmpty) {
          assertThat(store).isEmptyDirectory();
        } else {
          assertThat(store).doesNotExist();
        }
      }
    }
    List<String> right = List.of("--key-type", "int64", "--value", "v", "--value-type", "float64");
    Path good = rows("good", format, mistake, -1);
    assertThat(load(store, good, right, true)).contains("has " + ROWS + " entries");
  }

  private Path rows(String name, RowFormat format, Mistake mistake, int wrong) throws IOException {
    List<String> lines = new ArrayList<>();
    if (format != RowFormat.JSONL) {
      lines.add(row(format, "k", "v"));
    }
    for (int i = 0; i < ROWS; i++) {
      lines.add(i == wrong ? mistake.row(format, i) : row(format, "" + i, "1.5"));
    }
    return Files.write(folder.resolve(name + "." + format.name().toLowerCase(Locale.ROOT)), lines);
  }

  private static String load(Path store, Path file, List<String> options, boolean isRight) {
    List<String> arguments = new ArrayList<>(List.of(store.toString(), "m", file.toString()));
    arguments.addAll(options);
    StringWriter out = new StringWriter();
    int exit =
        new CommandLine(new LoadCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .setExecutionExceptionHandler(
                (failure, line, _) -> {
                  line.getErr().println(failure.getMessage());
                  return 1;
                })
            .execute(arguments.toArray(String[]::new));
    assertThat(exit == 0).as("%s", out).isEqualTo(isRight);
    return out.toString();
  }
}
