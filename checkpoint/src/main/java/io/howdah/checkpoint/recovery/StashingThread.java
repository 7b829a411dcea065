package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.engine.EngineThread;

/**
 * A thread of {@link ParallelStashing}: stashes the blocks of entries that it is passed, in their
 * order. Takes {@value #BLOCKS} blocks.
 */
final class StashingThread implements EntryFeed.Outlet, AutoCloseable {

  /** One being filled, one being stashed, the others to level out. */
  private static final int BLOCKS = 16;

  private static final long PARK_NANOS = 1_000_000;

  private final ChunkStash target;
  private final Execution execution;
  private final Thread feeder = Thread.currentThread();

  // Blocks go round: number n is at n modulo their count. Whose a block is, the counts below say.
  private final long[][] blocks = new long[BLOCKS][];
  private final int[] lengths = new int[BLOCKS];

  private final EngineThread thread;

  private volatile long published;
  private volatile long stashed;

  /**
   * Prepares a thread; its feeder is the caller.
   *
   * @param index of this thread among all
   */
  StashingThread(int index, ChunkStash target, Execution execution) {
    this.thread = new EngineThread(execution, "howdah-stash-" + index);
    this.target = target;
    this.execution = execution;
  }

  void start() {
    thread.start(this::run, _ -> execution.unpark(feeder));
  }

  /** Takes a block to stash, and returns one to fill, once there is one. */
  @Override
  public long[] pass(long[] block, int length) {
    long count = published;
    int slot = (int) (count % BLOCKS);
    blocks[slot] = block;
    lengths[slot] = length;
    // Volatile: the thread that reads the count sees what is in the block.
    published = count + 1;
    thread.unpark();
    await(count + 2 - BLOCKS);
    long[] next = blocks[(int) ((count + 1) % BLOCKS)];
    return next == null ? new long[EntryFeed.BLOCK_WORDS] : next;
  }

  /** Waits until all that was passed is stashed; the stash is then visible to the caller. */
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

  private void run() {
    for (long next = 0; !thread.isClosing(); ) {
      if (next == published) {
        execution.parkNanos(this, PARK_NANOS);
        continue;
      }
      int slot = (int) (next % BLOCKS);
      target.add(blocks[slot], lengths[slot]);
      next++;
      // Volatile: the stash is visible to whoever reads the count, and the block is the feeder's.
      stashed = next;
      execution.unpark(feeder);
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
