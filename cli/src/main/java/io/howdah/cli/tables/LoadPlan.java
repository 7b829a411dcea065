package io.howdah.cli.tables;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What a load does.
 *
 * @param file {@code -} or a device's name of it for the standard input
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

  /** Its names as a file: to open one would begin anew, and fails where it is a socket. */
  private static final Set<String> STANDARD_INPUT_DEVICES =
      Set.of("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0");

  boolean isStandardInput() {
    return file.toString().equals(STANDARD_INPUT)
        || STANDARD_INPUT_DEVICES.contains(file.toString());
  }

  /** Returns whether what the file had the last time is gone from it, as from a pipe. */
  boolean isStream() {
    return isStandardInput() || !Files.isRegularFile(file);
  }

  /** Opens the file, which may be done once. */
  ByteInput open() throws IOException {
    return isStandardInput() ? ByteInput.of("standard input", System.in) : ByteInput.open(file);
  }

  /** Returns the name under which the store knows the file. */
  String fileName() {
    return isStandardInput() ? STANDARD_INPUT : String.valueOf(file.getFileName());
  }
}
