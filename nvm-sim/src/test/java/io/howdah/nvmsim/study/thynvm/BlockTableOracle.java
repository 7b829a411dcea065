package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.study.thynvm.ExactCounts.Counts;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The block scheme of ThyNVM's controller as sets and maps, for stores that never fill a page: a
 * second statement of what the tables, queues and slots of the controller do step by step.
 */
final class BlockTableOracle {
  private enum State {
    CLEAN,
    DIRTY,
    HIDDEN,
    PRE_DIRTY,
    PRE_HIDDEN
  }

  private final int capacity;
  private final boolean quirks;
  private final Map<Long, State> states = new HashMap<>();

  /** The least recently used block first. */
  private final LinkedHashSet<Long> clean = new LinkedHashSet<>();

  private final LinkedHashSet<Long> written = new LinkedHashSet<>();
  private boolean checkpointing;
  private long epochs;
  private long copies;
  private long swaps;
  private long checkpointBlocks;

  private BlockTableOracle(int capacity, boolean quirks) {
    this.capacity = capacity;
    this.quirks = quirks;
  }

  /** Counts of the same stores that {@link ExactCounts#run} makes. */
  static Counts count(ExactCounts run) {
    BlockTableOracle oracle = new BlockTableOracle(run.blockEntries(), run.quirks());
    SplitMix random = new SplitMix(run.seed());
    long left = 0;
    for (long i = 0; i < run.stores(); i++) {
      long block = run.pattern().block(i, random.next());
      if (oracle.checkpointing && left-- == 0) {
        oracle.checkpointing = false;
      }
      while (!oracle.admits(block)) {
        if (oracle.checkpointing) {
          oracle.checkpointing = false;
        } else {
          oracle.endEpoch();
          left = run.overlap();
          oracle.checkpointing = left > 0;
        }
      }
      oracle.store(block);
    }
    return new Counts(oracle.epochs, 0, oracle.copies, oracle.swaps, oracle.checkpointBlocks, 0);
  }

  private boolean isFull() {
    return states.size() == capacity && clean.isEmpty();
  }

  private boolean admits(long block) {
    if (states.containsKey(quirks ? block * 64 : block)) {
      return !isFull() || states.containsKey(block);
    }
    return checkpointing ? !isFull() : written.size() < capacity;
  }

  private void store(long block) {
    State before = states.get(block);
    if (before == null && states.size() == capacity) {
      long victim = clean.removeFirst();
      states.remove(victim);
      if (checkpointing) {
        swaps++;
      } else {
        copies++;
      }
    }
    states.put(block, checkpointing ? whileCheckpointing(before) : whileExecuting(before));
    clean.remove(block);
    written.remove(block);
    written.add(block);
  }

  private static State whileExecuting(@Nullable State before) {
    return before == State.CLEAN || before == State.HIDDEN || before == State.PRE_HIDDEN
        ? State.HIDDEN
        : State.DIRTY;
  }

  private static State whileCheckpointing(@Nullable State before) {
    return before == State.CLEAN || before == State.PRE_HIDDEN ? State.PRE_HIDDEN : State.PRE_DIRTY;
  }

  private void endEpoch() {
    epochs++;
    for (long block : written) {
      State state = states.get(block);
      if (state == State.PRE_DIRTY || state == State.PRE_HIDDEN) {
        copies++;
        checkpointBlocks++;
      }
      if (state == State.HIDDEN || state == State.PRE_HIDDEN) {
        states.remove(block);
      } else {
        states.put(block, State.CLEAN);
        clean.add(block);
      }
    }
    written.clear();
  }
}
