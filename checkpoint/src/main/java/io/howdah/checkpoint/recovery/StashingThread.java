package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A thread of {@link ParallelStashing}: stashes its share of the blocks it is fed, in their order.
 */
final class StashingThread implements AutoCloseable {

  private static final long PARK_NANOS = 1_000_000;

  private final int index;
  private final ChunkStash target;
  private final Execution execution;
  private final List<ReplayBlock> blocks;
  private final Thread feeder = Thread.currentThread();
  private @Nullable Thread thread;

  private volatile long published;
  private volatile long stashed;
  private volatile boolean closing;
  private volatile boolean ended;
  private volatile @Nullable Throwable failure;

  /**
   * Prepares a thread; its feeder is the caller.
   *
   * @param index of this thread among all
   * @param blocks that go round: block {@code n} is at {@code n} modulo their number
   */
  StashingThread(int index, ChunkStash target, Execution execution, List<ReplayBlock> blocks) {
    this.index = index;
    this.target = target;
    this.execution = execution;
    this.blocks = List.copyOf(blocks);
  }

  void start() {
    thread = execution.start("howdah-stash-" + index, this::run);
  }

  /** Says how many blocks are filled. */
  void publish(long count) {
    // Volatile: the thread that reads the count sees what is in the blocks.
    published = count;
    execution.unpark(thread());
  }

  /** Returns how many blocks are stashed; the stash, so far, is then visible to the caller. */
  long stashed() {
    return stashed;
  }

  /** Throws what ended the thread, if it has ended so. */
  void failIfFailed() {
    Throwable cause = failure;
    if (cause instanceof RuntimeException e) {
      throw e;
    }
    if (cause instanceof Error e) {
      throw e;
    }
  }

  private Thread thread() {
    Thread started = thread;
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  private void run() {
    try {
      for (long next = 0; !closing; ) {
        if (next == published) {
          execution.parkNanos(this, PARK_NANOS);
          continue;
        }
        blocks.get((int) (next % blocks.size())).stash(index, target);
        next++;
        // Volatile: the stash is visible to whoever reads the count.
        stashed = next;
        execution.unpark(feeder);
      }
    } catch (Throwable t) {
      // Not rethrown: the feeder finds it.
      failure = t;
    } finally {
      ended = true;
      execution.unpark(feeder);
    }
  }

  @Override
  public void close() {
    closing = true;
    while (!ended) {
      execution.unpark(thread());
      execution.parkNanos(this, PARK_NANOS);
    }
  }
}
