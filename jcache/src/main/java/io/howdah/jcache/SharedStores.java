package io.howdah.jcache;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The stores that cache managers of this process have opened, one for each directory, however many
 * providers and class loaders use it: a directory has one writer. Thread-safe.
 */
final class SharedStores {

  private static final Map<Path, Shared> OPEN = new HashMap<>(); // guarded by itself

  private static final class Shared {
    private final Store store;
    private int users;

    Shared(Store store) {
      this.store = store;
    }
  }

  private SharedStores() {}

  /** Returns the store of a directory, opened with the options if no manager has it. */
  static Store open(Path directory, StoreOptions options) {
    synchronized (OPEN) {
      Shared shared =
          OPEN.computeIfAbsent(directory, path -> new Shared(Store.open(path, options)));
      shared.users++;
      return shared.store;
    }
  }

  /** Gives the store of a directory back; the last user closes it. */
  static void close(Path directory) {
    synchronized (OPEN) {
      Shared shared = OPEN.get(directory);
      if (shared != null && --shared.users == 0) {
        OPEN.remove(directory);
        shared.store.close();
      }
    }
  }
}
