package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.storage.StagingMemory;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Replays words on several threads. Each chunk of {@value #CHUNK_BYTES} bytes of the region belongs
 * to one of them, and a thread's words reach it in the order in which they came, so the words of a
 * chunk are replayed in the order of LSNs without the threads waiting for each other.
 *
 * <p>Takes {@value Applier#BUFFERS} buffers of half a megabyte for each thread. Called by one
 * thread, the feeder.
 */
final class ParallelReplay implements RedoSink, AutoCloseable {

  /** Stays in a core's cache while a batch of words is replayed into it. */
  static final int CHUNK_BYTES = 1 << 18;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final StagingMemory memory = new StagingMemory();
  private final List<Applier> appliers;

  ParallelReplay(RedoSink target, Execution execution, int threads) {
    List<Applier> list = new ArrayList<>(threads);
    for (int i = 0; i < threads; i++) {
      list.add(new Applier(target, execution, memory, "howdah-replay-" + i));
    }
    this.appliers = List.copyOf(list);
  }

  @Override
  public void redo(long address, ByteBuffer source, int at, int words) {
    long next = address;
    int from = at;
    int left = words;
    while (left > 0) {
      long chunk = next / CHUNK_BYTES;
      int run = (int) Math.min(left, ((chunk + 1) * CHUNK_BYTES - next) / Region.WORD_BYTES);
      applierOf(chunk).add(RedoRecordLayout.entryHead(next, run), source, from, run);
      next += (long) run * Region.WORD_BYTES;
      from += run * Region.WORD_BYTES;
      left -= run;
    }
  }

  private Applier applierOf(long chunk) {
    // Neighbouring chunks go to different threads, whatever stride the application writes in.
    long hash = (chunk * SPREAD) >>> 32;
    return appliers.get((int) ((hash * appliers.size()) >>> 32));
  }

  /** Waits until every word so far is replayed; its effects are then visible to the caller. */
  void drain() {
    appliers.forEach(Applier::flush);
    appliers.forEach(Applier::await);
  }

  /** Ends the threads; what they have not replayed is lost. */
  @Override
  public void close() {
    appliers.forEach(Applier::close);
    memory.close();
  }
}
