package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.DirtyPages;
import io.howdah.checkpoint.ImageFile;
import io.howdah.checkpoint.LogSummary;
import io.howdah.checkpoint.RegionImage;
import io.howdah.checkpoint.StoreFiles;
import io.howdah.checkpoint.UnusableMemoryException;
import io.howdah.checkpoint.WarmMemory;
import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.checkpoint.report.RecoveryReport;
import io.howdah.core.Backing;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.HowdahException;
import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.SuperblockLayout;
import io.howdah.core.report.LateLogger;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.RingDirectory;
import io.howdah.log.recovery.LogRecovery;
import io.howdah.log.recovery.LogShortcut;
import io.howdah.log.recovery.RecoveredLog;
import io.howdah.log.recovery.RedoSink;
import io.howdah.log.report.RecoveryOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Recovers a store from its files into memory. Every opening for writing does this, after a clean
 * close, a kill or a power cut. A crash may interrupt every step; the next recovery repeats it
 * (docs/recovery.md).
 *
 * <p>The steps become durable in this order: the pages of a leftover journal in the image; the
 * superblock with phase FOLDED; the log, including the records that only rings contained; the
 * superblock that closes the log's generation. Only then are the old rings removed and is the store
 * returned.
 *
 * <p>Runs on an engine thread, because it accesses files.
 */
public final class StoreRecovery {

  /**
   * Maximum number of threads that stash. This number keeps one reader busy. Each thread uses two
   * megabytes in addition to its part of the stash.
   */
  private static final int MAX_THREADS = 16;

  /**
   * Maximum size of the stash of a loaded region, whose words may be replayed before the store
   * opens. A small stash is faster then: the first access to a new page takes longer than sorting
   * the words that fit in it. Measured, the replay takes a quarter less time.
   */
  private static final long EARLY_STASH_BYTES = 128L << 20;

  /**
   * The stash size divided by this is the maximum length of the log from a shortcut on, all of
   * which must be stashed until the log before it is read.
   */
  private static final int KEPT_SHARE = 4;

  private static final LateLogger LOGGER = new LateLogger("io.howdah.checkpoint");

  private final Storage storage;
  private final Execution execution;
  private final SuperblockFile superblock;
  private final RecoveryOptions options;
  private final Runnable beforeChange;
  private final Checkpointer checkpointer;

  private StoreRecovery(
      Storage storage,
      Execution execution,
      SuperblockFile superblock,
      RecoveryOptions options,
      Runnable beforeChange) {
    this.storage = storage;
    this.execution = execution;
    this.superblock = superblock;
    this.options = options;
    this.beforeChange = beforeChange;
    this.checkpointer = new Checkpointer(storage, superblock);
  }

  /**
   * Recovers a store. On return the superblock has a generation that has accepted no commit yet.
   *
   * <p>After that, the caller does the following in this order: it creates rings; it starts the
   * log, which makes the generation's first segment durable; it writes a superblock that names the
   * rings; it accepts commits. If a superblock names rings and the first segment is missing, the
   * next recovery reports damage.
   *
   * @param superblock open; recovery writes to it
   * @throws io.howdah.core.CorruptStoreException if something that was durable is missing or
   *     damaged
   * @throws io.howdah.core.UnsupportedStoreException if a file belongs to another store or has a
   *     newer format
   * @throws io.howdah.core.storage.StorageException if a file cannot be read or written; the store
   *     may be opened again
   */
  public static RecoveredStore recover(
      Storage storage, Execution execution, SuperblockFile superblock, RecoveryOptions options) {
    return recover(storage, execution, superblock, options, () -> {});
  }

  /**
   * Recovers a store; see the other method.
   *
   * @param beforeChange runs before the first change of a file of the store, and not if the store
   *     is refused before; may run more than once
   */
  public static RecoveredStore recover(
      Storage storage,
      Execution execution,
      SuperblockFile superblock,
      RecoveryOptions options,
      Runnable beforeChange) {
    return new StoreRecovery(storage, execution, superblock, options, beforeChange).run();
  }

  /** What an opening has done before it has memory. */
  private record Start(long started, boolean healed, long foldedPages, long folded) {}

