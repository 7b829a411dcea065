package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;

/** Receives the damaged pages of an image: those that do not match their checksums. */
interface PageDamage {

  /** Throws the exception of the first damaged page. */
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
