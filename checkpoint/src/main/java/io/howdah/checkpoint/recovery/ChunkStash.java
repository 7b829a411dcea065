package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RedoRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Words that a log replays and that are not in the region yet, sorted by chunk, in the order of
 * LSNs within each: for every chunk a list of blocks that hold entries ({@link RedoRecordLayout}).
 * Stashing does not access the region, so reading the log does not wait for page faults. The words
 * of a chunk are replayed together, while the chunk's pages are in the cache.
 *
 * <p>Two limits bound the stash. A chunk with more stashed bytes than twice its length is replayed
 * immediately, since its words were overwritten repeatedly, and a thread that requires the chunk
 * would otherwise wait for all of them. If the stash is full, its largest chunk is replayed.
 *
 * <p>One thread stashes. Afterwards the stash does not change, and any thread may read it.
 */
final class ChunkStash {

  /** A page, so that the lists that grow, one for each chunk, end in as many pages. */
  static final int BLOCK_BYTES = 4096;

  private static final int SLAB_BLOCKS = 64;
  private static final int ENTRY_BYTES = 2 * Long.BYTES;
  private static final int NONE = -1;

  private static final ValueLayout.OfLong WORDS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int USED_BITS = 13;
  private static final int USED_MASK = (1 << USED_BITS) - 1;

  /** The tail of an empty list, which has no room. */
  private static final long EMPTY = BLOCK_BYTES;

  private final RegionChunks chunks;
  private final RegionReplay target;
  private final StagingMemory memory;
  private final int maxChunkBlocks;

  /** Whether all that comes is kept: nothing is replayed before all of it is stashed. */
  private final boolean keepsAll;

  /** Of {@value #SLAB_BLOCKS} blocks each, the last perhaps of fewer. */
  private final ByteBuffer[] slabs;

  private int maxBlocks;
  private int made;

  /** The block after each block, in a chunk's list or in that of the free ones. */
  private final int[] next;

  private int free = NONE;

  // Of each chunk: where its list begins, how long it is, and its last block with the bytes of that
  // which are used, in one word because every entry needs both.
  private final int[] first;
  private final int[] counts;
  private final long[] tails;

  private long words;

  /**
   * Creates an empty stash.
   *
   * @param target replays words for which the stash has no room
   * @param maxBytes maximum memory for blocks; at least one block is allocated
   */
  ChunkStash(RegionChunks chunks, RegionReplay target, StagingMemory memory, long maxBytes) {
    this(chunks, target, memory, maxBytes, false);
  }

  /**
   * Creates one that keeps all of a log, however often its words overwrite each other. When it is
   * full, {@link #add} throws {@link StashFullException}.
   *
   * @param logBytes length of the log, entries and all, with what only rings hold
   */
  static ChunkStash keepingAll(
      RegionChunks chunks, RegionReplay target, StagingMemory memory, long logBytes) {
    // A full block holds at least 31/32 of its size in bytes of log.
    long blocks = logBytes / (BLOCK_BYTES - BLOCK_BYTES / 32) + chunks.count() + 1;
    return new ChunkStash(chunks, target, memory, blocks * BLOCK_BYTES, true);
  }

  private ChunkStash(
      RegionChunks chunks,
      RegionReplay target,
      StagingMemory memory,
      long maxBytes,
      boolean keepsAll) {
    this.keepsAll = keepsAll;
    this.chunks = chunks;
    this.target = target;
    this.memory = memory;
    this.maxBlocks = Math.clamp(maxBytes / BLOCK_BYTES, 1, 1 << 24);
    this.maxChunkBlocks =
        keepsAll ? maxBlocks : (int) Math.min(maxBlocks, 2 * chunks.bytes() / BLOCK_BYTES);
    this.slabs = new ByteBuffer[(maxBlocks + SLAB_BLOCKS - 1) / SLAB_BLOCKS];
    this.next = new int[maxBlocks];
    this.first = new int[chunks.count()];
    this.counts = new int[chunks.count()];
    this.tails = new long[chunks.count()];
    Arrays.fill(first, NONE);
    Arrays.fill(tails, EMPTY);
  }

  // ---- Stashing.

  /**
   * Stashes entries.
   *
   * @param entries whole ones, each within one chunk
   * @param length how many words they are
   */
  void add(long[] entries, int length) {
    for (int at = 0; at < length; ) {
      long entry = entries[at];
      int run = RedoRecordLayout.entryRun(entry);
      int chunk = chunks.containing(RedoRecordLayout.entryAddress(entry));
      if (run == 1) {
        add(chunk, entry, entries[at + 1]);
      } else {
        addRun(chunk, RedoRecordLayout.entryAddress(entry), entries, at + 1, run);
      }
      at += 1 + run;
    }
  }