  /**
   * Memory for the region.
   *
   * @param warm the memory, if it outlives the process
   * @param isAttached whether it is that of the process before, and has the words of its commits
   */
  private record Memory(
      Region region, @Nullable WarmMemory warm, boolean isAttached, String reason) {

    void close() {
      region.close();
      if (warm != null) {
        warm.close();
      }
    }
  }

  private RecoveredStore run() {
    long started = execution.nanoTime();
    boolean healed = superblock.hadDamagedSlot();
    RegionImage.requireWhole(
        storage, superblock.current().storeId(), superblock.current().geometry());
    checkpointer.requireNewest();
    checkpointer.checkSome();
    // Before the image is mapped. A later fold would change the mapped pages that were read, and
    // not those that were written.
    if (checkpointer.isJournaled()) {
      beforeChange.run();
    }
    long folded = checkpointer.foldLeftover();
    Start start = new Start(started, healed, folded, execution.nanoTime());
    if (options.backing() != Backing.SHARED && options.backing() != Backing.AUTO) {
      return recover(start, unshared(""));
    }
    String reason;
    try {
      return recover(start, found());
    } catch (UnusableMemoryException e) {
      reason = e.reason();
      LOGGER
          .get()
          .log(
              System.Logger.Level.DEBUG,
              () ->
                  storage.describe() + ": memory of the process before is not used: " + e.reason());
    }
    return recover(start, created(reason));
  }

  private RecoveredStore recover(Start start, Memory memory) {
    Region region = memory.region();
    WarmMemory warm = memory.warm();
    DirtyPages dirty = null;
    DeferredReplay replay = null;
    try {
      dirty = dirtyPages(memory);
      long imageEnd = execution.nanoTime();
      StashedLog stashed =
          warm == null
              ? replay(region, dirty)
              : memory.isAttached() ? redo(warm, dirty) : replayAll(region, dirty, true);
      RecoveredLog log = stashed.log();
      replay = stashed.replay();
      if (warm != null) {
        replay.finish(); // the memory counts only if it is complete before the first commit (R49)
      }
      long replayEnd = execution.nanoTime();
      fence(log);
      long fenceEnd = execution.nanoTime();
      boolean checkpoint = isCheckpointNeeded(log);
      long pages = 0;
      if (checkpoint) {
        replay.finish();
        pages =
            checkpointer.checkpointQuiescent(
                region, dirty, log.baseLsn(), UnaryOperator.identity());
      }
      long end = execution.nanoTime();
      RecoveryReport report =
          new RecoveryReport(
              log.outcome(),
              log.rings(),
              origin(memory, stashed),
              superblock.current().generation(),
              log.baseLsn(),
              log.counts(),
              replay.wordsLeft(),
              memory.isAttached() ? 0 : stashed.laterBytes(),
              start.foldedPages(),
              pages,
              start.healed(),
              new RecoveryReport.Durations(
                  start.folded() - start.started(),
                  imageEnd - start.folded(),
                  replayEnd - imageEnd - log.relogNanos(),
                  log.relogNanos(),
                  fenceEnd - replayEnd,
                  end - fenceEnd));
      return new RecoveredStore(
          region, dirty, logStart(log, checkpoint), replay, log.lastLsn(), warm, report);
    } catch (Throwable t) {
      if (replay != null) {
        replay.close();
      }
      if (dirty != null) {
        dirty.close();
      }
      Throwable explained = region.explained(t);
      memory.close();
      if (explained instanceof HowdahException e) {
        throw e;
      }
      throw t;
    }
  }

  private DirtyPages dirtyPages(Memory memory) {
    WarmMemory warm = memory.warm();
    if (warm != null) {
      return warm.dirtyPages(storage);
    }
    DirtyPages dirty =
        DirtyPages.create(
            storage, memory.region().capacityBytes(), superblock.current().geometry().pageBytes());
    if (options.backing() == Backing.RESIDENT && !checkpointer.isAbandoned()) {
      dirty.imageLoaded();
    }
    return dirty;
  }

