package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.storage.StagingMemory;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Replays words on several threads. The feeder copies entries into blocks, in the order of LSNs;
 * every {@link Applier} replays those in chunks of the region that are its own. So the words of a
 * chunk are replayed in the order of LSNs without the threads waiting for each other.
 *
 * <p>Takes {@value #BLOCKS} blocks of {@value ReplayBlock#BYTES} bytes, and a quarter of that for
 * each thread. Called by one thread, the feeder.
 */
final class ParallelReplay implements RedoSink, AutoCloseable {

  /** One being filled, one being replayed, the others to level out. */
  private static final int BLOCKS = 6;

  private static final long PARK_NANOS = 1_000_000;

  private final StagingMemory memory = new StagingMemory();
  private final Execution execution;
  private final List<ReplayBlock> blocks;
  private final List<Applier> appliers;

  private ReplayBlock filling;
  private long fed;

  ParallelReplay(RegionReplay target, Execution execution, int threads) {
    this.execution = execution;
    List<ReplayBlock> made = new ArrayList<>(BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
      made.add(new ReplayBlock(memory.allocate(ReplayBlock.BYTES), threads));
    }
    this.blocks = List.copyOf(made);
    this.filling = blocks.getFirst();
    List<Applier> list = new ArrayList<>(threads);
    for (int i = 0; i < threads; i++) {
      list.add(new Applier(i, target, execution, blocks));
    }
    this.appliers = List.copyOf(list);
    appliers.forEach(Applier::start);
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
    for (Applier applier : appliers) {
      applier.publish(fed);
    }
    awaitReplayed(fed - BLOCKS + 1);
    filling = blocks.get((int) (fed % BLOCKS));
    filling.clear();
  }

  /** Waits until every word so far is replayed; its effects are then visible to the caller. */
  void drain() {
    flush();
    awaitReplayed(fed);
  }

  private void awaitReplayed(long count) {
    for (Applier applier : appliers) {
      while (applier.replayed() < count) {
        applier.failIfFailed();
        execution.parkNanos(this, PARK_NANOS);
      }
      applier.failIfFailed();
    }
  }

  /** Ends the threads; what they have not replayed is lost. */
  @Override
  public void close() {
    appliers.forEach(Applier::close);
    memory.close();
  }
}