  private void add(int chunk, long entry, long word) {
    long tail = tails[chunk];
    if ((tail & USED_MASK) > BLOCK_BYTES - ENTRY_BYTES) {
      tail = grow(chunk);
    }
    ByteBuffer slab = slab(tail);
    int to = offset(tail);
    slab.putLong(to, entry);
    slab.putLong(to + Long.BYTES, word);
    tails[chunk] = tail + ENTRY_BYTES;
    words++;
  }

  private void addRun(int chunk, long from, long[] source, int at, int words) {
    for (int added = 0; added < words; ) {
      long tail = tails[chunk];
      if ((tail & USED_MASK) > BLOCK_BYTES - ENTRY_BYTES) {
        tail = grow(chunk);
      }
      int room = (BLOCK_BYTES - (int) (tail & USED_MASK)) / Long.BYTES - 1;
      int run = Math.min(words - added, room);
      int to = offset(tail);
      long address = from + (long) added * Region.WORD_BYTES;
      slab(tail).putLong(to, RedoRecordLayout.entryHead(address, run));
      MemorySegment.copy(
          source, at + added, MemorySegment.ofBuffer(slab(tail)), WORDS, to + Long.BYTES, run);
      tails[chunk] = tail + Long.BYTES + (long) run * Region.WORD_BYTES;
      added += run;
    }
    this.words += words;
  }

  /** Appends a block to a chunk's list and returns its tail. */
  private long grow(int chunk) {
    long tail = tails[chunk];
    if ((tail & USED_MASK) < BLOCK_BYTES) {
      slab(tail).putLong(offset(tail), 0); // no entry: the block ends here
    }
    if (counts[chunk] >= maxChunkBlocks) {
      replayNow(chunk);
    }
    int block = takeBlock();
    next[block] = NONE;
    if (first[chunk] == NONE) {
      first[chunk] = block;
    } else {
      next[lastBlock(chunk)] = block;
    }
    counts[chunk]++;
    return (long) block << USED_BITS;
  }

  private int takeBlock() {
    if (free == NONE && made < maxBlocks) {
      makeBlock();
    }
    if (free == NONE) {
      replayNow(fullest());
    }
    int block = free;
    free = next[block];
    return block;
  }

  private void makeBlock() {
    int slab = made / SLAB_BLOCKS;
    if (made % SLAB_BLOCKS == 0) {
      try {
        slabs[slab] = memory.allocate(Math.min(SLAB_BLOCKS, maxBlocks - made) * BLOCK_BYTES);
      } catch (OutOfMemoryError e) {
        if (keepsAll) {
          throw new StashFullException(words);
        }
        if (made == 0) {
          throw e;
        }
        maxBlocks = made; // so this is all the memory there is
        return;
      }
    }
    next[made] = NONE;
    free = made++;
  }

  private int fullest() {
    int fullest = 0;
    for (int chunk = 1; chunk < counts.length; chunk++) {
      if (counts[chunk] > counts[fullest]) {
        fullest = chunk;
      }
    }
    return fullest;
  }

  private void replayNow(int chunk) {
    if (keepsAll) {
      throw new StashFullException(words);
    }
    words -= replay(chunk);
    next[lastBlock(chunk)] = free;
    free = first[chunk];
    first[chunk] = NONE;
    counts[chunk] = 0;
    tails[chunk] = EMPTY;
  }

  private int lastBlock(int chunk) {
    return (int) (tails[chunk] >>> USED_BITS);
  }

  private ByteBuffer slab(long tail) {
    return slabs[(int) (tail >>> USED_BITS) / SLAB_BLOCKS];
  }

  private static int offset(long tail) {
    return (int) (tail >>> USED_BITS) % SLAB_BLOCKS * BLOCK_BYTES + (int) (tail & USED_MASK);
  }

  // ---- Replaying.

  /** Returns how many words are stashed. */
  long words() {
    return words;
  }

  /** Returns whether nothing of a chunk is stashed. */
  boolean isEmpty(int chunk) {
    return first[chunk] == NONE;
  }

  /**
   * Replays the stashed words of a chunk. May be repeated until another thread writes to the chunk.
   *
   * @return the number of words
   */
  long replay(int chunk) {
    RegionReplay.Pages pages = target.pages((long) chunk * chunks.bytes(), chunks.bytes());
    long count = 0;
    long tail = tails[chunk];
    int last = lastBlock(chunk);
    for (int block = first[chunk]; block != NONE; block = next[block]) {
      long start = (long) block << USED_BITS;
      int length = (block == last ? (int) (tail & USED_MASK) : BLOCK_BYTES) / Long.BYTES;
      count += target.redo(slab(start), offset(start), length, pages);
    }
    target.mark(pages);
    return count;
  }

  /** Returns a more specific exception for a fault of {@link #replay}; otherwise {@code thrown}. */
  Throwable explained(Throwable thrown, int chunk) {
    return target.explained(thrown, (long) chunk * chunks.bytes(), chunks.bytes());
  }
}
