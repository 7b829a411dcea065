package io.howdah.nvmsim.persistency;

/**
 * A memory persistency model over sequential consistency. All models share the rules for
 * conflicting accesses (strong persist atomicity); a model says what orders the accesses of one
 * thread. A new model is one class that implements this; the analysers, the persist DAG and the
 * command take it.
 *
 * <p>Implementations keep no state: one instance serves many threads and analysers.
 */
public interface PersistencyModel {
  /** Short name, as the command prints it. */
  String name();

  /** Called for each {@code PERSIST_BARRIER}. */
  void onBarrier(ThreadOrder thread);

  /** Called for each {@code NEW_STRAND}; most models ignore it. */
  default void onNewStrand(ThreadOrder thread) {}

  /**
   * Called for each {@code FLUSH}: the thread writes back the lines of these bytes. Most models
   * ignore it; one that needs it calls {@link ThreadOrder#writeBack}.
   */
  default void onFlush(ThreadOrder thread, long address, int size) {}

  /** Called for each {@code FENCE}: a barrier, for models that ignore write-backs. */
  default void onFence(ThreadOrder thread) {
    onBarrier(thread);
  }

  /** Called for each {@code PERSIST_SYNC}: the thread waited, so what follows comes after. */
  default void onSync(ThreadOrder thread) {
    thread.waited();
  }

  /** Whether {@link #onAccess} does anything; asked once. */
  default boolean observesAccesses() {
    return false;
  }

  /**
   * Called after each access, only if {@link #observesAccesses}.
   *
   * @param kind {@code Event.LOAD}, {@code STORE} or {@code RMW}
   * @param address of the first byte
   * @param size in bytes
   */
  default void onAccess(ThreadOrder thread, int kind, boolean persistent, long address, int size) {}

  /** Whether conflicts on volatile memory order persists; asked once. */
  default boolean tracksVolatile() {
    return true;
  }

  /** Whether a store is ordered after earlier loads of its word; asked once. */
  default boolean tracksLoads() {
    return true;
  }
}