  private static MemoryOrigin origin(Memory memory, StashedLog stashed) {
    if (memory.isAttached()) {
      return new MemoryOrigin.Attached(stashed.log().counts().records(), stashed.laterBytes());
    }
    return memory.warm() == null
        ? new MemoryOrigin.Unshared(memory.reason())
        : new MemoryOrigin.Loaded(memory.reason());
  }

  // ---- Memory.

  /**
   * Returns the memory of the process before.
   *
   * @throws UnusableMemoryException if there is none that this opening can use
   */
  private Memory found() {
    if (options.limitLsn() != Long.MAX_VALUE
        || options.imageVerified()
        || options.maxRegionBytes() < superblock.current().geometry().maxSizeBytes()) {
      throw new UnusableMemoryException("this opening reads the image");
    }
    if (!options.warmRestart()) {
      throw new UnusableMemoryException("this opening was told not to use it");
    }
    WarmMemory warm = WarmMemory.find(storage, superblock.current());
    return new Memory(warm.region(), warm, true, "");
  }

  /** Returns new memory that outlives the process, or other memory if there is no room for it. */
  private Memory created(String reason) {
    Superblock current = superblock.current();
    if (options.maxRegionBytes() < current.geometry().maxSizeBytes()) {
      return unshared("this opening makes the store smaller");
    }
    long capacity = current.geometry().maxSizeBytes();
    long reserved = 0;
    if (options.backing() == Backing.AUTO) {
      reserved = capacity;
      String problem = whyNotAutomatic(capacity);
      if (problem != null) {
        return unshared(problem);
      }
    }
    WarmMemory warm;
    try {
      warm = WarmMemory.create(storage, current, usedOnce(current), reserved);
    } catch (StorageException e) {
      return unshared(String.valueOf(e.getMessage()));
    }
    boolean isLoaded = false;
    try {
      load(warm.region());
      isLoaded = true;
    } finally {
      if (!isLoaded) {
        warm.close();
      }
    }
    if (!checkpointer.isAbandoned()) {
      warm.imageVerified();
    }
    return new Memory(warm.region(), warm, false, reason);
  }

  /** Returns a supplier of the bytes in use that reads the log once. */
  private LongSupplier usedOnce(Superblock current) {
    long[] known = {-1};
    return () -> {
      if (known[0] < 0) {
        known[0] = UsedBytes.of(storage, execution, current, checkpointer);
      }
      return known[0];
    };
  }

  /**
   * Returns why {@link Backing#AUTO} does not load the image into memory that is shared, or null.
   */
  private @Nullable String whyNotAutomatic(long capacity) {
    if (capacity > options.maxSharedBytes()) {
      return "the store may hold "
          + capacity
          + " bytes, more than three quarters of the memory here ("
          + options.maxSharedBytes()
          + ")";
    }
    return checkpointer.imageEnd() > options.maxLoadedBytes()
        ? "its image has "
            + checkpointer.imageEnd()
            + " bytes, more than can be loaded within the recovery goal"
        : null;
  }

  private Memory unshared(String reason) {
    Region region = openRegion(superblock.current().geometry().maxSizeBytes());
    return new Memory(region, null, false, reason);
  }

  private Region openRegion(long capacity) {
    boolean isMapped = options.backing() != Backing.RESIDENT;
    if (isMapped && options.imageVerified()) {
      checkpointer.check();
    }
    LongSupplier used = new Used();
    long limit = capacity;
    if (options.maxRegionBytes() < capacity) {
      limit = Math.min(Math.max(options.maxRegionBytes(), used.getAsLong()), capacity);
    }
    RegionMemory memory = new RegionMemory(storage.describe(), limit, used);
    if (isMapped) {
      long imageEnd = checkpointer.imageEnd();
      return memory.map(new Mapping(storage, imageEnd));
    }
    return load(memory.map(storage::allocate));
  }

  private final class Used implements LongSupplier {
    @Override
    public long getAsLong() {
      return UsedBytes.of(storage, execution, superblock.current(), checkpointer);
    }
  }

  private record Mapping(Storage storage, long imageEnd) implements LongFunction<Region> {
    @Override
    public Region apply(long lengthBytes) {
      return storage.mapPrivate(ImageFile.NAME, lengthBytes, imageEnd);
    }
  }

