package io.howdah.store.open;

/** What an opening has to undo when its store is closed. */
@FunctionalInterface
public interface OnClose {

  /**
   * Closes log and memory. Runs once.
   *
   * @param quiescent whether no commit is under way, as is usual; false if one did not end in time,
   *     or if one broke off and stopped the store
   */
  void close(boolean quiescent);
}
