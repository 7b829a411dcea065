package io.howdah.cli.tables;

import java.util.List;

/**
 * A row of a table.
 *
 * @param names of the columns, in the file's order
 * @param fields one for each name
 */
public record Row(List<String> names, List<Field> fields) {

  /** What stands in one column. */
  public sealed interface Field {

    /** Returns it as a table of text would show it. */
    String text();
  }

  /** Text that stands for itself. */
  public record Text(String text) implements Field {}

  /** A string in JSON, without its quotes. */
  public record Quoted(String text) implements Field {}

  /** Any other JSON value, as it is written. */
  public record Json(String text) implements Field {}

  Field field(int column) {
    return fields.get(column);
  }
}
