package io.howdah.store.archive;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.checkpoint.BaseStart;
import io.howdah.checkpoint.CheckpointThread;
import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.Storage;
import io.howdah.log.RedoLog;
import io.howdah.log.flush.LogExtent;
import io.howdah.log.recovery.LogFollower;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Copies an open store to its archive: the log as it becomes durable, and bases beside it. It never
 * makes the store wait, and a failure of it is no failure of the store: the archive falls behind,
 * tells so, and catches up, or begins again if the log that it lacks was needed for reuse.
 *
 * <p>The order of the steps, and the proof that a crash at any point leaves an archive that can be
 * restored, are in docs/protocol.md, section 13. Thread-safe.
 */
public final class ArchiveThread implements AutoCloseable {

  /** Part of the log's maximum length that segments may take which only the archive needs. */
  private static final int HELD_DIVISOR = 4;

  /** Length at which a new object of the log is begun. */
  private static final long LOG_OBJECT_BYTES = 64L << 20;

  /** Minimum length of log behind a base before another base is made. */
  private static final long BASE_AFTER_BYTES = 1L << 30;

  /** Interval of marks in which nothing has changed. */
  private static final long QUIET_MARK_MILLIS = 60_000;

  /** Interval in which the archive looks whether its place still has what was written to it. */
  private static final long WATCH_NANOS = 60_000_000_000L;

  /** Length of log that is copied before the interval has passed. */
  private static final long AHEAD_BYTES = 1 << 20;

  /**
   * Maximum length of one force, so that forces of the store's log on the same disk wait little.
   */
  private static final long FORCE_BYTES = 1 << 20;

  private static final long LONGEST_PAUSE_NANOS = 50_000_000;
  private static final long LOOK_NANOS = 20_000_000;

  /** The same if nothing was written since the last look. */
  private static final long QUIET_LOOK_NANOS = 200_000_000;

  private static final long RETRY_NANOS = 100_000_000;
  private static final long LONGEST_RETRY_NANOS = 60_000_000_000L;
  private static final long BUSY_PARK_NANOS = 1_000_000;
  private static final long POLL_NANOS = 1_000_000;

  private final Archive archive;
  private final Storage storage;
  private final Execution execution;
  private final RedoLog log;
  private final CheckpointThread checkpoints;
  private final PayloadCoding coding;
  private final ProgramLog programLog;
  private final EngineThread thread;
  private final AtomicLong requested = new AtomicLong();

  /** The last request that was served, and how. */
  private volatile Served served = new Served(0, null);

  private volatile ArchiveState state = ArchiveState.NONE;

  /** Whether {@link #close} has given up waiting for the target: then nothing is used any more. */
  private volatile boolean isAbandoned;

  // All other fields are the thread's own.

  private @Nullable ArchiveTarget target;
  private @Nullable Run run;
  private long retryNanos = RETRY_NANOS;

  /** Whether a base has failed and is tried again at {@link #baseNotBeforeNanos}. */
  private boolean isBaseDelayed;

  private long baseNotBeforeNanos;

  private long lsn;
  private long millis;
  private long runs;
  private long bases;
  private long writtenBytes;

  /** Bytes that were appended to the log's object since its last force. */
  private long unforcedBytes;

  /** Bytes that the store's log had written at the last {@link #copyAhead}. */
  private long aheadBytes;

  /** Bytes that the store's log had written at the last look. */
  private long seenBytes;

  private long failures;
  private @Nullable String problem;

  /** The latest time of a mark. A clock that is set back stands still until it is past this. */
  private long latestMillis;

  /** When the place was last looked at. */
  private long watchedNanos;

  /** Bases of this process that were not completed and not removed. */
  private final List<String> unfinished = new ArrayList<>();

  /** Set when another process has begun a run: then this archive has ended. */
  private @Nullable UnsupportedStoreException superseded;

  private record Served(long request, @Nullable RuntimeException failure) {}

  /**
   * Thrown when the run cannot go on: segments of the log were reused before they were copied, or
   * the place has lost what was written.
   */
  private static final class LostTrackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LostTrackException(String message) {
      super(message);
    }

