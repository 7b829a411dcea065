package io.howdah.cli.tables;

import java.io.IOException;

/** Writes rows, so that the reader of the same format gives them back. For one thread. */
public interface RowWriter {

  /** Writes one row after those before. */
  void write(Row row) throws IOException;
}
