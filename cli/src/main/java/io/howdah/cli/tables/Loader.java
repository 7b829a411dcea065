package io.howdah.cli.tables;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.value.ValueException;
import io.howdah.core.HowdahException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts the rows of a file into a map. Each batch of rows is one transaction that also notes how far
 * the file has come, so a load that is killed goes on behind the last row that is in the map: none
 * is missing, and none is loaded twice. For one thread.
 */
final class Loader<K, V> {

  /** A batch ends early before it has more than that. */
  private static final long MAX_BATCH_BYTES = 4 << 20;

  /** The columns that a dump of a map has. */
  private static final List<String> DUMPED = List.of("key", "value");

  private final Store store;
  private final LoadPlan plan;
  private final ScalarType<K> keys;
  private final ScalarType<V> values;
  private final LoadBook book;
  private final boolean isNewMap;
  private final LoadTarget<K, V> map;
  private final BiConsumer<LoadProgress, LoadProgress> watcher;

  /** The column of the keys; empty until the first row has told. */
  private String key;

  /**
   * Creates one.
   *
   * @param open opens the map, or creates it
   * @param watcher is told after each batch where this load began and how far it has come
   */
  Loader(
      Store store,
      LoadPlan plan,
      ScalarType<K> keys,
      ScalarType<V> values,
      Supplier<LoadTarget<K, V>> open,
      BiConsumer<LoadProgress, LoadProgress> watcher) {
    this.store = store;
    this.plan = plan;
    this.keys = keys;
    this.values = values;
    this.watcher = watcher;
    this.key = plan.key();
    this.book = new LoadBook(store);
    this.isNewMap = !store.read(store.admin()::collections).containsKey(plan.map());
    if (isNewMap) {
      // Before it is made: killed in between, the next load finds no map, and forgets again.
      LoadBook.forget(store, plan.map());
    }
    this.map = open.get();
  }

  /**
   * What came of a load.
   *
   * @param before what was loaded already
   * @param after what is loaded now, that included
   * @param entries what the map holds now
   * @param repeated what is to be said of rows that were there already
   */
  record Result(LoadProgress before, LoadProgress after, long entries, String repeated) {}

  /** Loads what an input has, which was opened for this load. */
  Result load(ByteInput in) throws IOException {
    LoadProgress before = before();
    try {
      LoadProgress after = load(in, before);
      store.run(tx -> book.progress(tx, plan.map(), plan.fileName(), after));
      return new Result(before, after, store.read(map::size), map.repeated());
    } catch (DataException e) {
      dropUnused(e);
      throw e;
    }
  }

  /** A map that was made for nothing, perhaps of the wrong types, is in the next attempt's way. */
  private void dropUnused(DataException failure) {
    try {
      if (isNewMap && store.<Long, RuntimeException>read(map::size) == 0) {
        store.admin().drop(plan.map());
      }
    } catch (HowdahException e) {
      failure.addSuppressed(e); // such as a store that has failed
    }
  }

  private LoadProgress before() {
    if (plan.restart()) {
      return LoadProgress.NONE;
    }
    LoadProgress noted = store.read(tx -> book.progress(tx, plan.map(), plan.fileName()));
    if (noted.rows() == 0) {
      return LoadProgress.NONE; // no row has told how the map is loaded
    }
    // Unlike a file, what comes next from a pipe need not begin with what came before.
    return plan.isStream() && noted.isComplete() ? LoadProgress.NONE : noted;
  }

  private LoadProgress load(ByteInput in, LoadProgress before) throws IOException {
    List<String> columns = plan.columns();
    if (before.position() > 0) {
      goOn(in, before);
      MapShape shape = store.read(tx -> book.shape(tx, plan.map()));
      requireSameColumns(shape);
      columns = shape.columnNames();
      key = shape.key();
    }
    if (before.position() > 0 && in.peek() == ByteInput.END) {
      return before;
    }
    RowReader reader = plan.format().reader(in, columns);
    LoadProgress reached = before;
    Batch batch = readBatch(reader, in);
    while (batch != null) {
      reached = put(batch, in, reached);
      watcher.accept(before, reached);
      batch = readBatch(reader, in);
    }
    return new LoadProgress(in.position(), in.checksum(), reached.rows(), reached.replaced(), true);
  }