    static LostTrackException ofLog() {
      return new LostTrackException(
          "the log was reused before it was copied: the archive is too slow, or its place did not answer for too long");
    }
  }

  /** A part of the archive in which the log has no gap. */
  private final class Run implements AutoCloseable {
    final RunId id;
    final LogFollower follower;
    LogFollower.Position forced;
    @Nullable FrameWriter writer;
    @Nullable BaseCopy base;
    long baseNumber;
    long logNumber;

    /** Length of log since the start of the newest base. */
    long logBytes;

    long baseBytes;
    long baseMillis;

    /** The newest complete base, perhaps of a former run; or null. */
    BaseCopy.@Nullable Former former;

    /** Name of the newest complete base of this run, or null. */
    @Nullable String baseObject;

    /** LSN of the oldest complete base of this run, or -1. */
    long restorableFrom = -1;

    long markedLsn = -1;
    long markedMillis;

    Run(RunId id, BaseStart start) {
      this.id = id;
      this.follower = new LogFollower(storage, start.superblock());
      this.forced = follower.position();
    }

    /** Ends the use of objects that may hold anything. */
    void dropWriters() {
      FrameWriter dropped = writer;
      BaseCopy droppedBase = base;
      writer = null;
      base = null;
      follower.moveTo(forced);
      try {
        if (dropped != null) {
          closeQuietly(dropped);
        }
      } finally {
        if (droppedBase != null) {
          unfinished.add(droppedBase.object()); // nothing continues it
          closeQuietly(droppedBase);
        }
      }
    }

    @Override
    public void close() {
      try {
        dropWriters();
      } finally {
        follower.close();
      }
    }
  }

  /**
   * Starts to archive an open store.
   *
   * @param storage of the store
   */
  public ArchiveThread(
      Archive archive,
      Storage storage,
      RedoLog log,
      CheckpointThread checkpoints,
      Execution execution) {
    this.archive = archive;
    this.storage = storage;
    this.log = log;
    this.checkpoints = checkpoints;
    this.execution = execution;
    this.coding = new PayloadCoding(archive);
    this.programLog = new ProgramLog("io.howdah.archive", execution);
    this.thread = new EngineThread(execution, "howdah-archive");
    thread.start(this::run);
  }

  private void run() {
    try {
      while (true) {
        boolean isLast = thread.isClosing();
        long request = requested.get();
        long started = execution.nanoTime();
        boolean isBusy = attempt(request, started + archive.interval().toNanos());
        if (isLast || isAbandoned || log.failure() != null) {
          break;
        }
        rest(started, isBusy);
      }
    } finally {
      end();
    }
  }

  private void rest(long started, boolean isBusy) {
    // If only a base has failed, the log is copied as often as before.
    boolean isRetry = failures > 0 && !isBaseDelayed;
    long until = started + (isRetry ? retryNanos : archive.interval().toNanos());
    if (isBusy) {
      execution.parkNanos(this, BUSY_PARK_NANOS);
      return;
    }
    while (!thread.isClosing() && !isRequested()) {
      long left = until - execution.nanoTime();
      if (left <= 0) {
        return;
      }
      long written = log.stats().writtenBytes();
      boolean isQuiet = written == seenBytes;
      seenBytes = written;
      execution.parkNanos(this, Math.min(left, isQuiet ? QUIET_LOOK_NANOS : LOOK_NANOS));
      copyAhead();
    }
  }

  /**
   * Brings the archive up to date.
   *
   * @param deadline when to look at the log again although a base is not complete
   * @return whether a base is under way
   */
  private boolean attempt(long request, long deadline) {
    boolean isLogCopied = false;
    try {
      if (superseded != null) {
        throw superseded;
      }
      Run current = run == null ? begin() : run;
      copyLog(current);
      isLogCopied = true;
      boolean isUnderWay = copyBase(current, deadline);
      if (!isUnderWay) {
        watch(current);
        succeeded();
        served = new Served(request, null);
      }
      return isUnderWay;
    } catch (StoreClosedException | StoreFailedException e) {
      // The store is closing. What is durable by now is copied without the checkpoint's thread.
      copyRest(e, request);
      return false;
    } catch (LostTrackException e) {
      endRun();
      closeTarget(); // a directory that was removed is made again
      failed(e);
      served = new Served(request, new UnsupportedStoreException(messageOf(e)));
      return false;
    } catch (Throwable t) {
      // A target may throw anything. Objects that were not forced may hold anything.
      if (run != null) {
        run.dropWriters();
      }
      closeTarget();
      failed(t);
      served = new Served(request, new UnsupportedStoreException(messageOf(t)));
      if (t instanceof Error && !(t instanceof OutOfMemoryError)) {
        throw t;
      }
      if (isLogCopied) {
        baseNotBeforeNanos = execution.nanoTime() + retryNanos;
        isBaseDelayed = true;
      }
      return false;
    }
  }

  private void copyRest(RuntimeException closing, long request) {
    try {
      Run current = run;
      if (current != null && log.failure() == null) {
        copyLog(current);
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      failed(e);
    }
    served = new Served(request, closing);
  }

  // ---- Runs.

  private Run begin() {
    ArchiveTarget place = openTarget();
    SortedMap<String, Long> objects = place.list();
    Optional<ArchiveIndex.Owner> owner = ArchiveIndex.owner(place, objects, coding);
    owner.ifPresent(
        known ->
            latestMillis =
                Math.max(
                    latestMillis,
                    ArchiveIndex.latestMillis(place, objects, known.storeId(), coding)));
    if (isAbandoned) {
      throw new StoreClosedException("the archive was given up");
    }
    BaseStart start = checkpoints.startArchive(this, maxHeldBytes());
    boolean isBegun = false;
    try {
      StoreId storeId = start.superblock().storeId();
      if (owner.isPresent() && !owner.get().storeId().equals(storeId)) {
        throw new UnsupportedStoreException(
            place.describe()
                + " holds the archive of store "
                + owner.get().storeId()
                + ", not of "
                + storeId
                + "; name another place");
      }
      long number =
          1
              + objects.keySet().stream()
                  .map(ArchiveNames::part)
                  .flatMap(Optional::stream)
                  .mapToLong(ArchiveNames.Part::run)
                  .max()
                  .orElse(0);
      RunId id = new RunId(storeId, number, execution.randomLong());
      if (owner.isEmpty() || owner.get().problem() != null) {
        FrameWriter.putArchive(place, new RunId(storeId, 0, 0));
      }
      keepLast(place, objects);
      BaseCopy.@Nullable Former former =
          ArchiveIndex.newestBase(place, objects, storeId, coding)
              .map(base -> new BaseCopy.Former(base.object(), base.chain(), base.bytes()))
              .orElse(null);
      Run begun = new Run(id, start); // behind the last step that may fail: it has memory to free
      begun.former = former;
      run = begun;
      isBegun = true;
      startBase(begun, start);
      runs++;
      publish();
      return begun;
    } finally {
      if (!isBegun) {
        log.unfollow(this);
      }
    }
  }

  /**
   * Makes durable what the run before has written last. If its process was killed, it can be read
   * although it was not forced, and the next base may refer to it (R60).
   */
  private static void keepLast(ArchiveTarget place, SortedMap<String, Long> objects) {
    String base = null;
    String log = null;
    for (String name : objects.keySet()) {
      Optional<ArchiveNames.Part> part = ArchiveNames.part(name);
      if (part.isPresent() && part.get().isBase()) {
        base = name;
      } else if (part.isPresent()) {
        log = name;
      }
    }
    for (String name : Arrays.asList(base, log)) {
      if (name != null) {
        place.keep(name);
      }
    }
  }

  /**
   * Looks whether the place still has what was written, and whether another process has begun a
   * run: a store that was copied or restored, and the one that it was made of, are one store to an
   * archive. The newer run goes on, as retention removes what is older.
   */
  private void watch(Run current) {
    long now = execution.nanoTime();
    if (watchedNanos != 0 && now - watchedNanos < WATCH_NANOS && !isRequested()) {
      return;
    }
    watchedNanos = now;
    SortedMap<String, Long> objects = openTarget().list();
    String base = current.baseObject;
    String own = ArchiveNames.run(ArchiveNames.log(current.id.number(), current.id.nonce(), 0));
    for (String name : objects.keySet()) {
      if (ArchiveNames.part(name).isPresent() && ArchiveNames.run(name).compareTo(own) > 0) {
        superseded =
            new UnsupportedStoreException(
                "another process has begun "
                    + name
                    + ": it has a copy of this store, or this store was a copy of it. Name another"
                    + " place for one of them");
        endRun();
        log.unfollow(this);
        throw superseded;
      }
    }
    FrameWriter writer = current.writer;
    for (String name :
        Arrays.asList(ArchiveNames.ARCHIVE, base, writer == null ? null : writer.name())) {
      if (name != null && !objects.containsKey(name)) {
        throw new LostTrackException(name + " is gone from " + placeName());
      }
    }
  }

  private ArchiveTarget openTarget() {
    ArchiveTarget open = target;
    if (open == null) {
      open = archive.open();
      target = open;
    }
    return open;
  }

  private void endRun() {
    Run ended = run;
    run = null;
    if (ended != null) {
      ended.close();
    }
  }

  private void closeTarget() {
    ArchiveTarget open = target;
    target = null;
    if (open != null) {
      closeQuietly(open);
    }
  }

  private static void closeQuietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception e) {
      // What was forced is there, and nothing else counts.
    }
  }

  /** Frees all that this has, also if a target throws an error at one of the steps. */
  private void end() {
    try (coding) {
      try {
        endRun();
      } finally {
        closeTarget();
      }
    }
    if (!isAbandoned && log.failure() == null) {
      log.unfollow(this);
    }
  }

  // ---- The log.

  /**
   * Copies what has become durable, then a mark, and forces both. The stable LSN is read first,
   * then the time, then the durable ranges: so the mark names no commit that is not in the archive,
   * and none that was made after its time (R52, R55).
   */
  private void copyLog(Run current) {
    long stable = log.stable();
    long now = Math.max(latestMillis, execution.wallClockMillis());
    latestMillis = now; // whether or not the mark is forced: it may be read
    List<LogExtent> extents = followed();
    boolean hasCopied = current.follower.position().batch() > current.forced.batch();
    for (LogFollower.Piece piece = piece(current, extents);
        piece != null;
        piece = piece(current, extents)) {
      append(current, piece);
      hasCopied = true;
      paced(current, piece.bytes().remaining());
    }
    if (!hasCopied
        && stable <= current.markedLsn
        && now - current.markedMillis < QUIET_MARK_MILLIS) {
      return;
    }
    FrameWriter writer = writer(current);
    writer.append(
        FrameKind.MARK,
        stable,
        now,
        current.follower.position().batch(),
        0,
        FrameWriter.NO_PAYLOAD);
    writer.force();
    current.forced = current.follower.position();
    current.markedLsn = stable;
    current.markedMillis = now;
    log.copiedBefore(this, current.forced.segment()); // only now, R54
    lsn = stable;
    millis = now;
    publish();
    if (writer.bytes() >= LOG_OBJECT_BYTES) {
      rollLog(current);
    }
  }

  /** Ends an object of the log, all of which is forced. The next frame begins another one. */
  private static void rollLog(Run current) {
    FrameWriter full = current.writer;
    current.writer = null;
    if (full != null) {
      full.close();
    }
  }

  /**
   * Copies what has become durable, without a mark, if that is much: what remains for the next mark
   * is little then, and so is its force.
   */
  private void copyAhead() {
    Run current = run;
    long written = log.stats().writtenBytes();
    if (current == null || failures > 0 || written - aheadBytes < AHEAD_BYTES) {
      return;
    }
    aheadBytes = written;
    try {
      List<LogExtent> extents = followed();
      // Asked before a piece is taken: what the follower has handed out must be appended.
      while (!thread.isClosing() && !isRequested()) {
        LogFollower.Piece piece = piece(current, extents);
        if (piece == null) {
          break;
        }
        append(current, piece);
        paced(current, piece.bytes().remaining());
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      current.dropWriters(); // the next attempt meets the failure again, and tells it
    }
  }

  /**
   * Forces what was appended after each megabyte, and then waits for as long as that has taken: the
   * forces of the store's log never queue behind a long one of the archive on the same disk.
   */
  private void paced(Run current, int bytes) {
    current.logBytes += bytes;
    writtenBytes += bytes;
    unforcedBytes += bytes;
    if (unforcedBytes < FORCE_BYTES) {
      return;
    }
    unforcedBytes = 0;
    long started = execution.nanoTime();
    writer(current).force();
    pause(started);
  }

  private void pause(long started) {
    long took = execution.nanoTime() - started;
    if (!thread.isClosing() && !isRequested() && log.heldBytes() < maxHeldBytes() / 2) {
      execution.parkNanos(this, Math.clamp(took, 1, LONGEST_PAUSE_NANOS));
    }
  }

  private long maxHeldBytes() {
    return log.maxBytes() / HELD_DIVISOR;
  }

  private List<LogExtent> followed() {
    return log.followed(this).orElseThrow(LostTrackException::ofLog);
  }

  private LogFollower.@Nullable Piece piece(Run current, List<LogExtent> extents) {
    LogFollower.Piece piece;
    try {
      piece = current.follower.next(extents);
    } catch (RuntimeException e) {
      followed(); // a segment that was reused meanwhile is not damaged
      throw e;
    }
    followed();
    return piece;
  }

  private void append(Run current, LogFollower.Piece piece) {
    writer(current)
        .append(
            FrameKind.LOG,
            piece.segment(),
            piece.offset() | (long) piece.segmentBytes() << Integer.SIZE,
            piece.firstBatch(),
            piece.lastBatch(),
            piece.bytes());
  }

  private FrameWriter writer(Run current) {
    FrameWriter open = current.writer;
    if (open == null) {
      RunId id = current.id;
      open =
          new FrameWriter(
              openTarget(),
              ArchiveNames.log(id.number(), id.nonce(), ++current.logNumber),
              id,
              coding);
      current.writer = open;
      LogFollower.Position position = current.forced;
      open.append(
          FrameKind.LOG_START,
          position.segment(),
          position.offset(),
          position.batch(),
          0,
          FrameWriter.NO_PAYLOAD);
    }
    return open;
  }

  // ---- Bases.

  private void startBase(Run current, BaseStart start) {
    removeUnfinished();
    current.base =
        new BaseCopy(
            openTarget(),
            current.id,
            ++current.baseNumber,
            start,
            current.former,
            checkpoints,
            execution,
            coding);
    current.logBytes = 0;
    rollLog(current); // so that retention can remove the log before the base
  }

  private void removeUnfinished() {
    for (String object : unfinished) {
      try {
        openTarget().remove(object);
      } catch (RuntimeException e) {
        // It counts for nothing, and takes space only.
      }
    }
    unfinished.clear();
  }

  /**
   * Continues a base, or starts one that is due.
   *
   * @return whether it is under way and must be continued
   */
  private boolean copyBase(Run current, long deadline) {
    if (isBaseDelayed && execution.nanoTime() - baseNotBeforeNanos < 0 && !isRequested()) {
      return false;
    }
    isBaseDelayed = false;
    if (current.base == null && !isBaseDue(current)) {
      return false;
    }
    if (current.base == null) {
      startBase(current, checkpoints.startBase());
    }
    BaseCopy copy = current.base;
    while (copy != null && !copy.isComplete()) {
      long started = execution.nanoTime();
      if (isAbandoned || !copy.next() || execution.nanoTime() - deadline >= 0) {
        break;
      }
      pause(started);
    }
    if (copy == null || !copy.isComplete()) {
      return true;
    }
    if (current.markedLsn < copy.lsn()) {
      copyLog(current); // the base can be restored as of its LSN only when the log has that
    }
    current.base = null;
    current.baseObject = copy.object();
    current.former = copy.asFormer();
    copy.close();
    current.baseBytes = copy.imageBytes();
    current.baseMillis = execution.wallClockMillis();
    if (current.restorableFrom < 0) {
      current.restorableFrom = copy.lsn();
    }
    bases++;
    writtenBytes += copy.bytes();
    publish();
    retain();
    return false;
  }

  private boolean isRequested() {
    return requested.get() > served.request();
  }

  private boolean isBaseDue(Run current) {
    boolean isOld =
        archive.keep().isPresent()
            && current.logBytes > 0
            && execution.wallClockMillis() - current.baseMillis
                > archive.keep().get().toMillis() / 4;
    return isOld || current.restorableFrom < 0 || isLogLong(current.logBytes, current.baseBytes);
  }

  /**
   * Returns whether a restore from a base would replay so much log that another base is worth its
   * reading of the whole image: more than a GiB, and more than twice the base.
   */
  static boolean isLogLong(long logBytes, long baseBytes) {
    return logBytes > Math.max(BASE_AFTER_BYTES, 2 * baseBytes);
  }

  private void retain() {
    if (archive.keep().isEmpty()) {
      return;
    }
    ArchiveTarget place = openTarget();
    long since = execution.wallClockMillis() - archive.keep().get().toMillis();
    Retention.remove(
        place, Retention.removable(ArchiveIndex.read(place, coding), place.list(), since));
  }

  // ---- What is told.

  private void publish() {
    Run current = run;
    boolean isRestorable =
        current != null
            && current.restorableFrom >= 0
            && current.markedLsn >= current.restorableFrom;
    state =
        new ArchiveState(lsn, millis, isRestorable, runs, bases, writtenBytes, failures, problem);
  }

  private void succeeded() {
    retryNanos = RETRY_NANOS;
    long count = failures;
    failures = 0;
    problem = null;
    publish();
    if (count > 0) {
      String place = placeName();
      programLog.say(
          System.Logger.Level.INFO,
          () -> "the archive in " + place + " is written again, after " + count + " failures");
    }
  }

  private void failed(Throwable failure) {
    if (isAbandoned) {
      return; // that was told, and the store may be closed
    }
    String message = messageOf(failure);
    failures++;
    problem = message;
    publish();
    if (failures > 1) {
      retryNanos = Math.min(2 * retryNanos, LONGEST_RETRY_NANOS);
      return; // once in a row is told
    }
    retryNanos = RETRY_NANOS;
    long reached = lsn;
    programLog.say(
        System.Logger.Level.WARNING,
        () ->
            "the archive falls behind at LSN "
                + reached
                + " and is tried again; the store continues: "
                + message);
  }

  private String placeName() {
    return archive.place().orElse("a place of the program");
  }

  private static String messageOf(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : message;
  }

  /** Returns how far the archive is. */
  public ArchiveState state() {
    return state;
  }

  /** Returns the archive. */
  public Archive archive() {
    return archive;
  }

  /**
   * Brings the archive up to date now, with a complete base, and waits for it. An interrupt does
   * not end the wait; it is set again on return.
   *
   * @throws RuntimeException the failure of the attempt; the archive is tried again later
   */
  public void update() {
    long mine = requested.incrementAndGet();
    boolean interrupted = false;
    try {
      while (true) {
        boolean hasEnded = thread.hasEnded();
        Served last = served;
        if (last.request() >= mine) {
          if (last.failure() != null) {
            throw last.failure();
          }
          return;
        }
        if (hasEnded) {
          throw new StoreClosedException("the archive has ended");
        }
        thread.unpark();
        execution.parkNanos(this, POLL_NANOS);
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Copies what is durable by now and ends, within a time. Idempotent. */
  public void close(long timeoutNanos) {
    long deadline = execution.nanoTime() + timeoutNanos;
    thread.askToEnd();
    while (!thread.hasEnded() && !isAbandoned) {
      if (execution.nanoTime() - deadline >= 0) {
        isAbandoned = true;
        log.unfollow(this); // so nothing that the thread does from now on concerns the log
        programLog.say(
            System.Logger.Level.WARNING,
            () ->
                "the archive was not brought up to date when the store was closed, because "
                    + placeName()
                    + " does not answer; it ends at LSN "
                    + state().lsn());
        return;
      }
      thread.unpark();
      execution.parkThroughInterrupt(this, POLL_NANOS);
    }
  }

  /** Ends, and waits for a second at most. */
  @Override
  public void close() {
    close(1_000_000_000);
  }
}
