package io.howdah.cli.tables;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the entries of a map, or the elements of another structure, as rows, in the structure's
 * order. For one thread.
 */
final class Dumper<K, V> {

  private static final String EXPIRES = "expires";

  private final String name;
  private final Function<Tx, Iterator<Map.Entry<K, V>>> entries;
  private final ScalarType<K> keys;
  private final ScalarType<V> values;
  private final MapShape shape;
  private final @Nullable BiFunction<Tx, K, @Nullable Instant> times;
  private final Store store;

  /** Creates one for what does not expire. */
  Dumper(
      Store store,
      String name,
      Function<Tx, Iterator<Map.Entry<K, V>>> entries,
      ScalarType<K> keys,
      ScalarType<V> values,
      MapShape shape) {
    this(store, name, entries, keys, values, shape, null);
  }

  /**
   * Creates one.
   *
   * @param entries all of them; elements have themselves as values
   * @param times when the entry of a key expires; null if none does
   */
  Dumper(
      Store store,
      String name,
      Function<Tx, Iterator<Map.Entry<K, V>>> entries,
      ScalarType<K> keys,
      ScalarType<V> values,
      MapShape shape,
      @Nullable BiFunction<Tx, K, @Nullable Instant> times) {
    this.store = store;
    this.name = name;
    this.entries = entries;
    this.keys = keys;
    this.values = values;
    this.shape = shape;
    this.times = times;
  }

  /**
   * Writes all entries as of one moment.
   *
   * @param watcher is told how many there are so far
   * @return how many there were
   */
  long dump(Writer out, RowFormat format, LongConsumer watcher) {
    List<String> columns = columns(format);
    // What is written cannot be taken back, so the body must run once. In the shell the store's own
    // threads commit as well, as when entries expire; they wait until the dump is done.
    return store.<Long, UncheckedIOException>read(
        TxOptions.defaults().withIrrevocable(),
        tx -> {
          try {
            RowWriter rows = format.writer(out, columns);
            long count = 0;
            for (var all = entries.apply(tx); all.hasNext(); ) {
              rows.write(row(tx, all.next(), columns, format != RowFormat.JSONL));
              watcher.accept(++count);
            }
            out.flush();
            return count;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private List<String> columns(RowFormat format) {
    if (shape.isElements()) {
      return times == null ? List.of(shape.value()) : List.of(shape.value(), EXPIRES);
    }
    if (!shape.isObjects()) {
      return times == null
          ? List.of(shape.key(), shape.value())
          : List.of(shape.key(), shape.value(), EXPIRES);
    }
    List<String> columns = shape.columnNames();
    if (columns.isEmpty() && format != RowFormat.JSONL) {
      throw new DataException(
          name
              + " was loaded from JSON lines, whose rows name their own columns; dump it as JSONL");
    }
    return columns;
  }

  /** A table has no room for other names than its columns, and a row has each name once. */
  private void requireColumns(Row rest, String what, List<String> columns) {
    for (String member : rest.names()) {
      if (member.equals(shape.key())) {
        throw new DataException(
            what + " has a member \"" + member + "\", which is the column of the keys; remove it");
      }
      if (!columns.isEmpty() && !columns.contains(member)) {
        throw new DataException(
            what
                + " has a member \""
                + member
                + "\", and the table has no such column, but "
                + columns
                + "; dump it as JSONL");
      }
    }
  }

  private static Row.Field time(@Nullable Instant at) {
    return new Row.Text(Instant.MAX.equals(at) ? "" : String.valueOf(at));
  }

  private Row row(Tx tx, Map.Entry<K, V> entry, List<String> columns, boolean isTable)
      throws IOException {
    if (shape.isElements()) {
      Row.Field element = values.field(entry.getValue());
      return new Row(
          columns,
          times == null
              ? List.of(element)
              : List.of(element, time(times.apply(tx, entry.getKey()))));
    }
    Row.Field key = keys.field(entry.getKey());
    if (times != null) {
      Row.Field at = time(times.apply(tx, entry.getKey()));
      return new Row(columns, List.of(key, values.field(entry.getValue()), at));
    }
    if (!shape.isObjects()) {
      return new Row(columns, List.of(key, values.field(entry.getValue())));
    }
    String what = "the value of key \"" + key.text() + "\" of \"" + name + "\"";
    Row rest = JsonLinesReader.parse(String.valueOf(entry.getValue()), () -> what);
    requireColumns(rest, what, isTable ? columns : List.of());
    List<String> names = new ArrayList<>(rest.names());
    List<Row.Field> fields = new ArrayList<>(rest.fields());
    // Where the key stood among the columns it stands again.
    int place = Math.max(0, Math.min(columns.indexOf(shape.key()), names.size()));
    names.add(place, shape.key());
    fields.add(place, key);
    return new Row(names, fields);
  }
}
