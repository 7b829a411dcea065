package io.howdah.cli.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Text in columns of given widths: names to the left, figures to the right, so that a row can be
 * printed before the next is known. Immutable once its columns are.
 */
public final class Table {

  private static final String INDENT = "  ";
  private static final String GAP = "  ";

  private final List<Column> columns = new ArrayList<>();

  /** Creates one without columns. */
  public Table() {}

  private record Column(String title, int width, boolean right) {
    String cell(String text) {
      String padding = " ".repeat(Math.max(0, width - text.codePointCount(0, text.length())));
      return right ? padding + text : text + padding;
    }
  }

  /** Adds a column for text. */
  public Table text(String title, int width) {
    columns.add(new Column(title, Math.max(width, title.length()), false));
    return this;
  }

  /** Adds a column for figures. */
  public Table figure(String title, int width) {
    columns.add(new Column(title, Math.max(width, title.length()), true));
    return this;
  }

  /** Returns the titles. */
  public String head() {
    return row(columns.stream().map(Column::title).toArray(String[]::new));
  }

  /** Returns the line below the titles. */
  public String rule() {
    return row(columns.stream().map(c -> "─".repeat(c.width())).toArray(String[]::new));
  }

  /** Returns one row; one cell for each column. */
  public String row(String... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          columns.size() + " columns, but cells " + Arrays.toString(cells));
    }
    StringBuilder line = new StringBuilder(INDENT);
    for (int i = 0; i < cells.length; i++) {
      line.append(i == 0 ? "" : GAP).append(columns.get(i).cell(cells[i]));
    }
    return line.toString().stripTrailing();
  }
}