  private Region load(Region region) {
    try {
      ImageLoad.load(
          storage,
          region,
          checkpointer.imageEnd(),
          superblock.current().geometry().pageBytes(),
          !checkpointer.isAbandoned(),
          execution);
      return region;
    } catch (Throwable t) {
      region.close();
      throw t;
    }
  }

  /**
   * A log that was read, except for a part of this length.
   *
   * @param laterBytes length of the part; its words come later or, in attached memory, are there
   */
  private record StashedLog(RecoveredLog log, DeferredReplay replay, long laterBytes) {}

  /**
   * Reads the end of the log, and stashes the words of the commits that may not have stored them in
   * memory that has outlived its process.
   *
   * @throws UnusableMemoryException if the log and the rings do not vouch for the memory, which is
   *     unchanged
   */
  private StashedLog redo(WarmMemory warm, DirtyPages dirty) {
    Region region = warm.region();
    long applied = warm.appliedLsn();
    LogSummary summary = summary();
    LogShortcut shortcut = summary == null ? null : summary.shortcut();
    if (shortcut != null && shortcut.replayAboveLsn() > applied) {
      shortcut = null;
    }
    Superblock current = superblock.current();
    long unreadBytes = shortcut == null ? 0 : shortcut.lengths(storage, current).beforeBytes();
    RegionChunks chunks = RegionChunks.of(region.capacityBytes());
    RegionReplay target = new RegionReplay(region, dirty, false);
    StagingMemory memory = new StagingMemory();
    Region states = null;
    try {
      // Nothing is stored before the rings are known to be trusted.
      long stashBytes = Math.min(options.stashBytes(), EARLY_STASH_BYTES);
      ChunkStash stash = ChunkStash.keepingAll(chunks, target, memory, stashBytes);
      ChunkSorter sorter = ChunkSorter.into(chunks, stash);
      RecoveredLog log =
          LogRecovery.recoverAbove(
              storage, execution, current, sorter, applied, shortcut, beforeChange);
      sorter.flush();
      // After a close the memory is the image, and there is nothing to redo (R61).
      if (!current.clean() && !(log.outcome() instanceof RecoveryOutcome.AfterKill)) {
        throw new UnusableMemoryException("the rings of the process before cannot be used");
      }
      states = storage.allocate((long) chunks.count() * Region.WORD_BYTES);
      return new StashedLog(
          log,
          new DeferredReplay(chunks, List.of(stash), memory, execution, states, 1),
          unreadBytes);
    } catch (CorruptStoreException | StashFullException e) {
      // A recovery into new memory reads the whole log, and decides.
      memory.close();
      throw new UnusableMemoryException(String.valueOf(e.getMessage()));
    } catch (Throwable t) {
      memory.close();
      if (states != null) {
        states.close();
      }
      throw t;
    }
  }

  private StashedLog replay(Region region, DirtyPages dirty) {
    try {
      LogSummary summary = summary();
      if (summary != null) {
        return replayFrom(region, dirty, summary);
      }
    } catch (CorruptStoreException | StashFullException e) {
      // The whole log decides, and it must contain what the summary names as durable (R34). The
      // region is unchanged. If this attempt has forced or written batches, the next one finds
      // them.
      LOGGER
          .get()
          .log(
              System.Logger.Level.DEBUG,
              () -> storage.describe() + ": a summary of the log is not used: " + e.getMessage());
    }
    return replayAll(region, dirty, options.backing() == Backing.RESIDENT);
  }

  /** Returns a summary that makes the opening faster, or null. */
  private @Nullable LogSummary summary() {
    Superblock current = superblock.current();
    if (options.laterAboveBytes() == Long.MAX_VALUE
        || options.backing() == Backing.RESIDENT
        || options.imageVerified()
        || options.limitLsn() != Long.MAX_VALUE
        || current.clean()
        || needsCheckpoint(current)
        || isCopy(current)
        || checkpointer.isAbandoned()) {
      return null;
    }
    LogSummary summary = LogSummary.newest(storage, current);
    if (summary == null) {
      return null;
    }
    LogShortcut.Lengths lengths = summary.shortcut().lengths(storage, current);
    return lengths.beforeBytes() >= options.laterAboveBytes()
            && keptBytes(lengths) <= options.stashBytes() / KEPT_SHARE
        ? summary
        : null;
  }

