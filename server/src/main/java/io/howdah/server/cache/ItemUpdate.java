package io.howdah.server.cache;

import org.jspecify.annotations.Nullable;

/** Decides what becomes of the item under one key. May run more than once; the last run counts. */
@FunctionalInterface
public interface ItemUpdate {

  /**
   * Returns the item that is to be there afterwards.
   *
   * @param current the live item under the key, or null
   * @return {@code current} itself to change nothing, null to remove it, otherwise the new item
   */
  @Nullable Item apply(@Nullable Item current);
}
