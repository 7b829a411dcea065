package io.howdah.log.flush;

/** Told, perhaps more than once, how a wait for stability ended. Must neither block nor throw. */
@FunctionalInterface
public interface StabilityListener {

  /**
   * Called when the wait ends.
   *
   * @param isStable whether the LSN is stable; if not, the log has stopped
   */
  void released(boolean isStable);
}