  /** Returns whether the store is a copy, so that the named rings belong to another directory. */
  private boolean isCopy(Superblock current) {
    return current.rings() instanceof RingPlacement.VolatilePlace place
        && !place.name().equals(RingDirectory.name(storage, current));
  }

  /** Returns the maximum length of the log from a shortcut on, in segments and in rings. */
  private long keptBytes(LogShortcut.Lengths lengths) {
    Geometry geometry = superblock.current().geometry();
    return lengths.behindBytes() + geometry.partitions() * geometry.ringBytes();
  }

  /** Returns whether this opening must make a checkpoint, for which it reads the whole log. */
  private static boolean needsCheckpoint(Superblock current) {
    return current.closedGenerations().size() >= SuperblockLayout.MAX_CLOSED_GENERATIONS - 1;
  }

  /** Recovers the log from a summary's shortcut on. The part before is read later. */
  private StashedLog replayFrom(Region region, DirtyPages dirty, LogSummary summary) {
    Superblock current = superblock.current();
    int threads = Math.min(execution.availableProcessors(), MAX_THREADS);
    LogShortcut.Lengths lengths = summary.shortcut().lengths(storage, current);
    long lateBytes = options.stashBytes() - keptBytes(lengths);
    RegionChunks chunks = RegionChunks.of(region.capacityBytes());
    RegionReplay target = new RegionReplay(region, dirty, false);
    long[] imageHeader = new long[HeaderSplit.WORDS];
    for (int i = 0; i < imageHeader.length; i++) {
      imageHeader[i] = region.getLong((long) i * Region.WORD_BYTES);
    }
    TouchedPages listed = touched(region, summary);
    TouchedPages touched = touched(region, summary);
    StagingMemory memory = new StagingMemory();
    Region states = null;
    try {
      List<ChunkStash> behind = new ArrayList<>();
      List<ChunkStash> before = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        behind.add(ChunkStash.keepingAll(chunks, target, memory, keptBytes(lengths)));
        // Transactions wait until this part is read, and not for the page faults of the replay.
        before.add(new ChunkStash(chunks, target, memory, lateBytes / threads));
      }
      HeaderSplit split;
      RecoveredLog log;
      try (ParallelStashing parallel = new ParallelStashing(chunks, behind, execution)) {
        split = new HeaderSplit(parallel, touched::touch, summary.header().clone());
        log =
            LogRecovery.recoverFrom(
                storage, execution, current, split, summary.shortcut(), beforeChange);
        parallel.drain();
      }
      states = storage.allocate((long) chunks.count() * Region.WORD_BYTES);
      putHeader(region, dirty, split.words());
      touched.untouchBelow(LogSummaryLayout.REGION_HEADER_LENGTH);
      LateLog late =
          new LateLog(
              storage,
              execution,
              current,
              summary,
              chunks,
              before,
              listed,
              touched,
              imageHeader,
              split);
      return new StashedLog(
          log,
          new DeferredReplay(chunks, behind, late, memory, execution, states, threads),
          lengths.beforeBytes());
    } catch (Throwable t) {
      memory.close();
      if (states != null) {
        states.close();
      }
      throw t;
    }
  }

  private TouchedPages touched(Region region, LogSummary summary) {
    return new TouchedPages(
        region.capacityBytes(), superblock.current().geometry().pageBytes(), summary.map());
  }

  private static void putHeader(Region region, DirtyPages dirty, long[] words) {
    for (int i = 0; i < words.length; i++) {
      region.setLong((long) i * Region.WORD_BYTES, words[i]);
    }
    // Like every replayed page (R17).
    for (long page = 0; page <= dirty.pageOf(LogSummaryLayout.REGION_HEADER_LENGTH - 1); page++) {
      dirty.markIn(dirty.currentMap(), page);
    }
  }

  private StashedLog replayAll(Region region, DirtyPages dirty, boolean isLoaded) {
    int threads = Math.min(execution.availableProcessors(), MAX_THREADS);
    RegionChunks chunks = RegionChunks.of(region.capacityBytes());
    // Memory that is shared was loaded, and is replayed before the store opens.
    boolean resident = isLoaded;
    RegionReplay target = new RegionReplay(region, dirty, resident);
    // In a mapped image, the first access to each page is a page fault. The faults can wait until
    // the store is open.
    long bytes =
        resident ? Math.min(options.stashBytes(), EARLY_STASH_BYTES) : options.stashBytes();
    StagingMemory memory = new StagingMemory();
    Region states = null;
    try {
      List<ChunkStash> stashes = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        stashes.add(new ChunkStash(chunks, target, memory, bytes / threads));
      }
      RecoveredLog log = stash(chunks, stashes);
      states = storage.allocate((long) chunks.count() * Region.WORD_BYTES);
      return new StashedLog(
          log, new DeferredReplay(chunks, stashes, memory, execution, states, threads), 0);
    } catch (Throwable t) {
      memory.close();
      if (states != null) {
        states.close();
      }
      throw t;
    }
  }

  private RecoveredLog stash(RegionChunks chunks, List<ChunkStash> stashes) {
    if (stashes.size() == 1 || superblock.current().clean()) {
      ChunkSorter sorter = ChunkSorter.into(chunks, stashes.getFirst());
      RecoveredLog log = recover(sorter);
      sorter.flush();
      return log;
    }
    try (ParallelStashing parallel = new ParallelStashing(chunks, stashes, execution)) {
      RecoveredLog log = recover(parallel);
      parallel.drain();
      return log;
    }
  }

  private RecoveredLog recover(RedoSink sink) {
    return LogRecovery.recover(
        storage, execution, superblock.current(), sink, options.limitLsn(), beforeChange);
  }

  /** Writes the outcome to the superblock, durably, and removes the old rings. */
  private void fence(RecoveredLog log) {
    Superblock current = superblock.current();
    beforeChange.run();
    if (isCopy(current)) {
      // The log was compared with them. Their maps may not match the copied image.
      LogSummary.deleteAll(storage);
    }
    // Missing directories are created only now: before, a missing file had to be reported.
    StoreFiles.createDirectories(storage);
    // Also if nothing changes. The superblock that was read may be in the page cache only, written
    // by a process whose force failed, and the segments that it makes free will be overwritten.
    superblock.write(next(current, log));
    RingDirectory.remove(storage, current);
  }

  private static Superblock next(Superblock current, RecoveredLog log) {
    List<ClosedGeneration> closed = new ArrayList<>(current.closedGenerations());
    ClosedGeneration record = log.closed();
    boolean hasEnded = record != null || current.clean();
    if (record != null) {
      closed.add(record);
    }
    if (current.clean()) {
      closed.clear();
    }
    long next = log.nextSegmentSequence();
    LogState set = current.log();
    LogState nextSet =
        closed.isEmpty()
            ? new LogState(next, next, 1)
            : new LogState(set.oldestSegment(), next, set.oldestBatch());
    return current
        .change()
        .withGeneration(hasEnded ? current.generation() + 1 : current.generation())
        .withBaseLsn(log.baseLsn())
        .withClean(false)
        .withRings(new RingPlacement.None())
        .withLog(nextSet)
        .withClosedGenerations(closed)
        .build();
  }

  private boolean isCheckpointNeeded(RecoveredLog log) {
    int closed = superblock.current().closedGenerations().size();
    return closed == SuperblockLayout.MAX_CLOSED_GENERATIONS
        || options.limitLsn() != Long.MAX_VALUE
        || (closed > 0 && log.counts().scannedBytes() > options.checkpointAboveBytes());
  }

  private LogStart logStart(RecoveredLog log, boolean checkpointed) {
    Superblock current = superblock.current();
    List<String> free = new ArrayList<>(log.freeSegments());
    boolean isLogNeeded = !checkpointed && !current.closedGenerations().isEmpty();
    if (!isLogNeeded) {
      free.addAll(log.neededSegments());
    }
    return new LogStart(
        current.storeId().high(),
        current.storeId().low(),
        current.generation(),
        log.baseLsn(),
        log.nextSegmentSequence(),
        free,
        isLogNeeded ? log.neededSegments() : List.of(),
        log.nextSegmentName());
  }
}
