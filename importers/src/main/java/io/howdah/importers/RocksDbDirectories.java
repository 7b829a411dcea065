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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** Directories of RocksDB. */
public final class RocksDbDirectories implements ForeignStores {

  /** Creates it, for the service loader. */
  public RocksDbDirectories() {}

  @Override
  public String kind() {
    return "rocksdb";
  }

  @Override
  public boolean isDirectory() {
    return true;
  }

  @Override
  public ForeignStore open(Path place, ForeignOptions options) {
    if (!Files.exists(place.resolve("CURRENT"))) {
      throw new DataException(place + " is no directory of RocksDB: it has no file CURRENT");
    }
    if (options.isRaw()) {
      throw new DataException("RocksDB keeps bytes; --raw is for other kinds");
    }
    // Opened for reading, RocksDB does not look whether a process writes.
    Path file = place.resolve("LOCK");
    FileChannel lock = Files.exists(file) ? FileLocks.shared(file, place) : null;
    Directory directory = new Directory(lock, options);
    try {
      RocksDB.loadLibrary();
      directory.open(place);
      return directory;
    } catch (RocksDBException | IllegalArgumentException e) { // the latter without families
      directory.close();
      throw new DataException(
          place
              + " cannot be opened by RocksDB, which is damage, or a comparator or merge operator of a program: "
              + e.getMessage(),
          e);
    }
  }

  private static final class Directory implements ForeignStore {

    private final @Nullable FileChannel lock;
    private final ForeignOptions types;
    private final BoundBytes keys;
    private final BoundBytes values;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Map<String, ColumnFamilyHandle> families = new LinkedHashMap<>();
    private @Nullable RocksDB db;

    Directory(@Nullable FileChannel lock, ForeignOptions types) {
      this.lock = lock;
      this.types = types;
      this.keys = BoundBytes.plain(types.keys());
      this.values = BoundBytes.plain(types.values());
    }

    void open(Path place) throws RocksDBException {
      List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
      try (Options options = new Options()) {
        for (byte[] name : RocksDB.listColumnFamilies(options, place.toString())) {
          descriptors.add(new ColumnFamilyDescriptor(name));
        }
      }
      DBOptions options = new DBOptions();
      open.add(options);
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      RocksDB opened = RocksDB.openReadOnly(options, place.toString(), descriptors, handles);
      open.add(opened);
      db = opened;
      for (ColumnFamilyHandle handle : handles) {
        open.add(handle);
        families.put(new String(handle.getName(), StandardCharsets.UTF_8), handle);
      }
    }

    @Override
    public List<String> names() {
      return List.copyOf(families.keySet());
    }

    @Override
    public ForeignMap<?, ?> map(String name) {
      return map(
          name,
          Objects.requireNonNull(families.get(name)),
          ImportType.orBytes(types.keys()),
          ImportType.orBytes(types.values()));
    }

    private <K, V> ForeignMap<K, V> map(
        String name, ColumnFamilyHandle family, ImportType<K> keyType, ImportType<V> valueType) {
      return new ReadMap<>(
          name, keyType, valueType, true, ForeignMap.UNKNOWN_SIZE, () -> entries(family));
    }

    private Entries entries(ColumnFamilyHandle family) {
      ReadOptions reading = new ReadOptions().setVerifyChecksums(true).setFillCache(false);
      open.add(reading);
      RocksIterator all = Objects.requireNonNull(db).newIterator(family, reading);
      open.add(all);
      all.seekToFirst();
      return new Entries(all, keys, values);
    }

    @Override
    public void close() {
      for (AutoCloseable each : open.reversed()) {
        try {
          each.close();
        } catch (Exception e) {
          throw new IllegalStateException("handles of RocksDB throw nothing", e);
        }
      }
      if (lock != null) {
        try {
          lock.close();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private record Entries(RocksIterator all, BoundBytes keys, BoundBytes values)
      implements Iterator<Map.Entry<?, ?>> {

    @Override
    public boolean hasNext() {
      if (all.isValid()) {
        return true;
      }
      try {
        all.status(); // an iterator that has met damage looks like one at its end
        return false;
      } catch (RocksDBException e) {
        throw new IllegalStateException(e.getMessage(), e);
      }
    }

    @Override
    public Map.Entry<?, ?> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Map.Entry<?, ?> entry = Map.entry(keys.of(all.key()), values.of(all.value()));
      all.next();
      return entry;
    }
  }
}
