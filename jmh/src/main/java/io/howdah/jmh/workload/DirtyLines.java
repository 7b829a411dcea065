package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.txn.TxOptions;
import java.util.BitSet;

/**
 * Dirties lines of 64 bytes of a store, in patterns, to see what a checkpoint writes for them. For
 * one thread.
 */
public final class DirtyLines {

  /** Bytes in a line. */
  public static final int LINE_BYTES = 64;

  private static final int PAGE_BYTES = 4096;
  private static final int PAGE_LINES = PAGE_BYTES / LINE_BYTES;

  /** A power of two with room for the start of a page, and for what the allocator adds. */
  private static final long BLOCK_BYTES = (16L << 20) - 2 * PAGE_BYTES;

  private static final int LINES_PER_TRANSACTION = 64;

  private final Store store;
  private final long[] blocks;
  private final RandomWords random = new RandomWords(1);
  private long round;

  private DirtyLines(Store store, long[] blocks) {
    this.store = store;
    this.blocks = blocks;
  }

  /** Returns the {@code maxSize} that a store needs for so many bytes. */
  public static long maxSize(long bytes) {
    return bytes + bytes / 8 + (64L << 20);
  }

  /** Allocates whole pages in a new store. */
  public static DirtyLines create(Store store, long bytes) {
    long[] blocks = new long[(int) (bytes / BLOCK_BYTES)];
    for (int i = 0; i < blocks.length; i++) {
      long block = store.call(TxOptions.async(), tx -> tx.allocate(BLOCK_BYTES + PAGE_BYTES - 16));
      blocks[i] = (block + PAGE_BYTES - 1) & -PAGE_BYTES;
    }
    return new DirtyLines(store, blocks);
  }

  /** Returns how many pages there are. */
  public int pages() {
    return (int) (blocks.length * (BLOCK_BYTES / PAGE_BYTES));
  }

  /** Dirties so many different lines, anywhere; returns them. */
  public BitSet sparse(long lines) {
    BitSet chosen = new BitSet(pages() * PAGE_LINES);
    round++;
    for (long i = 0; i < lines; i++) {
      int line;
      do {
        line = (int) random.next((long) pages() * PAGE_LINES);
      } while (chosen.get(line));
      chosen.set(line);
    }
    return write(chosen);
  }

  /** Dirties so many pages from one on, every line; returns the lines. */
  public BitSet dense(int from, int pages) {
    BitSet chosen = new BitSet();
    round++;
    chosen.set(from * PAGE_LINES, (from + pages) * PAGE_LINES);
    return write(chosen);
  }

  /**
   * Dirties so many lines, chosen at random, of each of so many pages from one on; returns them.
   */
  public BitSet perPage(int from, int pages, int lines) {
    BitSet chosen = new BitSet();
    round++;
    for (int page = from; page < from + pages; page++) {
      for (int i = 0; i < lines; ) {
        int line = page * PAGE_LINES + (int) random.next(PAGE_LINES);
        if (!chosen.get(line)) {
          chosen.set(line);
          i++;
        }
      }
    }
    return write(chosen);
  }

  private BitSet write(BitSet lines) {
    for (int first = lines.nextSetBit(0); first >= 0; ) {
      int from = first;
      int[] next = new int[1];
      store.run(
          TxOptions.async(),
          tx -> {
            int line = from;
            for (int i = 0; i < LINES_PER_TRANSACTION && line >= 0; i++) {
              tx.putLong(address(line), round);
              line = lines.nextSetBit(line + 1);
            }
            next[0] = line;
          });
      first = next[0];
    }
    return lines;
  }

  private long address(int line) {
    long offset = (long) line * LINE_BYTES;
    return blocks[(int) (offset / BLOCK_BYTES)] + offset % BLOCK_BYTES;
  }
}
