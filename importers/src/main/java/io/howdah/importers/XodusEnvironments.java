package io.howdah.importers;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.imports.ForeignMap;
import io.howdah.cli.imports.ForeignOptions;
import io.howdah.cli.imports.ForeignStore;
import io.howdah.cli.imports.ForeignStores;
import io.howdah.cli.imports.ImportType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.bindings.BooleanBinding;
import jetbrains.exodus.bindings.IntegerBinding;
import jetbrains.exodus.bindings.LongBinding;
import jetbrains.exodus.bindings.StringBinding;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;
import jetbrains.exodus.env.Transaction;
import org.jspecify.annotations.Nullable;

/** Environments of JetBrains Xodus. */
public final class XodusEnvironments implements ForeignStores {

  private static final long CACHE_BYTES = 32L << 20;

  /** Creates it, for the service loader. */
  public XodusEnvironments() {}

  @Override
  public String kind() {
    return "xodus";
  }

  @Override
  public boolean isDirectory() {
    return true;
  }

  @Override
  public ForeignStore open(Path place, ForeignOptions options) {
    requireFiles(place);
    if (options.isRaw()) {
      throw new DataException("Xodus keeps bytes; --raw is for other kinds");
    }
    BoundBytes keys = bound(options.keys());
    BoundBytes values = bound(options.values());
    try {
      Environment environment =
          Environments.newInstance(
              place.toFile(),
              new EnvironmentConfig()
                  .setEnvIsReadonly(true)
                  .setManagementEnabled(false)
                  .setMemoryUsage(CACHE_BYTES));
      return new Opened(
          environment, environment.beginReadonlyTransaction(), place, options, keys, values);
    } catch (RuntimeException e) {
      String reason = String.valueOf(e.getMessage());
      throw reason.startsWith("Can't acquire environment lock")
          ? new DataException(
              place + " is open in another process; close it there, or copy a backup", e)
          : new DataException(
              place
                  + " cannot be opened by Xodus, which is damage, or encryption: "
                  + reason.lines().findFirst().orElse(""),
              e);
    }
  }

  /** Xodus makes an environment where there is none. */
  private static void requireFiles(Path place) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(place, "*.xd")) {
      if (!files.iterator().hasNext()) {
        throw new DataException(place + " is no environment of Xodus: it has no file *.xd");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BoundBytes bound(@Nullable ImportType<?> type) {
    return switch (type == null ? ImportType.BYTES.name() : type.name()) {
      case "bytes" -> bytes -> bytes;
      case "utf8" -> bytes -> StringBinding.entryToString(new ArrayByteIterable(bytes));
      case "int64" -> bytes -> LongBinding.entryToLong(entry(bytes, Long.BYTES));
      case "int32" -> bytes -> IntegerBinding.entryToInt(entry(bytes, Integer.BYTES));
      case "bool" -> bytes -> BooleanBinding.entryToBoolean(entry(bytes, 1));
      default ->
          throw new DataException(
              "--keys and --values of Xodus are bytes, or utf8, int64, int32 or bool of its bindings");
    };
  }

  private static ByteIterable entry(byte[] bytes, int length) {
    return new ArrayByteIterable(BoundBytes.exactly(bytes, length));
  }

  private record Opened(
      Environment environment,
      Transaction transaction,
      Path place,
      ForeignOptions types,
      BoundBytes keys,
      BoundBytes values)
      implements ForeignStore {

    @Override
    public List<String> names() {
      try {
        return List.copyOf(environment.getAllStoreNames(transaction));
      } catch (RuntimeException e) {
        throw damaged(place.toString(), e);
      }
    }

    @Override
    public ForeignMap<?, ?> map(String name) {
      try {
        Store store = environment.openStore(name, StoreConfig.USE_EXISTING, transaction);
        if (store.getConfig().duplicates) {
          throw new DataException(
              "store \""
                  + name
                  + "\" of "
                  + place
                  + " has several values for a key, and is no map; copy it into a multimap by a program");
        }
        return map(store, ImportType.orBytes(types.keys()), ImportType.orBytes(types.values()));
      } catch (DataException e) {
        throw e;
      } catch (RuntimeException e) {
        throw damaged("store \"" + name + "\" of " + place, e);
      }
    }

    private static DataException damaged(String what, RuntimeException e) {
      return new DataException(what + " is damaged: " + e, e);
    }

    private <K, V> ForeignMap<K, V> map(
        Store store, ImportType<K> keyType, ImportType<V> valueType) {
      return new ReadMap<>(
          store.getName(),
          keyType,
          valueType,
          true,
          store.count(transaction),
          () -> new Entries(store.openCursor(transaction), keys, values));
    }

    @Override
    public void close() {
      transaction.abort();
      environment.close();
    }
  }

  /** The entries behind a cursor, which ends with its transaction. For one thread. */
  private static final class Entries implements Iterator<Map.Entry<?, ?>> {

    private final Cursor cursor;
    private final BoundBytes keys;
    private final BoundBytes values;
    private boolean isAhead;

    Entries(Cursor cursor, BoundBytes keys, BoundBytes values) {
      this.cursor = cursor;
      this.keys = keys;
      this.values = values;
    }

    @Override
    public boolean hasNext() {
      if (!isAhead) {
        isAhead = cursor.getNext();
      }
      return isAhead;
    }

    @Override
    public Map.Entry<?, ?> next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      isAhead = false;
      return Map.entry(keys.of(bytes(cursor.getKey())), values.of(bytes(cursor.getValue())));
    }

    private static byte[] bytes(ByteIterable entry) {
      return Arrays.copyOf(entry.getBytesUnsafe(), entry.getLength());
    }
  }
}
