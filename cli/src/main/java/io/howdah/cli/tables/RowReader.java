package io.howdah.cli.tables;

import io.howdah.cli.catalogue.DataException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the rows of one file in order. For one thread. */
public interface RowReader {

  /** Longest row in bytes: 8 MiB. */
  int MAX_ROW_BYTES = 1 << 23;

  /** Most columns of a row. */
  int MAX_COLUMNS = 4096;

  /** Returns the columns that every row has; empty if rows name their own. */
  List<String> columns();

  /**
   * Returns the next row, null at the end.
   *
   * @throws DataException if there is no row but something else; names the place
   */
  @Nullable Row next() throws IOException;
}
