package io.howdah.cli.tables;

import io.howdah.codec.FormerName;
import io.howdah.codec.PersistentName;
import java.util.ArrayList;
import java.util.List;

/**
 * Which columns a map was loaded from, so that it can be written as the same table.
 *
 * @param key the column of the keys
 * @param value the column of the values; empty if they are JSON objects with the other columns
 * @param columns all of them, each ended by a line feed, with {@code \n} and {@code \\} for those
 *     in a name; empty if rows name their own
 */
@PersistentName("howdah.load.shape")
@FormerName("io.howdah.cli.data.MapShape")
record MapShape(String key, String value, String columns) {

  /** What is said of a map that no load has filled. */
  static final MapShape UNKNOWN = new MapShape("key", "value", "key\nvalue\n");

  /** What is said of a structure that has elements and no keys. */
  static final MapShape ELEMENTS = new MapShape("", "value", "value\n");

  static MapShape of(String key, String value, List<String> columns) {
    StringBuilder lines = new StringBuilder();
    columns.forEach(
        name -> lines.append(name.replace("\\", "\\\\").replace("\n", "\\n")).append('\n'));
    return new MapShape(key, value, lines.toString());
  }

  List<String> columnNames() {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < columns.length(); i++) {
      char c = columns.charAt(i);
      if (c == '\n') {
        names.add(name.toString());
        name.setLength(0);
      } else if (c == '\\') {
        name.append(columns.charAt(++i) == 'n' ? '\n' : '\\');
      } else {
        name.append(c);
      }
    }
    return names;
  }

  boolean isElements() {
    return key.isEmpty();
  }

  boolean isObjects() {
    return value.isEmpty();
  }

  String describe() {
    return "key \"%s\", %s and columns %s"
        .formatted(
            key,
            isObjects() ? "objects" : "value \"" + value + "\"",
            columns.isEmpty() ? "of their own" : columnNames());
  }
}
