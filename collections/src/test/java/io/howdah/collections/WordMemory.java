package io.howdah.collections;

import io.howdah.core.Region;
import org.jspecify.annotations.Nullable;

/** A region that one {@link WordStore} after the other opens, like the files of a store. */
public final class WordMemory implements AutoCloseable {

  private @Nullable Region region;

  /** Returns the region, a new one the first time. */
  Region region(WordOptions options) {
    Region found = region;
    if (found == null) {
      found = options.allocate(options.maxSize());
      region = found;
    }
    return found;
  }

  @Override
  public void close() {
    if (region != null) {
      region.close();
      region = null;
    }
  }
}
