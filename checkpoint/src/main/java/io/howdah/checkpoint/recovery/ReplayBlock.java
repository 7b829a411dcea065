package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import java.nio.ByteBuffer;

/**
 * Redo entries on their way to the threads that replay them, and for each thread a list of those
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

  /**
   * Chunks of 256 KiB: few enough entries cross from one into the next, and enough chunks that the
   * threads have equal shares of whatever part of the region is busy.
   */
  private static final int CHUNK_SHIFT = 18;

  private static final long CHUNK_BYTES = 1L << CHUNK_SHIFT;

  /** The shortest entry is a head and a word. */
  private static final int MAX_ENTRIES = BYTES / (2 * Long.BYTES);

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final ByteBuffer bytes;
  private final int threads;
  private final int[][] starts;
  private final int[] counts;

  ReplayBlock(ByteBuffer bytes, int threads) {
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
      long chunk = chunk(address);
      if (chunk == chunk(address + (long) (run - 1) * Region.WORD_BYTES)) {
        list(owner(chunk), target + at - from);
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

  /** Replays what belongs to a thread. */
  void replay(int thread, RegionReplay target) {
    ByteBuffer block = bytes;
    int[] own = starts[thread];
    int count = counts[thread];
    for (int i = 0; i < count; i++) {
      int at = own[i];
      long entry = block.getLong(at);
      long address = RedoRecordLayout.entryAddress(entry);
      int run = RedoRecordLayout.entryRun(entry);
      if (run == 1) {
        target.redo(address, block, at + Long.BYTES, 1);
      } else {
        replayRun(thread, address, at + Long.BYTES, run, target);
      }
    }
  }

  /** Replays those words of a run that lie in a thread's chunks. */
  private void replayRun(int thread, long address, int at, int words, RegionReplay target) {
    long next = address;
    int from = at;
    int left = words;
    while (left > 0) {
      long chunk = chunk(next);
      int run = (int) Math.min(left, ((chunk + 1) * CHUNK_BYTES - next) / Region.WORD_BYTES);
      if (owner(chunk) == thread) {
        target.redo(next, bytes, from, run);
      }
      next += (long) run * Region.WORD_BYTES;
      from += run * Region.WORD_BYTES;
      left -= run;
    }
  }

  private static long chunk(long address) {
    return address >>> CHUNK_SHIFT;
  }

  /** Neighbouring chunks belong to different threads, whatever stride the application writes in. */
  private int owner(long chunk) {
    long hash = (chunk * SPREAD) >>> 32;
    return (int) ((hash * threads) >>> 32);
  }
}
