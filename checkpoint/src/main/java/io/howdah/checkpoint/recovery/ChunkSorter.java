package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Distributes the entries that a recovery replays to the feeds of stashing threads. Each chunk of
 * the region belongs to one thread, and an entry that extends over several chunks is divided. So
 * the words of a chunk arrive in the order of LSNs, and no thread waits for another. For one
 * thread.
 */
final class ChunkSorter implements RedoSink, HeaderSplit.EntrySink {

  private final RegionChunks chunks;
  private final List<EntryFeed> feeds;

  /** The feed of each chunk. Reading it takes less time than computing the owner for every word. */
  private final EntryFeed[] feedOf;

  /**
   * Creates a sorter.
   *
   * @param feeds of the threads to which chunks belong, see {@link RegionChunks#owner}
   */
  ChunkSorter(RegionChunks chunks, List<EntryFeed> feeds) {
    this.chunks = chunks;
    this.feeds = List.copyOf(feeds);
    this.feedOf = new EntryFeed[chunks.count()];
    if (feeds.size() == 1) {
      Arrays.fill(feedOf, feeds.getFirst());
      return;
    }
    for (int chunk = 0; chunk < feedOf.length; chunk++) {
      feedOf[chunk] = feeds.get(RegionChunks.owner(chunk, feeds.size()));
    }
  }

  /** Returns a sorter that stashes in the calling thread. */
  static ChunkSorter into(RegionChunks chunks, ChunkStash stash) {
    return new ChunkSorter(chunks, List.of(new EntryFeed(new Stashing(stash))));
  }

  private record Stashing(ChunkStash stash) implements EntryFeed.Outlet {
    @Override
    public long[] pass(long[] block, int length) {
      stash.add(block, length);
      return block;
    }
  }

  @Override
  public void redo(ByteBuffer source, int from, int to) {
    for (int at = from; at < to; ) {
      long entry = source.getLong(at);
      int run = RedoRecordLayout.entryRun(entry);
      at += Long.BYTES;
      add(entry, RedoRecordLayout.entryAddress(entry), run, source, at);
      at += run * Region.WORD_BYTES;
    }
  }

  @Override
  public void add(long head, long address, int run, ByteBuffer source, int at) {
    if (run == 1) {
      feedOf[chunks.containing(address)].add(head, source.getLong(at));
    } else {
      redoRun(address, source, at, run);
    }
  }

  private void redoRun(long from, ByteBuffer source, int at, int words) {
    for (int done = 0; done < words; ) {
      long address = from + (long) done * Region.WORD_BYTES;
      int chunk = chunks.containing(address);
      int run =
          (int) Math.min(words - done, (chunks.end(chunk) - address) / (long) Region.WORD_BYTES);
      feedOf[chunk].addRun(address, source, at + done * Region.WORD_BYTES, run);
      done += run;
    }
  }

  /** Passes all entries so far to the stashes. */
  void flush() {
    for (EntryFeed feed : feeds) {
      feed.flush();
    }
  }
}