  /** The rest of a file must go into the map as its beginning did. */
  private void requireSameColumns(MapShape shape) {
    boolean isSameKey = plan.key().isEmpty() || plan.key().equals(shape.key());
    if (!isSameKey || !plan.value().equals(shape.value())) {
      throw new DataException(
          "map \"%s\" was loaded with %s, and cannot take the rest of %s with other columns for"
                  .formatted(plan.map(), shape.describe(), plan.file())
              + " its keys or values; use another map");
    }
  }

  /** Takes what is loaded already, and makes sure that it is still the same. */
  private void goOn(ByteInput in, LoadProgress before) {
    boolean isSame = in.skipTo(before.position()) && in.checksum() == before.checksum();
    if (!isSame) {
      throw new DataException(
          plan.file()
              + " is not the file whose first "
              + before.rows()
              + " rows are in map \""
              + plan.map()
              + "\" already: it has changed before byte "
              + before.position()
              + ", or they came from another file that is named "
              + plan.fileName()
              + ", too; --restart loads it from its beginning");
    }
    if (!in.isAtLineStart()
        && in.peek() != '\n'
        && in.peek() != '\r'
        && in.peek() != ByteInput.END) {
      throw new DataException(
          in.place()
              + ": the row that was the last one when this file was loaded has grown since;"
              + " --restart loads it from its beginning");
    }
  }

  /** Rows that go into the map together. */
  private final class Batch {
    final List<K> keys = new ArrayList<>();
    final List<V> values = new ArrayList<>();
    final List<@Nullable Instant> until = new ArrayList<>();
    final List<Long> lines = new ArrayList<>();
    final long firstLine;
    MapShape shape = MapShape.UNKNOWN;
    String advice = "";

    Batch(long firstLine) {
      this.firstLine = firstLine;
    }

    void add(Row row, long line, RowReader reader, ByteInput in) {
      key = keyColumn(key, row, in); // later rows may name their columns in any order
      Entry<K, V> entry = Entry.of(plan, key, Loader.this.keys, Loader.this.values, row, in);
      keys.add(entry.key);
      values.add(entry.value);
      until.add(entry.until);
      lines.add(line);
      if (keys.size() == 1) {
        shape = MapShape.of(key, plan.value(), reader.columns());
        if (plan.value().isEmpty() && row.names().containsAll(DUMPED)) {
          advice = "; if howdah dump has written the file, load it with --value value";
        }
      }
    }
  }

  private static String keyColumn(String known, Row row, ByteInput in) {
    if (row.names().isEmpty()) {
      throw new DataException(in.lastPlace() + ": the row has no columns");
    }
    return known.isEmpty() ? row.names().getFirst() : known;
  }

  /**
   * What a row becomes.
   *
   * @param until null if the row does not say when its entry expires, {@link Instant#MAX} for never
   */
  private record Entry<K, V>(K key, V value, @Nullable Instant until) {

    static <K, V> Entry<K, V> of(
        LoadPlan plan,
        String key,
        ScalarType<K> keys,
        ScalarType<V> values,
        Row row,
        ByteInput in) {
      int keyColumn = column(row, key, in);
      int value = plan.value().isEmpty() ? -1 : column(row, plan.value(), in);
      Row.Field field =
          value < 0 ? new Row.Text(JsonText.object(row, keyColumn)) : row.field(value);
      return new Entry<>(
          keys.of(row.field(keyColumn), key, in.lastPlace()),
          values.of(field, value < 0 ? "" : row.names().get(value), in.lastPlace()),
          plan.expires().isEmpty() ? null : until(plan, row, in));
    }

