package io.howdah.cli.data;

import io.howdah.core.HowdahException;
import io.howdah.txn.Durability;
import io.howdah.txn.PersistentMap;
import io.howdah.txn.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts the rows of a file into a map. Each batch of rows is one transaction that also notes how far
 * the file has come, so a load that is killed goes on behind the last row that is in the map: none
 * is missing, and none is loaded twice. For one thread.
 */
final class Loader<K, V> {

  /** A batch ends early before it has more than that. */
  private static final long MAX_BATCH_BYTES = 4 << 20;

  private final Store store;
  private final LoadPlan plan;
  private final ScalarType<K> keys;
  private final ScalarType<V> values;
  private final LoadBook book;
  private final PersistentMap<K, V> map;
  private final BiConsumer<Long, Long> watcher;

  /**
   * Opens the map.
   *
   * @param watcher is told bytes and rows after each batch
   */
  Loader(
      Store store,
      LoadPlan plan,
      ScalarType<K> keys,
      ScalarType<V> values,
      BiConsumer<Long, Long> watcher) {
    this.store = store;
    this.plan = plan;
    this.keys = keys;
    this.values = values;
    this.watcher = watcher;
    this.book = new LoadBook(store);
    this.map = store.map(plan.map(), keys.codec(), values.codec());
  }

  /**
   * What came of a load.
   *
   * @param before rows that were loaded already
   * @param rows rows of the file, those included
   * @param entries what the map holds now
   */
  record Result(long before, long rows, long entries) {}

  Result load() throws IOException {
    LoadProgress before =
        plan.restart()
            ? LoadProgress.NONE
            : store.read(tx -> book.progress(tx, plan.map(), plan.fileName()));
    try (ByteInput in = ByteInput.open(plan.file())) {
      LoadProgress after = load(in, before);
      store.run(tx -> book.progress(tx, plan.map(), plan.fileName(), after));
      return new Result(before.rows(), after.rows(), store.read(map::size));
    }
  }

  private LoadProgress load(ByteInput in, LoadProgress before) throws IOException {
    List<String> columns = plan.columns();
    if (before.position() > 0) {
      goOn(in, before);
      columns = store.read(tx -> book.shape(tx, plan.map())).columnNames();
    }
    if (before.position() > 0 && in.peek() == ByteInput.END) {
      return before;
    }
    RowReader reader = plan.format().reader(in, columns);
    long rows = before.rows();
    Batch batch = readBatch(reader, in);
    while (batch != null) {
      rows += batch.keys.size();
      put(batch, new LoadProgress(in.position(), in.checksum(), rows, false));
      watcher.accept(in.position(), rows);
      batch = readBatch(reader, in);
    }
    return new LoadProgress(in.position(), in.checksum(), rows, true);
  }

  /** Takes what is loaded already, and makes sure that it is still the same. */
  private void goOn(ByteInput in, LoadProgress before) throws IOException {
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
              + "; --restart loads it from its beginning");
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
    final long firstLine;
    MapShape shape = MapShape.UNKNOWN;

    Batch(long firstLine) {
      this.firstLine = firstLine;
    }

    void add(Row row, RowReader reader, ByteInput in) {
      int key = plan.key().isEmpty() ? 0 : column(row, plan.key(), in);
      int value = plan.value().isEmpty() ? -1 : column(row, plan.value(), in);
      if (row.names().isEmpty()) {
        throw new DataException(in.place() + ": the row before has no columns");
      }
      keys.add(Loader.this.keys.of(row.field(key), row.names().get(key), in.place()));
      Row.Field field = value < 0 ? new Row.Text(JsonText.object(row, key)) : row.field(value);
      values.add(Loader.this.values.of(field, value < 0 ? "" : row.names().get(value), in.place()));
      if (keys.size() == 1) {
        shape = MapShape.of(row.names().get(key), plan.value(), reader.columns());
      }
    }

    private int column(Row row, String name, ByteInput in) {
      int column = row.names().indexOf(name);
      if (column < 0) {
        throw new DataException(
            in.place() + ": the row before has no column \"" + name + "\", but " + row.names());
      }
      return column;
    }
  }

  private @Nullable Batch readBatch(RowReader reader, ByteInput in) throws IOException {
    long start = in.position();
    Batch batch = new Batch(in.line());
    while (batch.keys.size() < plan.batch() && in.position() - start < MAX_BATCH_BYTES) {
      Row row = reader.next();
      if (row == null) {
        break;
      }
      batch.add(row, reader, in);
    }
    return batch.keys.isEmpty() ? null : batch;
  }

  private void put(Batch batch, LoadProgress reached) {
    try {
      store.run(
          Durability.ASYNC,
          tx -> {
            for (int i = 0; i < batch.keys.size(); i++) {
              map.put(tx, batch.keys.get(i), batch.values.get(i));
            }
            book.shape(tx, plan.map(), batch.shape);
            book.progress(tx, plan.map(), plan.fileName(), reached);
          });
    } catch (HowdahException e) {
      throw new DataException(
          plan.file() + ", rows from line " + batch.firstLine + " on: " + e.getMessage(), e);
    }
  }
}
