package io.howdah.importers;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.imports.ForeignMap;
import io.howdah.cli.imports.ForeignOptions;
import io.howdah.cli.imports.ForeignStore;
import io.howdah.cli.imports.ForeignStores;
import io.howdah.cli.imports.ImportType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.mapdb.DB;
import org.mapdb.DBException;
import org.mapdb.DBMaker;

/** Files of MapDB 3. */
public final class MapDbFiles implements ForeignStores {

  private static final String SERIALIZERS = "org.mapdb.Serializer#";
  private static final Map<String, ImportType<?>> TYPES = new HashMap<>();

  static {
    put(
        ImportType.UTF8,
        "STRING",
        "STRING_ORIGHASH",
        "STRING_DELTA",
        "STRING_DELTA2",
        "STRING_INTERN",
        "STRING_ASCII",
        "STRING_NOSIZE");
    put(
        ImportType.BYTES,
        "BYTE_ARRAY",
        "BYTE_ARRAY_DELTA",
        "BYTE_ARRAY_DELTA2",
        "BYTE_ARRAY_NOSIZE");
    put(ImportType.INT64, "LONG", "LONG_PACKED", "LONG_DELTA", "RECID");
    put(ImportType.INT32, "INTEGER", "INTEGER_PACKED", "INTEGER_DELTA");
    put(ImportType.INT16, "SHORT");
    put(ImportType.INT8, "BYTE");
    put(ImportType.BOOL, "BOOLEAN");
    put(ImportType.CHARACTER, "CHAR");
    put(ImportType.FLOAT64, "DOUBLE");
    put(ImportType.FLOAT32, "FLOAT");
    put(ImportType.UNIQUE_ID, "UUID");
  }

  private static void put(ImportType<?> type, String... serializers) {
    for (String serializer : serializers) {
      TYPES.put(SERIALIZERS + serializer, type);
    }
  }

  /** Creates it, for the service loader. */
  public MapDbFiles() {}

  @Override
  public String kind() {
    return "mapdb";
  }

  @Override
  public boolean isDirectory() {
    return false;
  }

  @Override
  public ForeignStore open(Path place, ForeignOptions options) {
    if (options.keys() != null || options.values() != null || options.isRaw()) {
      throw new DataException(
          "a file of MapDB names its types; --keys, --values and --raw are for other kinds");
    }
    requireNoLog(place);
    FileChannel lock = FileLocks.shared(place, place);
    try {
      DB db = DBMaker.fileDB(place.toFile()).fileChannelEnable().readOnly().make();
      return new File(db, place, lock, db.nameCatalogLoad());
    } catch (DBException.WrongFormat e) {
      throw closed(lock, new DataException(place + " is no file of MapDB 3: " + e.getMessage(), e));
    } catch (RuntimeException e) {
      throw closed(lock, new DataException(place + " cannot be read by MapDB: " + e, e));
    }
  }

  private static DataException closed(FileChannel lock, DataException failure) {
    try {
      lock.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  /** What a process that was killed has left beside the file would have to be written into it. */
  private static void requireNoLog(Path place) {
    Path folder = place.toAbsolutePath().getParent();
    if (folder == null) {
      return;
    }
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(
            folder,
            file -> String.valueOf(file.getFileName()).startsWith(place.getFileName() + ".wal."))) {
      for (Path file : files) {
        if (Files.size(file) > 0) {
          throw new DataException(
              place
                  + " was not closed: "
                  + file
                  + " has commits that it lacks; open it once by its program, and close it");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record File(DB db, Path place, FileChannel lock, SortedMap<String, String> catalogue)
      implements ForeignStore {

    @Override
    public List<String> names() {
      TreeSet<String> names = new TreeSet<>();
      db.getAllNames().forEach(names::add);
      return List.copyOf(names);
    }

    @Override
    public ForeignMap<?, ?> map(String name) {
      String kind = catalogue.get(name + "#type");
      boolean isSorted = "TreeMap".equals(kind);
      if (!isSorted && !"HashMap".equals(kind)) {
        throw new DataException(
            "\"%s\" of %s is a %s, no map; copy it by a program".formatted(name, place, kind));
      }
      ImportType<?> keys = type(name, "keys", "#keySerializer");
      ImportType<?> values = type(name, "values", "#valueSerializer");
      try {
        Map<?, ?> map = db.get(name);
        return readMap(name, keys, values, isSorted, map);
      } catch (RuntimeException e) {
        throw new DataException("map \"%s\" of %s is damaged: %s".formatted(name, place, e), e);
      }
    }

    private static <K, V> ReadMap<K, V> readMap(
        String name, ImportType<K> keys, ImportType<V> values, boolean isSorted, Map<?, ?> map) {
      // Counted once, by reading all keys where the file has no counter.
      return new ReadMap<>(
          name, keys, values, isSorted, map.size(), () -> map.entrySet().iterator());
    }

    private ImportType<?> type(String name, String role, String property) {
      @Nullable String serializer = catalogue.get(name + property);
      ImportType<?> type = TYPES.get(serializer);
      if (type == null) {
        throw new DataException(
            "the %s of map \"%s\" of %s have the serializer %s, for which an import has no type; copy it by a program"
                .formatted(
                    role,
                    name,
                    place,
                    serializer == null
                        ? "of a program, which the file does not name"
                        : serializer));
      }
      return type;
    }

    @Override
    public void close() {
      try (lock) {
        db.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