    private static Instant until(LoadPlan plan, Row row, ByteInput in) {
      String text = row.field(column(row, plan.expires(), in)).text();
      if (text.isEmpty()) {
        return Instant.MAX;
      }
      try {
        return Instant.parse(text);
      } catch (DateTimeParseException e) {
        throw new DataException(
            in.lastPlace()
                + ": column \""
                + plan.expires()
                + "\" has \""
                + text
                + "\", no instant such as 2026-01-31T12:00:00Z; leave it empty for never",
            e);
      }
    }
  }

  /**
   * Reads the first batch of an input, and makes sure that its rows can be loaded into a new map:
   * no store is to be made for an input that cannot be loaded. Then returns to its first byte.
   *
   * @throws DataException if a row cannot be read, lacks a column, or has another type
   */
  static void check(LoadPlan plan, ScalarType<?> keys, ScalarType<?> values, ByteInput in)
      throws IOException {
    in.keep();
    RowReader reader = plan.format().reader(in, plan.columns());
    String key = plan.key();
    for (int rows = 0; rows < plan.batch() && in.position() < MAX_BATCH_BYTES; rows++) {
      Row row = reader.next();
      if (row == null) {
        break;
      }
      key = keyColumn(key, row, in);
      Entry.of(plan, key, keys, values, row, in);
    }
    in.rewind();
  }

  private static int column(Row row, String name, ByteInput in) {
    int column = row.names().indexOf(name);
    if (column < 0) {
      throw new DataException(
          in.lastPlace() + ": the row has no column \"" + name + "\", but " + row.names());
    }
    return column;
  }

  private @Nullable Batch readBatch(RowReader reader, ByteInput in) throws IOException {
    long start = in.position();
    Batch batch = new Batch(in.line());
    while (batch.keys.size() < plan.batch() && in.position() - start < MAX_BATCH_BYTES) {
      long line = in.line();
      Row row = reader.next();
      if (row == null) {
        break;
      }
      batch.add(row, line, reader, in);
    }
    return batch.keys.isEmpty() ? null : batch;
  }

  private LoadProgress put(Batch batch, ByteInput in, LoadProgress before) {
    long rows = before.rows() + batch.keys.size();
    LoadProgress read =
        new LoadProgress(in.position(), in.checksum(), rows, before.replaced(), false);
    try {
      return put(batch, read, plan.expires().isEmpty());
    } catch (DataException e) {
      throw e; // names the line
    } catch (HowdahException e) {
      throw new DataException(
          plan.file() + ", rows from line " + batch.firstLine + " on: " + e.getMessage(), e);
    }
  }

  /**
   * Puts a batch of rows.
   *
   * @param read how far the file has come with them
   * @param isTogether whether the map gets all of them at once, which takes less time
   */
  private LoadProgress put(Batch batch, LoadProgress read, boolean isTogether) {
    try {
      return store.call(
          TxOptions.async(),
          tx -> {
            long replaced =
                read.replaced()
                    + (isTogether
                        ? map.putAll(tx, batch.keys, batch.values)
                        : putSingly(tx, batch));
            LoadProgress reached =
                new LoadProgress(read.position(), read.checksum(), read.rows(), replaced, false);
            book.shape(tx, plan.map(), batch.shape);
            book.progress(tx, plan.map(), plan.fileName(), reached);
            return reached;
          });
    } catch (ValueException e) {
      if (!isTogether) {
        throw e;
      }
      return put(batch, read, false); // names the line
    }
  }

  /** Puts the rows of a batch one by one, and returns how many were there already. */
  private long putSingly(Tx tx, Batch batch) {
    long repeated = 0;
    for (int i = 0; i < batch.keys.size(); i++) {
      try {
        boolean isRepeated =
            map.put(tx, batch.keys.get(i), batch.values.get(i), batch.until.get(i));
        repeated += isRepeated ? 1 : 0;
      } catch (ValueException e) {
        throw new DataException(
            plan.file() + ", line " + batch.lines.get(i) + ": " + e.getMessage() + batch.advice, e);
      }
    }
    return repeated;
  }
}
