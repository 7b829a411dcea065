package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;

/** Takes the pages of an image that have not their checksums. */
interface PageDamage {

  /** Ends with the first one. */
  PageDamage FATAL =
      (_, damage) -> {
        throw damage;
      };

  /**
   * Receives a damaged page.
   *
   * @param page larger than all pages before
   * @param damage the damage
   */
  void accept(long page, CorruptStoreException damage);
}
