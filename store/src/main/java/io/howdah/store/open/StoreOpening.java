package io.howdah.store.open;

import io.howdah.checkpoint.CheckpointOptions;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.RegionImage;
import io.howdah.checkpoint.StoreFiles;
import io.howdah.checkpoint.WarmMemory;
import io.howdah.checkpoint.recovery.DeferredReplay;
import io.howdah.checkpoint.recovery.RecoveredStore;
import io.howdah.checkpoint.recovery.RecoveryOptions;
import io.howdah.checkpoint.recovery.StoreRecovery;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.report.FlightRecording;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageLock;
import io.howdah.core.storage.file.MachineMemory;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.core.superblock.UnfinishedStore;
import io.howdah.log.LogOptions;
import io.howdah.log.RedoLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.flush.SpareSegments;
import io.howdah.log.recovery.LogRecovery;
import io.howdah.store.archive.Archiving;
import io.howdah.txn.stm.Lifecycle;
import io.howdah.txn.words.OrecTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Opens and closes a durable store: everything between a directory and a running {@code Store}.
 * Runs on an engine thread, because it touches files; see {@link UninterruptedCall}.
 *
 * <p>The order, and what a crash after each step leaves:
 *
 * <ol>
 *   <li>lock; create the files of a new store, between {@link UnfinishedStore#CREATION} and the
 *       superblock;
 *   <li>recover ({@link StoreRecovery}): the superblock names no rings, so a generation that
 *       accepted nothing;
 *   <li>rings and the first log segment of the generation, which nothing names yet;
 *   <li>the superblock names the rings: from here on commits may be found in them.
 * </ol>
 */
public final class StoreOpening {

  private static final int PAGE_BYTES = 4096;

  /** Most memory for words that wait for their replay, and the largest part of the machine's. */
  private static final long MAX_STASH_BYTES = 1L << 30;

  private static final int STASH_SHARE = 4;

  /** So many of the longest segments at least are worth being read after the opening. */
  private static final int LATER_SEGMENTS = 1;

  /** Of so many parts of the memory, one is left to others by {@link Backing#AUTO}. */
  private static final int SHARED_PARTS = 4;

  /** So much of an image is loaded in a second at least, as {@link Backing#AUTO} assumes. */
  private static final long LOADED_BYTES_PER_SECOND = 512L << 20;

  private static final int STRIPE_BYTES = 32;

  /**
   * So many generations are closed at most by closes that leave the log. The superblock has room
   * for more, which kills may need before a checkpoint has come.
   */
  private static final int MAX_LEFT_GENERATIONS = SuperblockLayout.MAX_CLOSED_GENERATIONS / 2;

  private final Storage storage;
  private final OpeningOptions options;
  private final Execution execution;

  /** What a failed opening closes again, last opened first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private final OpeningListener listener;

  /** What the listener is told; null until the parts are put together. */
  private @Nullable OpeningFacts facts;

  private boolean isCreated;

  /**
   * Creates one.
   *
   * @param listener is told of an opening that went well
   */
  public StoreOpening(Storage storage, OpeningOptions options, OpeningListener listener) {
    this.storage = storage;
    this.options = options;
    this.listener = listener;
    this.execution = options.execution();
  }

  /**
   * Opens a store.
   *
   * @param then makes the result of what was put together, and owns it from then on; if that fails,
   *     so has the opening
   */
  public <T> T open(Function<OpenedStore, T> then) {
    opened.push(storage);
    try {
      T result = then.apply(options.readOnly() ? openToRead() : openToWrite());
      OpeningFacts found = facts;
      if (found != null) {
        listener.opened(found);
      }
      return result;
    } catch (CorruptStoreException e) {
      closeAll(e);
      throw e.in(storage.describe());
    } catch (OutOfMemoryError e) {
      StorageException told =
          new StorageException(
              StorageException.Reason.NO_MEMORY,
              "open store "
                  + storage.describe()
                  + " (by what the JVM says in brackets, raise -Xmx, -XX:MaxDirectMemorySize if"
                  + " that is set, or the limit of threads),",
              e);
      closeAll(told);
      throw told;
    } catch (StoreFailedException e) {
      closeAll(e);
      throw cause(e);
    } catch (Throwable t) {
      closeAll(t);
      throw t;
    }
  }

  /**
   * Returns why a store has stopped while it was opened: the caller has none that it could close
   * and open again.
   */
  private HowdahException cause(StoreFailedException failure) {
    HowdahException cause = failure;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof HowdahException e && !(e instanceof StoreFailedException)) {
        cause = e;
      }
    }
    if (cause instanceof CorruptStoreException e) {
      CorruptStoreException located = e.in(storage.describe());
      located.addSuppressed(failure);
      return located;
    }
    return cause;
  }

  private <T extends AutoCloseable> T opening(T resource) {
    opened.push(resource);
    return resource;
  }

  private OpenedStore openToRead() {
    ReadOnlyOpening opening = new ReadOnlyOpening(storage, options, this::opening);
    OpenedStore store = opening.open();
    facts = opening.facts();
    return store;
  }

  private OpenedStore openToWrite() {
    StoreLookup.requirePlace(storage);
    return openLocked(opening(storage.lock("howdah")));
  }

  private OpenedStore openLocked(StorageLock lock) {
    if (storage.isReadOnly()) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " is read-only: give this process's user the right to write there (chown; fsGroup"
              + " in Kubernetes), make its file system writable, or open the store for reading only"
              + " (readOnly, howdah shell --read-only); howdah restore copies it to where it can be"
              + " written");
    }
    SuperblockFile superblock = opening(superblock());
    Geometry geometry = grow(superblock);
    boolean mayBeNew = mayBeNew(superblock.current());
    // However long the log: the checkpoint thread takes what is due beside the first transactions.
    RecoveredStore recovered =
        StoreRecovery.recover(
            storage,
            execution,
            superblock,
            new RecoveryOptions(
                options.backing(),
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                stashBytes(),
                options.verifyImage(),
                options.explicitMaxSizeBytes().orElse(Long.MAX_VALUE),
                (long) LATER_SEGMENTS * options.logSegmentBytes(),
                options.warmRestart(),
                MachineMemory.usableBytes() / SHARED_PARTS * (SHARED_PARTS - 1),
                loadedBytes()),
            new RemovingBackupMark(storage));
    WarmMemory warm = recovered.warm();
    if (warm != null) {
      opening(warm); // closed last: region and marks are in it
    }
    opening(recovered.region());
    opening(recovered.dirty());
    opening(recovered.replay());
    OrecTable orecs =
        opening(
            OrecTable.create(options.orecs(), !storage.observesMemory(), new Allocating(storage)));
    Lifecycle lifecycle = new Lifecycle();
    lifecycle.onFailure(new Stopped(warm));
    LogOfStore started = startLog(superblock, geometry, recovered, lock, lifecycle);
    RedoLog log = started.log();
    record(recovered.report());
    // Everything is decided and durable: what is not in the region yet, nobody reads before it is.
    recovered
        .replay()
        .start(new FailIfStopped(lifecycle), new StoreFailure(lifecycle, log), listener);
    // First of all: its threads tell the log of what they find, and use the region.
    opened.push(recovered.replay());
    CheckpointThread checkpoints = startCheckpoints(superblock, recovered, log);
    Archiving archiving = opening(new Archiving(storage, log, checkpoints, execution));
    Closing closing =
        new Closing(
            storage,
            superblock,
            recovered,
            started,
            checkpoints,
            archiving,
            lock,
            orecs,
            options.warmClose(),
            options.checkpointAtClose(),
            execution);
    if (options.archive().isPresent()) {
      archiving.start(options.archive().get());
    }
    facts =
        new OpeningFacts(
            storage.describe(),
            isCreated ? OpeningFacts.Kind.NEW : OpeningFacts.Kind.TO_WRITE,
            options.backing(),
            storage.usesLargePages(backing(warm)),
            recovered.report(),
            started.rings().whyOnDisk(),
            new ReplayDone(recovered.replay()));
    return new OpenedStore(
        recovered.region(),
        orecs,
        log.lanes(),
        lifecycle,
        new OpenedStore.Dimensions(
            geometry.partitions(),
            (int) geometry.ringBytes(),
            superblock.current().geometry().maxSizeBytes()),
        log,
        recovered.dirty(),
        checkpoints,
        archiving,
        recovered.report(),
        recovered.replay(),
        mayBeNew,
        closing);
  }

  // What is called later: classes, since the JVM would make one for each lambda first.

  private record RemovingBackupMark(Storage storage) implements Runnable {
    @Override
    public void run() {
      BackupMark.remove(storage);
    }
  }

  private record Allocating(Storage storage) implements LongFunction<Region> {
    @Override
    public Region apply(long lengthBytes) {
      return storage.allocate(lengthBytes);
    }
  }

  private final class Stopped implements Consumer<Throwable> {
    private final @Nullable WarmMemory warm;

    Stopped(@Nullable WarmMemory warm) {
      this.warm = warm;
    }

    @Override
    public void accept(Throwable cause) {
      if (warm != null) {
        warm.invalidate();
      }
      sayStopped(cause);
    }
  }

  private record FailIfStopped(Lifecycle lifecycle) implements Runnable {
    @Override
    public void run() {
      lifecycle.failIfStopped();
    }
  }

  private record ReplayDone(DeferredReplay replay) implements BooleanSupplier {
    @Override
    public boolean getAsBoolean() {
      return replay.isDone();
    }
  }

  /** A generation of the log, in which commits may be found, with the memory and files of it. */
  private record LogOfStore(RedoLog log, RingDirectory rings, Region laneWords) {}

  private LogOfStore startLog(
      SuperblockFile superblock,
      Geometry geometry,
      RecoveredStore recovered,
      StorageLock lock,
      Lifecycle lifecycle) {
    Region laneWords =
        opening(storage.allocate(CommitLanes.wordsLengthBytes(geometry.partitions())));
    LogStart start = recovered.logStart();
    long nonce = execution.randomLong();
    WarmMemory warm = recovered.warm();
    // Closed with the log; its files stay unless the store is closed in peace.
    RingDirectory rings =
        opening(RingDirectory.create(storage, superblock.current(), start, nonce, warm != null));
    RedoLog log =
        opening(
            RedoLog.start(
                storage,
                rings.rings(),
                laneWords,
                warm == null ? null : warm.applying(),
                start,
                logOptions(geometry),
                execution,
                new StoreWatch(storage, lock, execution),
                new StoreFailure(lifecycle, null)));
    if (warm != null) {
      warm.own(superblock.current(), nonce);
    }
    // The first segment is durable: from now on commits may be found.
    superblock.write(
        superblock
            .current()
            .change()
            .withRings(rings.placement())
            .withGeometry(shrunk(geometry, recovered.region()))
            .build());
    return new LogOfStore(log, rings, laneWords);
  }

  private static void record(RecoveryReport report) {
    RecoveryEvent event = FlightRecording.isOn() ? new RecoveryEvent() : null;
    if (event != null && event.shouldCommit()) {
      event.take(report);
      event.commit();
    }
  }

  // ---- The superblock, of a store there is or a new one.

  private SuperblockFile superblock() {
    if (StoreLookup.exists(storage)) {
      // Left behind if its store was put here by hand; were it to outlive that, what is left of the
      // store would look like a creation.
      storage.delete(UnfinishedStore.CREATION.fileName());
      SuperblockFile file = SuperblockFile.open(storage);
      try {
        requireSupported(storage, file.current());
        return file;
      } catch (Throwable t) {
        file.close();
        throw t;
      }
    }
    isCreated = true;
    OpenedStore.Dimensions wanted = options.wanted();
    long maxSize = wanted.maxSizeBytes();
    if (options.explicitMaxSizeBytes().isPresent()) {
      requireAddressSpace(maxSize); // of a default the opening maps what it can get
    }
    Geometry geometry =
        new Geometry(
            wanted.partitions(),
            wanted.ringBytes(),
            maxSize,
            options.orecs(),
            STRIPE_BYTES,
            PAGE_BYTES);
    if (UnfinishedStore.CREATION.isIn(storage)) {
      // A creation that was cut short: none of its files holds data. The file that says so goes
      // last.
      StoreFiles.delete(storage);
      storage.delete(UnfinishedStore.CREATION.fileName());
    }
    UnfinishedStore.CREATION.begin(storage, "creation of a store; it holds no data yet");
    StoreFiles.createDirectories(storage);
    StoreId id = StoreId.random(execution::randomLong);
    RegionImage.create(storage, id, geometry);
    return SuperblockFile.create(
        storage,
        UnfinishedStore.CREATION,
        new Superblock(
            id,
            execution.wallClockMillis(),
            geometry,
            1,
            1,
            0,
            false,
            new RingPlacement.None(),
            new LogState(1, 1, 1),
            CheckpointState.NONE,
            List.of()));
  }

  /** Holds a store to what the options of this release can ask for. */
  static void requireSupported(Storage storage, Superblock superblock) {
    StoreLookup.requireNoReplica(storage, superblock);
    Geometry geometry = superblock.geometry();
    boolean known =
        geometry.maxSizeBytes() >= OpeningOptions.MIN_SIZE_BYTES
            && geometry.maxSizeBytes() <= OpeningOptions.MAX_SIZE_BYTES
            && geometry.orecStripeBytes() == STRIPE_BYTES
            && geometry.pageBytes() == PAGE_BYTES;
    if (!known) {
      throw new UnsupportedStoreException(
          storage.describe()
              + " was made with dimensions that this release does not have: "
              + geometry
              + "; open it with the release that made it");
    }
  }

  /** Returns whether the image never held what any commit wrote. */
  static boolean mayBeNew(Superblock superblock) {
    return superblock.checkpoint().imageLsn() == 0;
  }

  /** Returns what is thrown for a region that is not new and has no header. */
  public static CorruptStoreException headerGone() {
    return new CorruptStoreException(
        ImageFile.NAME,
        RegionHeaderLayout.MAGIC_ADDRESS,
        "the region's header is gone, though the store was used before; restore the store from a"
            + " backup");
  }

  private Geometry grow(SuperblockFile superblock) {
    Superblock current = superblock.current();
    Geometry geometry = current.geometry();
    long wanted = options.explicitMaxSizeBytes().orElse(geometry.maxSizeBytes());
    if (wanted > geometry.maxSizeBytes()) {
      requireAddressSpace(wanted);
      // What is too short now is long enough afterwards, with zeros where data was.
      RegionImage.requireWhole(storage, current.storeId(), geometry);
      Checkpointer checkpointer = new Checkpointer(storage, superblock);
      checkpointer.requireNewest();
      checkpointer.checkSome();
      // An opening that fails because of damage is to leave the store as it was.
      LogRecovery.check(storage, execution, checkpointer.withoutLeftover());
      BackupMark.remove(storage);
      Geometry larger = geometry.withMaxSizeBytes(wanted);
      RegionImage.grow(storage, larger);
      superblock.write(current.change().withGeometry(larger).build());
    }
    return superblock.current().geometry();
  }

  /**
   * Returns the geometry with the size that was asked for, if that is smaller, or with what is used
   * if that is more: no longer needed is what the image has beyond, which was never written.
   */
  private Geometry shrunk(Geometry geometry, Region region) {
    long wanted = options.explicitMaxSizeBytes().orElse(Long.MAX_VALUE);
    return wanted < geometry.maxSizeBytes()
        ? geometry.withMaxSizeBytes(Math.max(wanted, region.capacityBytes()))
        : geometry;
  }

  /**
   * Tries out whether so much memory is to be had, before the superblock says so: a size cannot be
   * taken back, and data in a region that this machine cannot map would be locked in.
   */
  private void requireAddressSpace(long maxSize) {
    storage.allocate(maxSize).close();
  }

  private CheckpointThread startCheckpoints(
      SuperblockFile superblock, RecoveredStore recovered, RedoLog log) {
    boolean covered = superblock.current().closedGenerations().isEmpty();
    CheckpointThread thread =
        new CheckpointThread(
            new Checkpointer(storage, superblock),
            recovered.region(),
            recovered.dirty(),
            log,
            execution,
            new ReplayDone(recovered.replay()),
            checkpointOptions(log),
            covered ? 0 : logBytes(recovered.report()));
    return opening(thread);
  }

  /** Returns the length of the log that the next recovery may have to read. */
  private static long logBytes(RecoveryReport report) {
    long skipped =
        report.memory() instanceof MemoryOrigin.Attached attached ? attached.skippedLogBytes() : 0;
    return report.counts().scannedBytes() + report.laterLogBytes() + skipped;
  }

  /** What may be left to replay is to be well below what the log may take. */
  private CheckpointOptions checkpointOptions(RedoLog log) {
    CheckpointOptions goal = CheckpointOptions.forGoal(options.recoveryGoal().toNanos());
    return new CheckpointOptions(Math.min(goal.logBytes(), log.maxBytes() / 2));
  }

  /** Says in the program's log that the store has stopped: a caller may swallow its exception. */
  private void sayStopped(Throwable cause) {
    new ProgramLog("io.howdah.txn", execution)
        .say(
            System.Logger.Level.ERROR,
            () ->
                "store "
                    + storage.describe()
                    + " has stopped and refuses all transactions: "
                    + cause
                    + ". Close it and open it again, which recovers every acknowledged commit");
  }

  /** Returns what the memory of the region is, whatever was asked for. */
  private Backing backing(@Nullable WarmMemory warm) {
    if (warm != null) {
      return Backing.SHARED;
    }
    return options.backing() == Backing.RESIDENT ? Backing.RESIDENT : Backing.MAPPED;
  }

  /** Returns how much of an image can be loaded within the recovery goal. */
  private long loadedBytes() {
    return options.recoveryGoal().toMillis() * (LOADED_BYTES_PER_SECOND / 1000);
  }

  private static long stashBytes() {
    return Math.min(MAX_STASH_BYTES, MachineMemory.usableBytes() / STASH_SHARE);
  }

  private LogOptions logOptions(Geometry geometry) {
    LogOptions defaults = LogOptions.DEFAULTS;
    long most = options.maxLogBytes(geometry.maxSizeBytes());
    long part = Long.highestOneBit(most / LogOptions.MIN_SEGMENTS);
    // A segment holds any record, which is at most a quarter of a ring. The rings are those that
    // the store has, whatever this opening asks for.
    int largest =
        Math.max((int) Math.min(options.logSegmentBytes(), part), (int) geometry.ringBytes());
    return new LogOptions(
        options.groupCommitInterval().toNanos(),
        defaults.spinNanos(),
        defaults.logFullTimeoutNanos(),
        Math.min(defaults.firstSegmentBytes(), largest),
        largest,
        Math.max(most, (long) largest * LogOptions.MIN_SEGMENTS));
  }

  private void closeAll(Throwable failure) {
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Throwable e) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Closes what {@link #open} opened, and leaves a clean store where that is possible. */
  private record Closing(
      Storage storage,
      SuperblockFile superblock,
      RecoveredStore recovered,
      LogOfStore log,
      CheckpointThread checkpoints,
      Archiving archiving,
      StorageLock lock,
      OrecTable orecs,
      boolean isMemoryKept,
      boolean isCheckpointed,
      Execution execution)
      implements OnClose {

    /**
     * Closes the store, on a thread of the engine.
     *
     * @param quiescent whether no commit is under way and all that were have ended well; if not,
     *     the store is left as a kill would leave it
     */
    @Override
    public void close(boolean quiescent) {
      UninterruptedCall.callOrRun(
          execution,
          "howdah-close",
          () -> {
            closeHere(quiescent);
            return true;
          });
    }

    private void closeHere(boolean quiescent) {
      Throwable failure = null;
      try {
        checkpoints.close();
        log.log().close();
        archiving.stop(); // everything is durable now, and may be archived
        if (quiescent) {
          if (isLogLeft()) {
            leaveLog();
          } else {
            recovered.replay().finish();
            checkpoint();
          }
          log.rings().delete();
        }
      } catch (RuntimeException | Error e) {
        failure = e;
      }
      Deque<AutoCloseable> rest = new ArrayDeque<>();
      rest.add(archiving);
      rest.add(recovered.replay());
      rest.add(recovered.region());
      rest.add(recovered.dirty());
      WarmMemory warm = recovered.warm();
      if (warm != null) {
        if (failure != null || !quiescent || !isMemoryKept) {
          // Also after a failure: memory that is given up in order is never used again.
          rest.add(warm::delete);
        }
        rest.add(warm);
      }
      rest.add(orecs);
      rest.add(log.laneWords());
      rest.add(log.rings());
      rest.add(superblock);
      rest.add(lock);
      rest.add(storage);
      // Whatever was thrown: a lock that is kept keeps everybody out until the process ends.
      for (AutoCloseable resource : rest) {
        try {
          resource.close();
        } catch (Throwable e) {
          if (failure == null) {
            failure = e;
          } else {
            failure.addSuppressed(e);
          }
        }
      }
      switch (failure) {
        case null -> {}
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        default -> throw new StoreFailedException("closing the store failed: " + failure, failure);
      }
    }

    /** Returns whether this close leaves the log to the next opening. */
    private boolean isLogLeft() {
      int closed = superblock.current().closedGenerations().size();
      boolean isLogNeeded = closed > 0 || log.log().lastBatch().sequence() > 0;
      return !isCheckpointed
          && isLogNeeded
          && memoryNonce() == 0
          && closed < MAX_LEFT_GENERATIONS
          && log.log().isComplete();
    }

    /**
     * Everything is forced: closes the generation of the log with its record, as a recovery of it
     * would (R63). The rings have nothing that the log does not have.
     */
    private void leaveLog() {
      Superblock current = superblock.current();
      long lastBatch = log.log().lastBatch().sequence();
      if (lastBatch == 0) {
        // As an opening that was killed before its first commit leaves it.
        superblock.write(current.change().withRings(new RingPlacement.None()).build());
        return;
      }
      long lsn = log.log().stable();
      List<ClosedGeneration> closed = new ArrayList<>(current.closedGenerations());
      closed.add(
          new ClosedGeneration(
              current.generation(),
              current.baseLsn(),
              lsn,
              lastBatch,
              Collections.nCopies(current.geometry().partitions(), 0L)));
      superblock.write(
          current
              .change()
              .withGeneration(current.generation() + 1)
              .withBaseLsn(lsn)
              .withRings(new RingPlacement.None())
              .withLog(
                  new LogState(
                      current.log().oldestSegment(),
                      log.log().nextSegmentSequence(),
                      current.log().oldestBatch()))
              .withClosedGenerations(closed)
              .build());
    }

    /** Returns the nonce of the memory that this close keeps, or 0 (R61). */
    private long memoryNonce() {
      return recovered.warm() != null && isMemoryKept ? log.rings().placement().nonce() : 0;
    }

    /** Everything is forced and nothing moves: what the log holds goes into the image. */
    private void checkpoint() {
      Checkpointer checkpointer = new Checkpointer(storage, superblock);
      checkpointer.checkpointQuiescent(
          recovered.region(),
          recovered.dirty(),
          log.log().stable(),
          change -> change.withClean(true).withRings(new RingPlacement.None(memoryNonce())));
      SpareSegments.keep(storage, checkpointer.imageEnd());
    }
  }
}
