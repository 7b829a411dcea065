package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.engine.EngineThread;
import java.util.function.Consumer;

/**
 * A thread of {@link ParallelStashing}: stashes the blocks of entries that the feeder passes to it,
 * in their order. It uses {@value #BLOCKS} blocks.
 */
final class StashingThread
    implements EntryFeed.Outlet, Runnable, Consumer<Throwable>, AutoCloseable {

  /** One is being filled, one is being stashed, and the others compensate for different speeds. */
  private static final int BLOCKS = 16;

  private static final long PARK_NANOS = 1_000_000;

  private final ChunkStash target;
  private final Execution execution;
  private final Thread feeder = Thread.currentThread();

  // A ring: block number n is at index n modulo the count. A block belongs to the thread from its
  // publication until it is stashed, otherwise to the feeder.
  private final long[][] blocks = new long[BLOCKS][];
  private final int[] lengths = new int[BLOCKS];

  private final EngineThread thread;

  /** Number of blocks that the feeder has passed. */
  private volatile long published;

  /** Number of blocks that the thread has stashed. */
  private volatile long stashed;

  /**
   * Creates a thread, whose feeder is the caller.
   *
   * @param index number of this thread among all, for its name
   */
  StashingThread(int index, ChunkStash target, Execution execution) {
    this.thread = new EngineThread(execution, "howdah-stash-" + index);
    this.target = target;
    this.execution = execution;
  }

  void start() {
    thread.start(this, this);
  }

  /** Receives a block to stash, waits until another one is free, and returns that one. */
  @Override
  public long[] pass(long[] block, int length) {
    long count = published;
    int slot = (int) (count % BLOCKS);
    blocks[slot] = block;
    lengths[slot] = length;
    // Volatile: a thread that reads the new count sees the contents of the block.
    published = count + 1;
    thread.unpark();
    await(count + 2 - BLOCKS);
    long[] next = blocks[(int) ((count + 1) % BLOCKS)];
    return next == null ? new long[EntryFeed.BLOCK_WORDS] : next;
  }

  /** Waits until all blocks are stashed. The stash is then visible to the caller. */
  void awaitAll() {
    await(published);
  }

  private void await(long count) {
    while (stashed < count) {
      thread.failIfFailed();
      execution.parkNanos(this, PARK_NANOS);
    }
    thread.failIfFailed();
  }

  /** Wakes the feeder, which then asks the thread for its failure. */
  @Override
  public void accept(Throwable thrown) {
    execution.unpark(feeder);
  }

  /** The body of the thread. */
  @Override
  public void run() {
    for (long next = 0; !thread.isClosing(); ) {
      if (next == published) {
        execution.parkNanos(this, PARK_NANOS);
        continue;
      }
      int slot = (int) (next % BLOCKS);
      target.add(blocks[slot], lengths[slot]);
      next++;
      // Volatile: a thread that reads the new count sees the stash. The block belongs to the feeder
      // again.
      stashed = next;
      execution.unpark(feeder);
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
