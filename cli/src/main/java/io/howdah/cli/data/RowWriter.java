package io.howdah.cli.data;

import java.io.IOException;

/** Writes rows, so that the reader of the same format gives them back. For one thread. */
interface RowWriter {

  void write(Row row) throws IOException;
}
