package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Stashes words with several threads. The calling thread, the feeder, distributes the entries to
 * the threads by chunk, in the order of LSNs; each {@link StashingThread} stashes the entries of
 * its chunks. Called by one thread.
 */
final class ParallelStashing implements RedoSink, HeaderSplit.EntrySink, AutoCloseable {

  private final List<StashingThread> threads;
  private final ChunkSorter sorter;

  /**
   * Starts the threads.
   *
   * @param stashes one for each thread
   */
  ParallelStashing(RegionChunks chunks, List<ChunkStash> stashes, Execution execution) {
    List<StashingThread> created = new ArrayList<>();
    List<EntryFeed> feeds = new ArrayList<>();
    for (ChunkStash stash : stashes) {
      StashingThread thread = new StashingThread(created.size(), stash, execution);
      created.add(thread);
      feeds.add(new EntryFeed(thread));
    }
    this.threads = List.copyOf(created);
    this.sorter = new ChunkSorter(chunks, feeds);
    boolean areStarted = false;
    try {
      for (StashingThread thread : threads) {
        thread.start();
      }
      areStarted = true;
    } finally {
      if (!areStarted) {
        close(); // ends the started threads, which no caller knows
      }
    }
  }

  @Override
  public void redo(ByteBuffer source, int from, int to) {
    sorter.redo(source, from, to);
  }

  @Override
  public void add(long head, long address, int run, ByteBuffer source, int at) {
    sorter.add(head, address, run, source, at);
  }

  /** Waits until every word so far is stashed and visible to the caller. */
  void drain() {
    sorter.flush();
    for (StashingThread thread : threads) {
      thread.awaitAll();
    }
  }

  /** Ends the threads. Discards entries that are not stashed. */
  @Override
  public void close() {
    for (StashingThread thread : threads) {
      thread.close();
    }
  }
}
