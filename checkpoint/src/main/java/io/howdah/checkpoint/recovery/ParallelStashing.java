package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.storage.StagingMemory;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Stashes words on several threads. The feeder copies entries into blocks, in the order of LSNs;
 * every {@link StashingThread} stashes those in chunks of the region that are its own. So the words
 * of a chunk are stashed in the order of LSNs without the threads waiting for each other.
 *
 * <p>Takes {@value #BLOCKS} blocks of {@value ReplayBlock#BYTES} bytes, and a quarter of that for
 * each thread. Called by one thread, the feeder.
 */
final class ParallelStashing implements RedoSink, AutoCloseable {

  /** One being filled, one being replayed, the others to level out. */
  private static final int BLOCKS = 6;

  private static final long PARK_NANOS = 1_000_000;

  private final StagingMemory memory = new StagingMemory();
  private final Execution execution;
  private final List<ReplayBlock> blocks;
  private final List<StashingThread> stashing;

  private ReplayBlock filling;
  private long fed;

  /**
   * Starts the threads.
   *
   * @param stashes one for each
   */
  ParallelStashing(RegionChunks chunks, List<ChunkStash> stashes, Execution execution) {
    int threads = stashes.size();
    this.execution = execution;
    List<ReplayBlock> made = new ArrayList<>(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      made.add(new ReplayBlock(chunks, memory.allocate(ReplayBlock.BYTES), threads));
    }
    this.blocks = List.copyOf(made);
    this.filling = blocks.getFirst();
    List<StashingThread> list = new ArrayList<>(threads);
    for (int i = 0; i < threads; i++) {
      list.add(new StashingThread(i, stashes.get(i), execution, blocks));
    }
    this.stashing = List.copyOf(list);
    stashing.forEach(StashingThread::start);
  }

  @Override
  public void redo(ByteBuffer source, int from, int to) {
    if (!filling.hasRoom(to - from)) {
      flush();
    }
    filling.add(source, from, to);
  }

  /** Hands the block being filled to the threads and takes the next, once all are done with it. */
  private void flush() {
    if (filling.isEmpty()) {
      return;
    }
    fed++;
    for (StashingThread thread : stashing) {
      thread.publish(fed);
    }
    awaitStashed(fed - BLOCKS + 1);
    filling = blocks.get((int) (fed % BLOCKS));
    filling.clear();
  }

  /** Waits until every word so far is stashed; the stashes are then visible to the caller. */
  void drain() {
    flush();
    awaitStashed(fed);
  }

  private void awaitStashed(long count) {
    for (StashingThread thread : stashing) {
      while (thread.stashed() < count) {
        thread.failIfFailed();
        execution.parkNanos(this, PARK_NANOS);
      }
      thread.failIfFailed();
    }
  }

  /** Ends the threads; what they have not stashed is lost. */
  @Override
  public void close() {
    stashing.forEach(StashingThread::close);
    memory.close();
  }
}
