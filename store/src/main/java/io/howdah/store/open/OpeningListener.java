package io.howdah.store.open;

import io.howdah.checkpoint.recovery.DeferredReplay;

/** Is told what an opening found, and when the memory of the store is complete. */
public interface OpeningListener extends DeferredReplay.DoneListener {

  /** Is told nothing. */
  OpeningListener NONE =
      new OpeningListener() {
        @Override
        public void opened(OpeningFacts facts) {}

        @Override
        public void replayed(long words, long chunksOnDemand) {}
      };

  /** Is told of a store that serves from now on. Called once, on the thread that opens it. */
  void opened(OpeningFacts facts);

  /**
   * Is told that every word of the log is in memory, if some were not when the store opened. Called
   * at most once, on a thread of the engine, which must not wait here. May be called before {@link
   * #opened}.
   *
   * @param words that were not in memory when the store opened
   * @param chunksOnDemand parts of the region that transactions needed before their turn
   */
  @Override
  void replayed(long words, long chunksOnDemand);
}
