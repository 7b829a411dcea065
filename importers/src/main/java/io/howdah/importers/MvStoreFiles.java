package io.howdah.importers;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.imports.ForeignMap;
import io.howdah.cli.imports.ForeignOptions;
import io.howdah.cli.imports.ForeignStore;
import io.howdah.cli.imports.ForeignStores;
import io.howdah.cli.imports.ImportType;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.type.ByteArrayDataType;
import org.h2.mvstore.type.DataType;
import org.h2.mvstore.type.IntegerDataType;
import org.h2.mvstore.type.LongDataType;
import org.h2.mvstore.type.StringDataType;
import org.jspecify.annotations.Nullable;

/** Files of H2's MVStore. */
public final class MvStoreFiles implements ForeignStores {

  private static final int CACHE_MB = 16;

  /** Maps of transactions, in files of H2's database among others. */
  private static final String TRANSACTIONS = "openTransactions";

  private static final String UNDO_LOGS = "undoLog";

  /** Creates it, for the service loader. */
  public MvStoreFiles() {}

  @Override
  public String kind() {
    return "mvstore";
  }

  @Override
  public boolean isDirectory() {
    return false;
  }

  @Override
  public ForeignStore open(Path place, ForeignOptions options) {
    try {
      return new File(
          new MVStore.Builder().fileName(place.toString()).readOnly().cacheSize(CACHE_MB).open(),
          place,
          options);
    } catch (RuntimeException e) { // also others, for files that are empty or too short
      throw e instanceof MVStoreException known
              && known.getErrorCode() == DataUtils.ERROR_FILE_LOCKED
          ? new DataException(
              place + " is open in another process; close it there, or copy a backup", e)
          : new DataException(
              place + " is no file of MVStore, or it is damaged: " + e.getMessage(), e);
    }
  }

  private record File(MVStore store, Path place, ForeignOptions options) implements ForeignStore {

    @Override
    public List<String> names() {
      TreeSet<String> names = new TreeSet<>(store.getMapNames());
      if (names.stream()
          .anyMatch(name -> name.equals(TRANSACTIONS) || name.startsWith(UNDO_LOGS))) {
        throw new DataException(
            place
                + " holds transactions of MVStore, as those of H2's database do; write a database to CSV by SQL (CSVWRITE) and load it by howdah load");
      }
      return List.copyOf(names);
    }

    @Override
    public ForeignMap<?, ?> map(String name) {
      try {
        MVMap<Object, Object> map =
            store.openMap(
                name,
                new MVMap.Builder<>()
                    .keyType(dataType(options.keys(), name))
                    .valueType(dataType(options.values(), name)));
        Cursor<Object, Object> first = map.cursor(null);
        Object key = first.hasNext() ? first.next() : null;
        return readMap(
            map,
            type(name, "keys", options.keys(), key),
            type(name, "values", options.values(), key == null ? null : first.getValue()));
      } catch (DataException e) {
        throw e;
      } catch (RuntimeException e) {
        throw own(e) instanceof DataException known
            ? known
            : new DataException(
                "map \"%s\" of %s is damaged, or it was opened with a data type of its own, which --keys and --values name: %s"
                    .formatted(name, place, e),
                e);
      }
    }

    private static <K, V> ReadMap<K, V> readMap(
        MVMap<Object, Object> map, ImportType<K> keys, ImportType<V> values) {
      return new ReadMap<>(
          map.getName(), keys, values, true, map.sizeAsLong(), () -> new Entries(map.cursor(null)));
    }

    /** A map without entries has no types; then bytes. */
    private static ImportType<?> type(
        String map, String role, @Nullable ImportType<?> given, @Nullable Object first) {
      if (given != null || first == null) {
        return given != null ? given : ImportType.BYTES;
      }
      ImportType<?> type = ImportType.of(first);
      if (type == null) {
        throw new DataException(
            "the %s of map \"%s\" are of %s, for which an import has no type"
                .formatted(role, map, first.getClass().getName()));
      }
      return type;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // each reads objects, of the type that was named
    private DataType<Object> dataType(@Nullable ImportType<?> given, String map) {
      if (given == null) {
        return new StoredObjectType(map, options.isRaw());
      }
      DataType type =
          switch (given.name()) {
            case "utf8" -> StringDataType.INSTANCE;
            case "int64" -> LongDataType.INSTANCE;
            case "int32" -> IntegerDataType.INSTANCE;
            case "bytes" -> ByteArrayDataType.INSTANCE;
            default ->
                throw new DataException(
                    "MVStore has no data type for "
                        + given.name()
                        + " alone; --keys and --values are utf8, int64, int32 or bytes");
          };
      return type;
    }

    @Override
    public void close() {
      store.closeImmediately();
    }
  }

  /** Returns what a data type has thrown, which MVStore takes for damage, or else what it has. */
  private static RuntimeException own(RuntimeException thrown) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      if (each instanceof DataException own) {
        return own;
      }
    }
    return thrown;
  }

  /** The entries behind a cursor. */
  private record Entries(Cursor<Object, Object> cursor) implements Iterator<Map.Entry<?, ?>> {

    @Override
    public boolean hasNext() {
      try {
        return cursor.hasNext();
      } catch (MVStoreException e) {
        throw own(e);
      }
    }

    @Override
    public Map.Entry<?, ?> next() {
      try {
        Object key = cursor.next();
        return Map.entry(key, cursor.getValue());
      } catch (MVStoreException e) {
        throw own(e);
      }
    }
  }
}
