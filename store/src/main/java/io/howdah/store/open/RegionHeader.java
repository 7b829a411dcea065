package io.howdah.store.open;

import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.words.Words;

/** The first words of a region, which say that it is one. */
public final class RegionHeader {

  private RegionHeader() {}

  /**
   * A new region gets its header by a transaction, so that recovery finds it like any other data.
   */
  public static void initialise(Words words, boolean mayBeNew, TxEnvironment engine) {
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
