package io.howdah.cli.tables;

import io.howdah.cli.catalogue.DataException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tables of text. CSV is RFC 4180's: commas, fields in double quotes may hold anything, a doubled
 * quote is one. In TSV a field cannot be quoted; {@code \t}, {@code \n}, {@code \r} and {@code \\}
 * stand for what they do in Java. Lines end in LF, CRLF or CR; empty ones are passed over.
 */
final class TableReader implements RowReader {

  private final ByteInput in;
  private final boolean isCsv;
  private final FieldBuffer field;
  private final List<String> columns;

  /** The line in which the row begins that was read last. */
  private long row = 1;

  /**
   * Reads on from where {@code in} is.
   *
   * @param columns empty if the first row names them
   */
  TableReader(ByteInput in, boolean isCsv, List<String> columns) {
    this.in = in;
    this.isCsv = isCsv;
    this.field = new FieldBuffer(in, isCsv);
    in.skipByteOrderMark();
    this.columns = columns.isEmpty() ? header() : List.copyOf(columns);
    requireDistinct(this.columns);
  }

  private List<String> header() {
    List<String> names = fields();
    if (names == null) {
      throw new DataException(in.place() + ": the file has no first row that names its columns");
    }
    return names;
  }

  private void requireDistinct(List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new DataException(in.lastPlace() + ": two columns have the name \"" + name + "\"");
      }
    }
  }

  @Override
  public List<String> columns() {
    return columns;
  }

  @Override
  public @Nullable Row next() {
    List<String> texts = fields();
    if (texts == null) {
      return null;
    }
    if (texts.size() != columns.size()) {
      throw new DataException(
          in.place(row)
              + ": the row has "
              + texts.size()
              + " fields, and there are "
              + columns.size()
              + " columns");
    }
    return new Row(columns, texts.stream().<Row.Field>map(Row.Text::new).toList());
  }

  /** Returns the fields of the next row, or null at the end. */
  private @Nullable List<String> fields() {
    int c = in.peek();
    while (c == '\n' || c == '\r') {
      in.read();
      c = in.peek();
    }
    if (c == ByteInput.END) {
      return null;
    }
    field.startRow();
    row = in.line();
    List<String> fields = new ArrayList<>();
    boolean more = true;
    while (more) {
      more = (isCsv && in.peek() == '"') ? quoted() : plain();
      fields.add(field.take());
      if (fields.size() > MAX_COLUMNS) {
        throw new DataException(in.place() + ": more than " + MAX_COLUMNS + " columns");
      }
    }
    return fields;
  }

  /** Takes a field and what ends it; returns whether another one follows. */
  private boolean plain() {
    while (true) {
      int c = in.read();
      if (c == ByteInput.END || in.isAtLineStart()) {
        return false;
      }
      if (c == (isCsv ? ',' : '\t')) {
        return true;
      }
      if (c == '\r') {
        continue; // LF follows, and ends the line
      }
      field.add(!isCsv && c == '\\' ? escaped() : c);
    }
  }

  private int escaped() {
    int c = in.read();
    return switch (c) {
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case '\\' -> '\\';
      default -> throw new DataException(in.place() + ": a backslash is written \\\\ in TSV");
    };
  }

  private boolean quoted() {
    long line = in.line();
    in.read();
    while (true) {
      int c = in.read();
      if (c == ByteInput.END) {
        throw new DataException(in.place() + ": a quote from line " + line + " is not closed");
      }
      if (c == '"') {
        if (in.peek() != '"') {
          return afterQuote();
        }
        in.read();
      }
      field.add(c);
    }
  }

  private boolean afterQuote() {
    int c = in.read();
    if (c == '\r' && !in.isAtLineStart()) {
      c = in.read(); // LF
    }
    return switch (c) {
      case ',' -> true;
      case '\n', '\r', ByteInput.END -> false;
      default -> throw new DataException(in.place() + ": a closing quote is followed by text");
    };
  }
}
