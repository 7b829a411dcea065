package io.howdah.txn.stm;

import io.howdah.core.Region;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.WordsAttachment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A store's transactions without log and disk, with a clock that the test moves. */
final class SmallEngine implements AutoCloseable {

  /** The first word that transactions may use. */
  static final long WORD = RegionHeaderLayout.BLOCKS_ADDRESS;

  private static final int ORECS = 1 << 12;
  private static final int LANES = 2;
  private static final int MAX_ABORTS = 3;

  final HandClock clock = new HandClock();
  final Lifecycle lifecycle = new Lifecycle();
  final List<Throwable> fatal = new ArrayList<>();
  final CommitLanes lanes;
  final TxEnvironment environment;
  final AttemptPool attempts;
  final RetryWaits retryWaits;
  final TimeLimits limits;
  final IrrevocableGate gate;
  final TxRunner runner;
  private final Region region;
  private final Region laneWords = Regions.anonymous(CommitLanes.wordsLengthBytes(LANES));

  SmallEngine() {
    this(region -> region);
  }

  /** Creates one whose memory is what a test puts in front of it. */
  SmallEngine(UnaryOperator<Region> inFront) {
    this(inFront, true, 1 << 16);
  }

  /** Creates one whose ownership records are in an array on the heap or not. */
  SmallEngine(boolean onHeap) {
    this(region -> region, onHeap, 1 << 16);
  }

  /**
   * Creates one that lets a transaction write so many bytes.
   *
   * @param maxTransactionBytes 0 in a store that is open for reading only
   */
  SmallEngine(UnaryOperator<Region> inFront, boolean onHeap, long maxTransactionBytes) {
    region = inFront.apply(Regions.anonymous(1 << 20));
    region.setLong(RegionHeaderLayout.TOP_ADDRESS, RegionHeaderLayout.BLOCKS_ADDRESS);
    lanes = CommitLanes.unlogged(laneWords, LANES, clock, lifecycle::failIfStopped);
    environment =
        new TxEnvironment(
            region,
            OrecTable.create(ORECS, onHeap, Regions::anonymous),
            new Heap(region, 1, (_, _) -> {}),
            lanes,
            null,
            null,
            clock,
            lifecycle,
            1 << 16,
            maxTransactionBytes);
    attempts =
        new AttemptPool(
            clock, (id, counters) -> new Attempt(environment, id, counters, new Nothing()));
    retryWaits = new RetryWaits(clock, lifecycle);
    limits = new TimeLimits(clock);
    gate =
        new IrrevocableGate(
            lanes, lifecycle, fatal::add, new ProgramLog("io.howdah.txn.stm", clock));
    Committer committer = new Committer(environment, retryWaits);
    runner = new TxRunner(environment, committer, gate, retryWaits, limits, MAX_ABORTS, fatal::add);
  }

  /** Nothing above the words. */
  private static final class Nothing extends WordsAttachment {
    @Override
    public void begin(Tx tx) {}

    @Override
    public void trim() {}
  }

  <T extends @Nullable Object> T call(TxOptions how, TxFunction<T, RuntimeException> body) {
    Attempt attempt = attempts.take();
    try {
      return runner.execute(attempt, how, body);
    } finally {
      attempt.takeLimit(); // what is left of it would bound the wait for durability
      attempts.give(attempt);
    }
  }

  <T extends @Nullable Object> T call(TxFunction<T, RuntimeException> body) {
    return call(TxOptions.defaults(), body);
  }

  /** Commits a value, as another transaction than the one under way. */
  void put(long address, long value) {
    call(
        tx -> {
          tx.putLong(address, value);
          return 0;
        });
  }

  long get(long address) {
    return call(tx -> tx.getLong(address));
  }

  long count(int counter) {
    return attempts.counters()[counter];
  }

  @Override
  public void close() {
    region.close();
    laneWords.close();
  }
}
