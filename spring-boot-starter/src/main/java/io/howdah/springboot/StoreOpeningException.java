package io.howdah.springboot;

import io.howdah.core.HowdahException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A store of the properties could not be opened. */
final class StoreOpeningException extends HowdahException {

  private static final long serialVersionUID = 1L;

  private final String store;

  StoreOpeningException(String store, @Nullable Path directory, HowdahException cause) {
    super(
        "store \""
            + store
            + "\" in "
            + (directory == null ? "memory" : directory.toAbsolutePath())
            + " was not opened: "
            + cause.getMessage(),
        cause);
    this.store = store;
  }

  /** Returns the name in the properties. */
  String store() {
    return store;
  }
}
