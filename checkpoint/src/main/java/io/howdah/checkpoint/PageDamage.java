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
   * Takes a page.
   *
   * @param page larger than those before
   * @param damage what is wrong with it
   */
  void accept(long page, CorruptStoreException damage);
}
