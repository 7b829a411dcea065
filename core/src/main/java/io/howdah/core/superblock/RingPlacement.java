package io.howdah.core.superblock;

import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.storage.StorageName;

/** Where the rings of the current opening are, if it has any. */
public sealed interface RingPlacement {

  /**
   * Rings that are not there, so that the log alone decides: those of a copy, which stayed where
   * they were. No opening has this nonce.
   */
  RingPlacement ABSENT = new StoreDirectory(1);

  /** Returns the nonce of the opening, which the rings carry too; 0 if there is no such opening. */
  long nonce();

  /**
   * No rings: the store is not open, or was never opened.
   *
   * @param nonce of the opening that closed the store and kept its memory (docs/protocol.md, R61);
   *     0 if no memory was kept
   */
  record None(long nonce) implements RingPlacement {

    /** No rings, and no memory. */
    public None() {
      this(0);
    }
  }

  /**
   * In a volatile place, by its name.
   *
   * @param name of the place, as {@link io.howdah.core.storage.Storage#volatilePlace} takes it
   * @param nonce of the opening; the rings carry the same
   */
  record VolatilePlace(String name, long nonce) implements RingPlacement {

    /** Refuses names that are none. */
    public VolatilePlace {
      if (StorageName.requireSingle(name).length() > SuperblockLayout.MAX_PLACE_LENGTH) {
        throw new IllegalArgumentException("name of a volatile place too long: " + name);
      }
    }
  }

  /**
   * In the store's own directory.
   *
   * @param nonce of the opening; the rings carry the same
   */
  record StoreDirectory(long nonce) implements RingPlacement {}
}
