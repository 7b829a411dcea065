package io.howdah.cli.data;

import io.howdah.txn.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The store that a command works on, its first parameter. */
final class StoreOption {

  @Parameters(index = "0", paramLabel = "STORE", description = "Folder of the store.")
  private @Nullable Path folder;

  /** Opens it, or creates it where there is none. */
  Store openOrCreate() {
    return Store.open(folder());
  }

  /** Opens one that exists: a slip of the pen must not create another. */
  Store open() {
    if (!Files.exists(folder().resolve("store.howdah"))) {
      throw new DataException("there is no store in " + folder());
    }
    return Store.open(folder());
  }

  private Path folder() {
    if (folder == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return folder;
  }
}
