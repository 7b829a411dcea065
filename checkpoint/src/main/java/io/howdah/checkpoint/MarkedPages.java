package io.howdah.checkpoint;

import io.howdah.core.Region;
import java.nio.ByteBuffer;

/**
 * The pages that commits have marked. They are copied word by word while further commits run. Used
 * by the thread that takes the checkpoint.
 */
record MarkedPages(Region region, DirtyPages dirty) implements PageSource {

  @Override
  public long next(long fromPage) {
    return dirty.next(fromPage);
  }

  @Override
  public void copy(long page, ByteBuffer target) {
    region.copyWordsTo(page * dirty.pageBytes(), target);
  }
}
