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

  /**
   * None: the store is a node of a replica group, whose log is not in its directory
   * (docs/protocol.md, R75). Names the place in that log from which a replay makes the image
   * complete: the end of an entry, behind which no record waits for a later one. All numbers are 0
   * before the first entry.
   *
   * @param term of the entry
   * @param index of the entry
   * @param epoch of the last batch up to there
   * @param nonce of that epoch
   * @param sequence of that batch, 0 if the epoch has none
   * @param crc checksum of that batch, or what the first batch names as its predecessor's
   * @param cut dense LSN: all commits up to it, and no others, are in the log up to there
   */
  record Replica(long term, long index, long epoch, long nonce, long sequence, int crc, long cut)
      implements RingPlacement {

    /** The place before the first entry. */
    public static final Replica START = new Replica(0, 0, 0, 0, 0, 0, 0);

    /** Refuses values out of bounds. */
    public Replica {
      Bounds.requireCounter("term", term, 0);
      Bounds.requireCounter("index", index, 0);
      Bounds.requireCounter("epoch", epoch, 0);
      Bounds.requireCounter("sequence", sequence, 0);
      Bounds.requireLsn("cut", cut);
    }
  }
}
