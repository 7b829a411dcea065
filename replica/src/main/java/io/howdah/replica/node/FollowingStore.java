package io.howdah.replica.node;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.Storage;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Ring;
import io.howdah.store.open.OpenedStore;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.stm.Attempt;
import io.howdah.txn.stm.AttemptPool;
import io.howdah.txn.stm.Committer;
import io.howdah.txn.stm.IrrevocableGate;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.stm.RetryWaits;
import io.howdah.txn.stm.TimeLimits;
import io.howdah.txn.stm.TxEnvironment;
import io.howdah.txn.stm.TxRunner;
import io.howdah.txn.words.OrecTable;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The region of a node that follows. One thread applies the group's batches, each as one
 * transaction; any thread reads beside it, in a {@link Store} that is open for reading only. So
 * readers see the states at the cuts of batches, in their order (docs/protocol.md, R77).
 *
 * <p>The versions of orecs are of this object alone, and not the group's LSNs. They end with it.
 */
final class FollowingStore implements AutoCloseable {

  /** More than any transaction writes: the words of a batch were admitted where it was written. */
  private static final long MAX_BATCH_BYTES = (long) Integer.MAX_VALUE * Long.BYTES;

  /** How long the close waits for readers; then their next read fails. */
  private static final Duration READERS = Duration.ofSeconds(1);

  private final Region region;
  private final StoreOptions options;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final OrecTable orecs;
  private final CommitLanes lanes;
  private final AttemptPool attempts;
  private final TxRunner runner;
  private @Nullable Store reader;

  /** The words of the present transaction. */
  private @Nullable Words words;

  /** Creates one over a region, which the caller closes later. */
  FollowingStore(ReplicaFiles files, StoreOptions options, Storage storage) {
    this.region = files.region();
    this.options = options;
    boolean isComplete = false;
    try {
      Execution execution = options.execution();
      this.orecs =
          opening(OrecTable.create(options.orecs(), !storage.observesMemory(), storage::allocate));
      Region laneWords =
          opening(storage.allocate(CommitLanes.wordsLengthBytes(options.partitions())));
      Lifecycle lifecycle = new Lifecycle();
      this.lanes =
          CommitLanes.unlogged(
              laneWords, options.partitions(), execution, lifecycle::failIfStopped);
      TxEnvironment engine =
          new TxEnvironment(
              region,
              orecs,
              new Heap(region, 1, (_, _) -> {}),
              lanes,
              files.dirty(),
              null,
              execution,
              lifecycle,
              Ring.maxRecordBytes(options.ringBytes()),
              MAX_BATCH_BYTES);
      RetryWaits retryWaits = new RetryWaits(execution, lifecycle);
      TimeLimits limits = new TimeLimits(execution);
      opened.push(limits::close);
      Consumer<Throwable> fatal = lifecycle::fail;
      this.runner =
          new TxRunner(
              engine,
              new Committer(engine, retryWaits),
              new IrrevocableGate(
                  lanes, lifecycle, fatal, new ProgramLog("io.howdah.replica", execution)),
              retryWaits,
              limits,
              Integer.MAX_VALUE, // one thread commits, so none conflicts with it
              fatal);
      this.attempts =
          new AttemptPool(
              execution,
              (home, counters) -> new Attempt(engine, home, counters, new CollectionScratch()));
      isComplete = true;
    } finally {
      if (!isComplete) {
        close();
      }
    }
  }

  private <T extends AutoCloseable> T opening(T resource) {
    opened.push(resource);
    return resource;
  }

  /**
   * Runs a replay, whose words {@link #redo} takes, as one transaction: readers see all of its
   * words, or none.
   */
  void apply(Runnable replay) {
    Attempt attempt = attempts.take();
    try {
      runner.execute(
          attempt,
          false,
          false,
          _ -> {
            if (words != null) {
              // A replay cannot be repeated.
              throw new IllegalStateException("a batch was in conflict with another writer");
            }
            words = attempt.words;
            replay.run();
            return 0;
          });
    } finally {
      words = null;
      attempts.give(attempt);
    }
  }

  /** Takes the words of a record. */
  void redo(ByteBuffer source, int from, int to) {
    Words words = this.words;
    if (words == null) {
      throw new IllegalStateException("words outside of a transaction");
    }
    for (int at = from; at < to; ) {
      long head = source.getLong(at);
      int run = RedoRecordLayout.entryRun(head);
      long address = RedoRecordLayout.entryAddress(head);
      at += Long.BYTES;
      for (int i = 0; i < run; i++, at += Long.BYTES) {
        words.putUnchecked(address + (long) i * Long.BYTES, source.getLong(at));
      }
    }
  }

  /**
   * Returns a store for readers, always the same; null as long as the region has no header, because
   * the group has committed nothing. Only this object closes it.
   */
  @Nullable Store reader() {
    if (reader == null && region.getLong(RegionHeaderLayout.MAGIC_ADDRESS) != 0) {
      reader =
          Stores.make(
              new OpenedStore(
                  region,
                  orecs,
                  lanes,
                  new Lifecycle(),
                  new OpenedStore.Dimensions(
                      options.partitions(), options.ringBytes(), options.maxSize()),
                  null,
                  null,
                  null,
                  null,
                  null,
                  null,
                  false,
                  _ -> {}),
              options.withReadOnly(true));
    }
    return reader;
  }

  /** Ends the readers, and frees what the region does not need. */
  @Override
  @SuppressWarnings("EmptyCatch") // said below
  public void close() {
    Store reader = this.reader;
    if (reader != null) {
      reader.close(READERS);
    }
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Throwable t) {
        // Memory that is not used any more, whatever this call has met.
      }
    }
    opened.clear();
  }
}
