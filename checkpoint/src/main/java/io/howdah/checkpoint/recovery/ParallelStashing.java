package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Stashes words on several threads: the feeder sorts entries by owner of their chunk, in the order
 * of LSNs, and every {@link StashingThread} stashes its own. Called by one thread, the feeder.
 */
final class ParallelStashing implements RedoSink, AutoCloseable {

  private final List<StashingThread> threads;
  private final ChunkSorter sorter;

  /**
   * Starts the threads.
   *
   * @param stashes one for each
   */
  ParallelStashing(RegionChunks chunks, List<ChunkStash> stashes, Execution execution) {
    List<StashingThread> made = new ArrayList<>();
    List<EntryFeed> feeds = new ArrayList<>();
    for (ChunkStash stash : stashes) {
      StashingThread thread = new StashingThread(made.size(), stash, execution);
      made.add(thread);
      feeds.add(new EntryFeed(thread));
    }
    this.threads = List.copyOf(made);
    this.sorter = new ChunkSorter(chunks, feeds);
    boolean areStarted = false;
    try {
      for (StashingThread thread : threads) {
        thread.start();
      }
      areStarted = true;
    } finally {
      if (!areStarted) {
        close(); // nobody else has the threads yet
      }
    }
  }

  @Override
  public void redo(ByteBuffer source, int from, int to) {
    sorter.redo(source, from, to);
  }

  /** Waits until every word so far is stashed; the stashes are then visible to the caller. */
  void drain() {
    sorter.flush();
    for (StashingThread thread : threads) {
      thread.awaitAll();
    }
  }

  /** Ends the threads; what they have not stashed is lost. */
  @Override
  public void close() {
    for (StashingThread thread : threads) {
      thread.close();
    }
  }
}
