package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.RegionHeaderLayout;

/** The name of the file {@code image}, and further constants of its readers. */
public final class ImageFile {

  /** Name of the file, in the store's root. */
  public static final String NAME = "image";

  /** Number of pages in the region's header. */
  static final int HEADER_PAGES = RegionHeaderLayout.BLOCKS_ADDRESS / Alignment.PAGE_BYTES;

  private ImageFile() {}

  /** Returns the exception of a read that found the file shorter than before. */
  static CorruptStoreException shrank(long offset) {
    return new CorruptStoreException(NAME, offset, "the image shrank while it was read");
  }
}
