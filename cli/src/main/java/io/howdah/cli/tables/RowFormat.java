package io.howdah.cli.tables;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How rows are written in a file. */
public enum RowFormat {
  /** Fields between commas, in quotes where they need it. */
  CSV,

  /** Fields between tabs. */
  TSV,

  /** One JSON object in each line. */
  JSONL;

  private List<String> endings() {
    return switch (this) {
      case CSV -> List.of(".csv");
      case TSV -> List.of(".tsv", ".tab");
      case JSONL -> List.of(".jsonl", ".ndjson", ".json");
    };
  }

  /** Returns what a file's name suggests, or null. */
  static @Nullable RowFormat of(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    String plain = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    for (RowFormat format : values()) {
      if (format.endings().stream().anyMatch(plain::endsWith)) {
        return format;
      }
    }
    return null;
  }

  /**
   * Reads on from where {@code in} is.
   *
   * @param columns empty if the file itself names them
   */
  public RowReader reader(ByteInput in, List<String> columns) {
    return this == JSONL ? new JsonLinesReader(in) : new TableReader(in, this == CSV, columns);
  }

  /** Writes rows of these columns. */
  public RowWriter writer(Writer out, List<String> columns) throws IOException {
    return this == JSONL ? new JsonLinesWriter(out) : new TableWriter(out, this == CSV, columns);
  }
}
