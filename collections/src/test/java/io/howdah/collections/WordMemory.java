package io.howdah.collections;

import io.howdah.core.Region;
import org.jspecify.annotations.Nullable;

/**
 * A region that one {@link WordStore} after the other opens. A test that opens it again shows what
 * is in the words alone: handles, caches, codecs and options are new. It shows nothing of a
 * recovery, since there is no log; tests of that open a store, as {@code CollectionCrashTest}.
 */
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
