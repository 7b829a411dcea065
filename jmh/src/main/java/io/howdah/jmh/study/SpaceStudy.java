package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.Churn;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.BiConsumer;

/** What long use leaves of a store's room: blocks are allocated and freed around a steady total. */
public final class SpaceStudy {

  /** More than blocks can be made to reach here, so that nothing is used again for want of room. */
  private static final long ROOM = 4;

  private static final int SMALLEST_BLOCK_BYTES = 4096;

  private final long liveBytes;
  private final int operations;
  private final int threads;

  /**
   * What is left when all blocks are freed.
   *
   * @param figures of the store then
   * @param largestBlockBytes the longest block, of powers of two, for which no new room is taken
   */
  public record Freed(Churn.Figures figures, long largestBlockBytes) {}

  /**
   * Prepares the study.
   *
   * @param liveBytes what blocks in use hold together
   * @param operations allocations and frees of all phases together
   */
  public SpaceStudy(long liveBytes, int operations, int threads) {
    this.liveBytes = liveBytes;
    this.operations = operations;
    this.threads = threads;
  }

  /** Returns how much room on disk the study may take. */
  public long neededBytes() {
    return 3L * ROOM * liveBytes + (1L << 30);
  }

  /**
   * Runs all phases in a new store.
   *
   * @param phases told the figures after each phase, with its name
   */
  public Freed run(Path folder, StudyProgress progress, BiConsumer<String, Churn.Figures> phases)
      throws Exception {
    StoreOptions options = StoreOptions.defaults().withMaxSize(ROOM * liveBytes + (64L << 20));
    try (Store store = Store.open(folder, options)) {
      Churn churn = new Churn(store, liveBytes);
      int perPhase = operations / Churn.Phase.values().length;
      for (Churn.Phase phase : Churn.Phase.values()) {
        String name = phase.name().toLowerCase(Locale.ROOT);
        Churn.Figures figures =
            churn.run(
                phase,
                perPhase,
                threads,
                done -> progress.begins("%s: %,d of %,d".formatted(name, done, perPhase)));
        requireBlocks(churn, figures);
        phases.accept(name, figures);
      }
      Churn.Figures empty = churn.freeAll();
      requireBlocks(churn, empty);
      return new Freed(empty, largest(store, empty.reachBytes()));
    }
  }

  /** Blocks that nobody has would be a leak, and more than there are an overlap. */
  private static void requireBlocks(Churn churn, Churn.Figures figures) {
    if (figures.blocks() != churn.blocks()) {
      throw new IllegalStateException(
          "the store says that %,d blocks are in use, and %,d are"
              .formatted(figures.blocks(), churn.blocks()));
    }
  }

  private static long largest(Store store, long reach) {
    for (long length = Long.highestOneBit(reach); length >= SMALLEST_BLOCK_BYTES; length >>= 1) {
      long wanted = length;
      if (wanted > store.admin().stats().maxBlockBytes()) {
        continue;
      }
      long block = store.call(TxOptions.async(), tx -> tx.allocate(wanted));
      boolean fits = store.admin().stats().allocatedBytes() == reach;
      store.run(TxOptions.async(), tx -> tx.free(block));
      if (fits) {
        return wanted;
      }
      reach = store.admin().stats().allocatedBytes();
    }
    return 0;
  }
}
