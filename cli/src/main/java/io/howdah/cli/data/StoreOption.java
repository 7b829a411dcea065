package io.howdah.cli.data;

import io.howdah.Store;
import io.howdah.StoreOptions;
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

  /** Opens one that exists, to look at it. */
  Store openToRead() {
    if (!Files.exists(folder().resolve("store.howdah"))) {
      throw new DataException("there is no store in " + folder());
    }
    return Store.open(folder(), StoreOptions.defaults().withReadOnly(true));
  }

  private Path folder() {
    if (folder == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return folder;
  }
}
