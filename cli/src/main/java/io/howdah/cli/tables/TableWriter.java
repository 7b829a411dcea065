package io.howdah.cli.tables;

import io.howdah.cli.catalogue.DataException;
import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** Writes what {@link TableReader} reads. A column that a row lacks is empty. */
final class TableWriter implements RowWriter {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final Writer out;
  private final boolean isCsv;
  private final List<String> columns;

  TableWriter(Writer out, boolean isCsv, List<String> columns) throws IOException {
    this.out = out;
    this.isCsv = isCsv;
    this.columns = columns;
    if (!columns.isEmpty() && columns.getFirst().startsWith(BYTE_ORDER_MARK)) {
      out.write(BYTE_ORDER_MARK); // a reader takes the first one for the file's
    }
    writeLine(columns);
  }

  @Override
  public void write(Row row) throws IOException {
    writeLine(columns.stream().map(name -> text(row, name)).toList());
  }

  private static String text(Row row, String name) {
    int column = row.names().indexOf(name);
    return column < 0 ? "" : row.field(column).text();
  }

  private void writeLine(List<String> fields) throws IOException {
    // Alone on its line, an empty field would look like an empty line.
    if (fields.size() == 1 && fields.getFirst().isEmpty()) {
      if (!isCsv) {
        throw new DataException(
            "TSV has no empty field in a table of one column, and a row of \"%s\" has one; dump it as"
                    .formatted(columns.getFirst())
                + " CSV");
      }
      out.write("\"\"");
    }
    for (int i = 0; i < fields.size(); i++) {
      if (i > 0) {
        out.write(isCsv ? ',' : '\t');
      }
      out.write(isCsv ? quoted(fields.get(i)) : escaped(fields.get(i)));
    }
    out.write('\n');
  }

  private static String quoted(String field) {
    boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
  }

  private static String escaped(String field) {
    return field
        .replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }
}
