package io.howdah.log.flush;

/** Called at least once when a wait for stability ends. Must neither block nor throw. */
@FunctionalInterface
public interface StabilityListener {

  /**
   * Called when the wait ends.
   *
   * @param isStable whether the LSN is stable; if not, the log has stopped
   */
  void released(boolean isStable);
}
