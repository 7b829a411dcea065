package io.howdah.txn.stm;

import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;

/** Attempts of transactions that have committed, without a store. */
public final class TestAttempts {

  private static final int BYTES = 1 << 16;
  private static final int ORECS = 64;

  private final Attempt attempt;

  /** Creates memory for one attempt. */
  public TestAttempts() {
    Lifecycle lifecycle = new Lifecycle();
    Execution execution = Execution.system();
    Region region = Regions.anonymous(BYTES);
    CommitLanes lanes =
        CommitLanes.unlogged(
            Regions.anonymous(CommitLanes.wordsLengthBytes(1)),
            1,
            execution,
            lifecycle::failIfStopped);
    TxEnvironment environment =
        new TxEnvironment(
            region,
            new OrecTable(Regions.anonymous(OrecTable.lengthBytes(ORECS)), ORECS),
            new Heap(region, 1, (_, _) -> {}),
            lanes,
            null,
            null,
            execution,
            lifecycle,
            1 << 14,
            1 << 14);
    attempt = new Attempt(environment, 0, new Counters(), new CollectionScratch());
  }

  /** Returns the attempt as a commit leaves it. It is the same one each time. */
  public Attempt committed(long lsn, int partition, long end, long dependency) {
    attempt.lsn(lsn);
    attempt.record(partition, end, dependency);
    return attempt;
  }

  /** Returns the attempt as a transaction without writes leaves it. */
  public Attempt read(long lsn) {
    return committed(lsn, Attempt.NO_RECORD, 0, 0);
  }
}
