package io.howdah.store.open;

import io.howdah.checkpoint.ImageFile;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.words.Words;
import java.util.function.Consumer;

/** The first words of a region, which say that it is one. */
public final class RegionHeader {

  private RegionHeader() {}

  /** Initialises the header; the body of the first transaction of a store. */
  public record Initialisation(boolean mayBeNew, TxEnvironment engine) implements Consumer<Words> {
    @Override
    public void accept(Words words) {
      initialise(words, mayBeNew, engine);
    }
  }

  /**
   * A new region gets its header by a transaction, so that recovery finds it like any other data.
   */
  static void initialise(Words words, boolean mayBeNew, TxEnvironment engine) {
    long magic = words.getUnchecked(RegionHeaderLayout.MAGIC_ADDRESS);
    if (magic == 0 && !mayBeNew) {
      throw StoreOpening.headerGone();
    }
    if (magic == 0 && engine.isReadOnly()) {
      throw new ReadOnlyStoreException(
          "the store was created and never used: it holds nothing to read; open it once"
              + " without readOnly");
    }
    if (magic == 0) {
      words.putUnchecked(RegionHeaderLayout.MAGIC_ADDRESS, RegionHeaderLayout.MAGIC);
      words.putUnchecked(RegionHeaderLayout.VERSION_ADDRESS, RegionHeaderLayout.VERSION);
      words.putUnchecked(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
    } else {
      requireKnownRegion(magic, words.getUnchecked(RegionHeaderLayout.VERSION_ADDRESS));
      requireTop(
          words.getUnchecked(RegionHeaderLayout.TOP_ADDRESS), engine.region().capacityBytes());
    }
  }

  /**
   * Throws if the end of what the allocator has handed out is none: it would hand out pages that
   * are in use, or look for blocks beyond the region.
   *
   * @param top as the header has it
   */
  static void requireTop(long top, long capacityBytes) {
    if (top < RegionHeaderLayout.BLOCKS_ADDRESS
        || top > capacityBytes
        || (top & ((1L << PageLayout.PAGE_SHIFT) - 1)) != 0) {
      throw new CorruptStoreException(
          ImageFile.NAME,
          RegionHeaderLayout.TOP_ADDRESS,
          "the end of the pages in use is "
              + top
              + ", which is not the end of a page from "
              + RegionHeaderLayout.BLOCKS_ADDRESS
              + " to "
              + capacityBytes
              + ": the region's header is damaged; restore the store from a backup");
    }
  }

  private static void requireKnownRegion(long magic, long version) {
    if (magic != RegionHeaderLayout.MAGIC || version != RegionHeaderLayout.VERSION) {
      throw new UnsupportedStoreException(
          "the store's data has a layout unknown to this version of Howdah: magic "
              + Long.toHexString(magic)
              + ", version "
              + version
              + "; open it with the version that wrote it");
    }
  }
}
