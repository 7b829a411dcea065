package io.howdah.jmh.benchmark;

import io.howdah.LaboratoryStore;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.study.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A store for a benchmark, in memory or in a folder for temporary files. For one thread. */
final class BenchmarkStore implements AutoCloseable {

  private final @Nullable Path folder;
  private final StoreOptions options;
  private boolean keepsLog;
  private Store store;

  private BenchmarkStore(@Nullable Path folder, StoreOptions options) {
    this.folder = folder;
    this.options = options;
    this.store = opened();
  }

  /** Creates one without a log. */
  static BenchmarkStore inMemory(long maxSize) {
    return new BenchmarkStore(null, StoreOptions.defaults().withMaxSize(maxSize));
  }

  /** Creates one on disk, in the folder that {@code java.io.tmpdir} names. */
  static BenchmarkStore onDisk(StoreOptions options) throws IOException {
    return new BenchmarkStore(Files.createTempDirectory("howdah-jmh-"), options);
  }

  private Store opened() {
    if (folder == null) {
      return Store.inMemory(options);
    }
    Path directory = folder.resolve("store");
    return keepsLog
        ? LaboratoryStore.keepingItsLog(directory, options)
        : Store.open(directory, options);
  }

  Store store() {
    return store;
  }

  /** From the next opening on, leaves the log as it is when the store is closed. */
  void keepLog() {
    keepsLog = true;
  }

  /** Opens the store again, after it was closed. */
  Store reopen() {
    store = opened();
    return store;
  }

  @Override
  public void close() throws IOException {
    store.close();
    if (folder != null) {
      Folders.delete(folder);
    }
  }
}
