package io.howdah.cli.data;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What a load does.
 *
 * @param file {@code -} for the standard input
 * @param key the column of the keys; empty for the first
 * @param value the column of the values; empty for objects with all columns but the key's
 * @param expires the column that says when an entry expires; empty if none does
 * @param columns their names if the file has none, else empty
 * @param batch rows of one transaction
 * @param restart whether to begin anew, whatever was loaded before
 */
record LoadPlan(
    Path file,
    RowFormat format,
    String map,
    String key,
    String value,
    String expires,
    List<String> columns,
    int batch,
    boolean restart) {

  private static final String STANDARD_INPUT = "-";

  boolean isStandardInput() {
    return file.toString().equals(STANDARD_INPUT);
  }

  /** Opens the file. */
  ByteInput open() throws IOException {
    return isStandardInput() ? ByteInput.of("standard input", System.in) : ByteInput.open(file);
  }

  /** Returns the name under which the store knows the file. */
  String fileName() {
    return String.valueOf(file.getFileName());
  }
}
