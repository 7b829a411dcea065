package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import java.nio.ByteBuffer;

/**
 * Redo entries on their way to the threads that stash them, and for each thread a list of those
 * that are its own. The feeder fills it, the threads read it, by turns.
 *
 * <p>Each chunk of the region belongs to one thread, and an entry is listed for the owner of its
 * chunk, in the order of LSNs; one that crosses into another chunk is listed for all. The lists
 * make a thread's share a loop without a branch that depends on whose an entry is: such a branch is
 * as good as random, and would be guessed wrong for every other word.
 */
final class ReplayBlock {

  /** Bytes of entries; those of one record fit. */
  static final int BYTES = RedoRecordLayout.MAX_LENGTH;

  /** The shortest entry is a head and a word. */
  private static final int MAX_ENTRIES = BYTES / (2 * Long.BYTES);

  private final RegionChunks chunks;
  private final ByteBuffer bytes;
  private final int threads;
  private final int[][] starts;
  private final int[] counts;

  ReplayBlock(RegionChunks chunks, ByteBuffer bytes, int threads) {
    this.chunks = chunks;
    this.bytes = bytes;
    this.threads = threads;
    this.starts = new int[threads][MAX_ENTRIES];
    this.counts = new int[threads];
  }

  /** Returns whether so many more bytes of entries fit. */
  boolean hasRoom(int lengthBytes) {
    return bytes.remaining() >= lengthBytes;
  }

  boolean isEmpty() {
    return bytes.position() == 0;
  }

  void clear() {
    bytes.clear();
    for (int i = 0; i < threads; i++) {
      counts[i] = 0;
    }
  }

  /** Adds whole entries, for which there is room. */
  void add(ByteBuffer source, int from, int to) {
    int target = bytes.position();
    bytes.put(target, source, from, to - from);
    bytes.position(target + to - from);
    for (int at = from; at < to; ) {
      long entry = source.getLong(at);
      int run = RedoRecordLayout.entryRun(entry);
      long address = RedoRecordLayout.entryAddress(entry);
      int chunk = chunks.containing(address);
      if (chunk == chunks.containing(address + (long) (run - 1) * Region.WORD_BYTES)) {
        list(RegionChunks.owner(chunk, threads), target + at - from);
      } else {
        for (int thread = 0; thread < threads; thread++) {
          list(thread, target + at - from);
        }
      }
      at += Long.BYTES + run * Region.WORD_BYTES;
    }
  }

  private void list(int thread, int start) {
    starts[thread][counts[thread]++] = start;
  }

  /** Stashes what belongs to a thread. */
  void stash(int thread, ChunkStash target) {
    ByteBuffer block = bytes;
    int[] own = starts[thread];
    int count = counts[thread];
    for (int i = 0; i < count; i++) {
      int at = own[i];
      long entry = block.getLong(at);
      long address = RedoRecordLayout.entryAddress(entry);
      int run = RedoRecordLayout.entryRun(entry);
      if (run == 1) {
        target.add(address, block, at + Long.BYTES, 1);
      } else {
        stashRun(thread, address, at + Long.BYTES, run, target);
      }
    }
  }

  /** Stashes those words of a run that lie in a thread's chunks. */
  private void stashRun(int thread, long address, int at, int words, ChunkStash target) {
    long next = address;
    int from = at;
    int left = words;
    while (left > 0) {
      int chunk = chunks.containing(next);
      int run = (int) Math.min(left, (chunks.end(chunk) - next) / Region.WORD_BYTES);
      if (RegionChunks.owner(chunk, threads) == thread) {
        target.add(next, bytes, from, run);
      }
      next += (long) run * Region.WORD_BYTES;
      from += run * Region.WORD_BYTES;
      left -= run;
    }
  }
}
