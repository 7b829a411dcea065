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
 * Words of the log that are not in the region yet, sorted by chunk and, within a chunk, in the
 * order of LSNs. Each chunk has a list of blocks of entries ({@link RedoRecordLayout}). {@link
 * DeferredReplay} replays them later. Stashing does not access the region, so reading the log does
 * not wait for page faults. The words of a chunk are replayed together, while the chunk's pages are
 * in the cache.
 *
 * <p>Two limits bound the stash. A chunk with more stashed bytes than twice its length is replayed
 * immediately, since its words were overwritten repeatedly, and a thread that requires the chunk
 * would otherwise wait for all of them. If the stash is full, its largest chunk is replayed.
 *
 * <p>One thread stashes. Afterwards the stash does not change, and any thread may read it.
 */
final class ChunkStash {

  /** A page: each list has one block to which it appends, which is then in one page. */
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

  /** Whether no word may be replayed before the whole log is stashed. */
  private final boolean keepsAll;

  /** Memory for {@value #SLAB_BLOCKS} blocks each; the last one may have fewer. */
  private final ByteBuffer[] slabs;

  private int maxBlocks;

  /** Number of blocks created so far. */
  private int created;

  /** For each block the next one in the list of its chunk, or in the list of free blocks. */
  private final int[] next;

  private int free = NONE;

  /** For each chunk its first block, or {@link #NONE}. */
  private final int[] first;

  /** For each chunk the number of its blocks. */
  private final int[] counts;

  /**
   * For each chunk its last block and the used bytes of that block, since every entry needs both.
   */
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
   * Creates an empty stash that never replays a word, even if later words overwrite it. If it is
   * full, {@link #add} throws {@link StashFullException}.
   *
   * @param logBytes maximum length of the log, including the records that only rings contain
   */
  static ChunkStash keepingAll(
      RegionChunks chunks, RegionReplay target, StagingMemory memory, long logBytes) {
    // A full block has entries of at least 31/32 of its size.
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
   * @param entries whole entries, each within one chunk
   * @param length number of words of the entries
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
      slab(tail).putLong(offset(tail), 0); // marks the end of the entries of this block
    }
    if (counts[chunk] >= maxChunkBlocks) {
      replayNow(chunk);
    }
    int block = allocateBlock();
    next[block] = NONE;
    if (first[chunk] == NONE) {
      first[chunk] = block;
    } else {
      next[lastBlock(chunk)] = block;
    }
    counts[chunk]++;
    return (long) block << USED_BITS;
  }

  private int allocateBlock() {
    if (free == NONE && created < maxBlocks) {
      createBlock();
    }
    if (free == NONE) {
      replayNow(largestChunk());
    }
    int block = free;
    free = next[block];
    return block;
  }

  /** Creates a free block, unless memory is exhausted. */
  private void createBlock() {
    int slab = created / SLAB_BLOCKS;
    if (created % SLAB_BLOCKS == 0) {
      try {
        slabs[slab] = memory.allocate(Math.min(SLAB_BLOCKS, maxBlocks - created) * BLOCK_BYTES);
      } catch (OutOfMemoryError e) {
        if (keepsAll) {
          throw new StashFullException(words);
        }
        if (created == 0) {
          throw e;
        }
        maxBlocks = created; // no more memory is available
        return;
      }
    }
    next[created] = NONE;
    free = created++;
  }

  private int largestChunk() {
    int largest = 0;
    for (int chunk = 1; chunk < counts.length; chunk++) {
      if (counts[chunk] > counts[largest]) {
        largest = chunk;
      }
    }
    return largest;
  }

  /** Replays a chunk and frees its blocks. */
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

  /** Returns the number of stashed words. */
  long words() {
    return words;
  }

  /** Returns whether no word of a chunk is stashed. */
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
