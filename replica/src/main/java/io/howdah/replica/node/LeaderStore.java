package io.howdah.replica.node;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.checkpoint.BaseStart;
import io.howdah.checkpoint.CheckpointOptions;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.ReplayStart;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.LogOptions;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.RingSet;
import io.howdah.replica.log.ChainEnd;
import io.howdah.replica.log.ConsensusTarget;
import io.howdah.replica.snapshot.SnapshotPages;
import io.howdah.store.open.OpenedStore;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.words.OrecTable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store of a node that leads: the region as the log has left it, and behind the commits a log
 * whose batches go to the group. It ends with the epoch in which it began.
 */
final class LeaderStore {

  private final Execution execution;
  private final ConsensusTarget target;
  private final Lifecycle lifecycle = new Lifecycle();
  private final @Nullable RedoLog log;
  private final CheckpointThread checkpoints;
  private final Store store;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Threads that stop the log at present. */
  private final AtomicInteger failing = new AtomicInteger();

  private volatile boolean isClosing;

  /**
   * Creates the store of an epoch that has begun. The region has all commits up to the end of the
   * log; the caller closes it, after the store.
   *
   * @param begun the end of the log, behind the entry that begins the epoch
   * @param files of the region; this store makes checkpoints until it is closed
   * @param replayStart where a replay starts for the next checkpoint
   * @param checkpointBytes length of entries after which a checkpoint is made
   * @param whenStopped called when the store has stopped by itself, or by {@link #fail}
   */
  LeaderStore(
      StoreId id,
      ChainEnd begun,
      ReplicaFiles files,
      ReplayStart replayStart,
      long checkpointBytes,
      StoreOptions options,
      Storage memory,
      Consumer<ByteBuffer> proposals,
      int maxEntryBytes,
      Consumer<Throwable> whenStopped) {
    this.execution = options.execution();
    this.target =
        new ConsensusTarget(id, begun.epoch(), begun.nonce(), proposals, execution, maxEntryBytes);
    try {
      OrecTable orecs =
          opening(OrecTable.create(options.orecs(), !memory.observesMemory(), memory::allocate));
      Region words = opening(memory.allocate(CommitLanes.wordsLengthBytes(options.partitions())));
      LogStart start =
          new LogStart(id.high(), id.low(), begun.epoch(), begun.cut(), 1, List.of(), List.of(), 1);
      RingSet rings =
          opening(RingSet.inMemory(memory::allocate, options.partitions(), options.ringBytes()));
      LogOptions defaults = LogOptions.DEFAULTS;
      RedoLog started =
          RedoLog.start(
              target,
              rings,
              words,
              start,
              new LogOptions(
                  options.groupCommitInterval().toNanos(),
                  defaults.spinNanos(),
                  defaults.logFullTimeoutNanos(),
                  defaults.firstSegmentBytes(),
                  defaults.largestSegmentBytes(),
                  defaults.maxBytes()),
              execution,
              () -> {},
              cause -> {
                lifecycle.fail(cause);
                whenStopped.accept(cause);
              });
      this.log = started;
      opened.push(this::closeLog);
      this.checkpoints =
          opening(
              new CheckpointThread(
                  files.checkpointer(),
                  files.region(),
                  files.dirty(),
                  started,
                  execution,
                  () -> true,
                  new CheckpointOptions(2 * checkpointBytes),
                  0,
                  replayStart));
      this.store =
          Stores.make(
              new OpenedStore(
                  files.region(),
                  orecs,
                  started.lanes(),
                  lifecycle,
                  new OpenedStore.Dimensions(
                      options.partitions(), options.ringBytes(), options.maxSize()),
                  started,
                  files.dirty(),
                  null,
                  null,
                  null,
                  null,
                  true,
                  _ -> closeAll()),
              options.withStorage(memory)); // which tells whether memory is a simulated disk's
    } catch (Throwable t) {
      fail(t);
      closeAll();
      throw t;
    }
  }

  /** Returns the image, for snapshots. */
  SnapshotPages pages() {
    return new SnapshotPages() {
      @Override
      public BaseStart start() {
        return checkpoints.startBase();
      }

      @Override
      public boolean readPages(long address, ByteBuffer pages) {
        return checkpoints.readPages(address, pages);
      }

      @Override
      public Superblock state() {
        return checkpoints.state();
      }
    };
  }

  /** Makes a checkpoint, and returns then. */
  void checkpoint() {
    checkpoints.checkpoint();
  }

  private <T extends AutoCloseable> T opening(T resource) {
    opened.push(resource);
    return resource;
  }

  private void closeLog() {
    // Nothing comes back any more from here on; what was to come back has, or the store has failed.
    target.fail(new StoreClosedException("the store of this epoch is closed"));
    RedoLog started = log;
    if (started != null) {
      started.close();
    }
  }

  private void closeAll() {
    // Another thread may stop the store while this one frees what the log needs for that.
    isClosing = true;
    while (failing.get() > 0) {
      execution.yieldNow();
    }
    Throwable failure = null;
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Throwable t) {
        failure = failure == null ? t : failure;
      }
    }
    opened.clear();
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
  }

  Store store() {
    return store;
  }

  /** Tells that a batch of this epoch counts. */
  void counted(long sequence) {
    target.counted(sequence);
  }

  /** Tells that a barrier of this epoch counts. */
  void passed() {
    target.passed();
  }

  /** Stops the store: waits end, and no transaction runs any more. */
  void fail(Throwable cause) {
    target.fail(cause);
    RedoLog started = log;
    if (started == null) {
      lifecycle.fail(cause);
    } else {
      failing.incrementAndGet();
      if (!isClosing) {
        started.fail(cause);
      }
      failing.decrementAndGet();
    }
  }

  /** Closes the store, and returns when no thread uses the region. */
  @SuppressWarnings("EmptyCatch") // said below
  void close() {
    try {
      store.close();
    } catch (StoreFailedException e) {
      // The store was stopped before; what it has not committed is unknown to its callers.
    }
  }
}
