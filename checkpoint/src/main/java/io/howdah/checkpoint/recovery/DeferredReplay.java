package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.report.FlightRecording;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The words that an opening has read from the log and not yet replayed into the region. This rest
 * of the recovery runs while the store already serves (docs/instant-open.md). A thread that needs a
 * word {@linkplain #require requires} it first. This call replays the word's chunk, or waits for
 * the thread that does. Background threads replay the other chunks.
 *
 * <p>Each chunk has a state: waiting, claimed by one thread, or replayed. Only the thread that has
 * claimed a chunk accesses its words before it is replayed. After an interrupted replay of a chunk,
 * another thread therefore repeats the replay from the beginning.
 *
 * <p>Thread-safe.
 */
public final class DeferredReplay implements AutoCloseable {

  private static final long WAITING = 0;
  private static final long CLAIMED = 1;
  private static final long REPLAYED = 2;

  private static final int SPINS = 50;
  private static final long PARK_NANOS = 20_000;
  private static final long LONG_PARK_NANOS = 1_000_000;
  private static final long RETRY_NANOS = 1_000_000_000;

  private final RegionChunks chunks;
  private final List<ChunkStash> stashes;

  /** The part of the log that is not read yet, or null. */
  private final @Nullable LateLog late;

  private final StagingMemory memory;
  private final Execution execution;
  private final ProgramLog programLog;

  /** A word for each chunk, in a region, because several threads access it. */
  private final Region states;

  private final int threadCount;
  private volatile long words;
  private final AtomicLong wordsLeft;
  private final AtomicInteger chunksLeft = new AtomicInteger();
  private final AtomicBoolean lateStarted = new AtomicBoolean();
  private final AtomicInteger onDemand = new AtomicInteger();
  private final AtomicInteger nextChunk = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicBoolean freed = new AtomicBoolean();
  private final List<EngineThread> threads = new ArrayList<>();
  private final long created;
  private final @Nullable ReplayEvent event = FlightRecording.isOn() ? new ReplayEvent() : null;

  /** Whether all of the log is stashed. */
  private volatile boolean stashed;

  /** Whether a failure to read the log that may pass is waited for. */
  private volatile boolean isPatient;

  private volatile boolean done;
  private volatile boolean closing;
  private volatile long doneNanos;
  private volatile @Nullable Throwable failure;

  /** Called by a waiting thread; throws if the wait must end. */
  private volatile Runnable waitCheck = () -> {};

  /**
   * Takes over what was stashed.
   *
   * @param stashes of the threads among which the chunks were divided, which have ended
   * @param memory of the stashes
   * @param states zeroed, a word for each chunk
   */
  DeferredReplay(
      RegionChunks chunks,
      List<ChunkStash> stashes,
      StagingMemory memory,
      Execution execution,
      Region states,
      int threads) {
    this(chunks, stashes, null, memory, execution, states, threads);
  }

  private static long words(List<ChunkStash> stashes) {
    long words = 0;
    for (ChunkStash stash : stashes) {
      words += stash.words();
    }
    return words;
  }

  /**
   * Takes over what was stashed of the end of a log, and the part before it, which is not read yet.
   *
   * @param late that part
   */
  DeferredReplay(
      RegionChunks chunks,
      List<ChunkStash> stashes,
      @Nullable LateLog late,
      StagingMemory memory,
      Execution execution,
      Region states,
      int threads) {
    this.late = late;
    this.chunks = chunks;
    this.stashes = List.copyOf(stashes);
    this.memory = memory;
    this.execution = execution;
    this.programLog = new ProgramLog("io.howdah.checkpoint", execution);
    this.states = states;
    this.threadCount = threads;
    this.words = words(stashes);
    this.wordsLeft = new AtomicLong(words);
    this.created = execution.nanoTime();
    this.stashed = late == null;
    if (late == null) {
      chunksLeft.set(countChunks());
      this.done = chunksLeft.get() == 0;
    }
    if (!done && event != null) {
      event.begin();
    }
  }

  private int countChunks() {
    int count = 0;
    for (int chunk = 0; chunk < chunks.count(); chunk++) {
      count += isEmpty(chunk) ? 0 : 1;
    }
    return count;
  }

  private static ChunkStash of(int chunk, List<ChunkStash> stashes) {
    return stashes.get(RegionChunks.owner(chunk, stashes.size()));
  }

  private ChunkStash stash(int chunk) {
    return of(chunk, stashes);
  }

  private boolean isEmpty(int chunk) {
    return stash(chunk).isEmpty(chunk)
        && (late == null || of(chunk, late.stashes()).isEmpty(chunk));
  }

  /**
   * Returns whether every word is replayed; all of them are then visible to the caller, and their
   * pages marked dirty.
   */
  public boolean isDone() {
    return done;
  }

  /** Returns the number of deferred words in the part of the log that was read. */
  public long words() {
    return words;
  }

  /** Returns how many of them wait still. */
  public long wordsLeft() {
    return wordsLeft.get();
  }

  /** Returns the number of chunks that were replayed because a thread required them. */
  public int onDemandChunks() {
    return onDemand.get();
  }

  /** Returns how long it took, in nanoseconds, or has taken so far. */
  public long nanos() {
    return done ? doneNanos : execution.nanoTime() - created;
  }

  /**
   * Waits until a word is replayed and visible to the caller.
   *
   * @param caller runs periodically during the wait; an exception ends the wait
   * @throws StoreFailedException if the word cannot be replayed because a mapped file is unreadable
   */
  public void require(long address, Runnable caller) {
    if (!done && (late == null || late.touched().isTouched(address))) {
      requireChunk(chunks.containing(address), caller);
    }
  }

  /** As {@link #require(long, Runnable)}, whose caller waits as long as that takes. */
  void require(long address) {
    require(address, DeferredReplay::unlimited);
  }

  /**
   * Waits until all words of a range are replayed and visible to the caller.
   *
   * @param lengthBytes length of the range, which may exceed the region
   * @throws StoreFailedException if a word cannot be replayed
   */
  public void require(long address, long lengthBytes) {
    if (done || (late != null && !late.touched().isTouched(address, lengthBytes, false))) {
      return;
    }
    int last = Math.min(chunks.count() - 1, chunks.containing(address + lengthBytes - 1));
    for (int chunk = chunks.containing(address); chunk <= last && !done; chunk++) {
      requireChunk(chunk, DeferredReplay::unlimited);
    }
  }

  private static void unlimited() {}

  private void requireChunk(int chunk, Runnable caller) {
    for (int spins = 0; !isReplayed(chunk); spins++) {
      failIfFailed();
      if (tryReplay(chunk)) {
        onDemand.incrementAndGet();
        return;
      }
      waitCheck.run();
      if (spins >= SPINS) {
        caller.run();
      }
      pause(spins);
    }
  }

  private void pause(int spins) {
    if (spins < SPINS) {
      execution.spinWait();
    } else {
      // A chunk is replayed within milliseconds; reading the rest of a log takes far longer, and
      // many that wait for it would take the processors from the thread that reads.
      long nanos =
          stashed ? PARK_NANOS : Math.min((spins - SPINS + 1) * PARK_NANOS, LONG_PARK_NANOS);
      execution.parkThroughInterrupt(this, nanos);
    }
  }

  private boolean isReplayed(int chunk) {
    // Acquire; pairs with the release store of the state in tryReplay: a thread that sees the state
    // REPLAYED sees the replayed words.
    return (stashed && isEmpty(chunk))
        || states.getLongAcquire((long) chunk * Region.WORD_BYTES) == REPLAYED;
  }

  /** Replays a chunk unless another thread has claimed or replayed it; returns whether it did. */
  boolean tryReplay(int chunk) {
    long state = (long) chunk * Region.WORD_BYTES;
    if (!stashed) {
      return false; // an earlier part of the log is not read yet
    }
    if (isEmpty(chunk)) {
      // The caller may have asked before the log was read. An empty chunk is not among those that
      // are left: to count it would end the replay before the last one.
      return false;
    }
    if (!states.compareAndSetLong(state, WAITING, CLAIMED)) {
      return false;
    }
    long count = 0;
    boolean replayed = false;
    try {
      count = replayStashed(chunk);
      replayed = true;
    } catch (InternalError e) {
      // A page of the image cannot be read. Without it the store is incomplete, so it fails.
      throw failed(stash(chunk).explained(e, chunk));
    } finally {
      // A partial replay does no harm: no thread reads the chunk, and the next replay overwrites
      // it.
      states.setLongRelease(state, replayed ? REPLAYED : WAITING);
    }
    wordsLeft.addAndGet(-count);
    if (chunksLeft.decrementAndGet() == 0) {
      allReplayed();
    }
    return true;
  }

  private void allReplayed() {
    for (int chunk = 0; chunk < chunks.count(); chunk++) {
      if (!isReplayed(chunk)) {
        throw failed(new IllegalStateException("chunk " + chunk + " of the log was left out"));
      }
    }
    doneNanos = execution.nanoTime() - created;
    // Volatile, after a RMW that follows those of all who have replayed.
    done = true;
    tell();
  }

  private long replayStashed(int chunk) {
    long count = 0;
    if (late != null && !of(chunk, late.stashes()).isEmpty(chunk)) {
      count = of(chunk, late.stashes()).replay(chunk);
    }
    return stash(chunk).isEmpty(chunk) ? count : count + stash(chunk).replay(chunk);
  }

  /** Reads what is not read of the log, unless another thread does. */
  private void readLate() {
    LateLog log = late;
    if (log == null || !lateStarted.compareAndSet(false, true)) {
      return;
    }
    try {
      for (int failures = 0; !isRead(log, failures); failures++) {
        if (closing) {
          return;
        }
        execution.parkNanos(this, RETRY_NANOS);
      }
    } catch (CancellationException e) {
      return; // a close before the end discards the words that are not replayed
    }
    wordsLeft.addAndGet(log.stashes().stream().mapToLong(ChunkStash::words).sum());
    words = log.words() + stashes.stream().mapToLong(ChunkStash::words).sum();
    int left = countChunks();
    chunksLeft.set(left);
    // Volatile; pairs with the volatile loads of `stashed`: a thread that sees true sees the
    // stashes.
    stashed = true;
    if (left == 0) {
      allReplayed();
    }
  }

  /** Reads the rest of the log; returns false if it could not be read now and must be repeated. */
  private boolean isRead(LateLog log, int failures) {
    try {
      log.read(() -> closing);
      return true;
    } catch (StorageException e) {
      if (!isPatient || !e.isTransient()) {
        throw e;
      }
      if (failures == 0) { // once, not once a second
        programLog.say(
            System.Logger.Level.WARNING,
            () ->
                "the rest of the log could not be read and is tried again every second;"
                    + " transactions that need it wait: "
                    + e.getMessage());
      }
      return false;
    }
  }

  /** Waits until all of the log is stashed, or this is closed. */
  private void awaitStashed() {
    for (int spins = 0; !stashed && !closing; spins++) {
      failIfFailed();
      pause(spins);
    }
  }

  private void tell() {
    if (event != null) {
      event.end();
      if (event.shouldCommit()) {
        event.words = words;
        event.chunksOnDemand = onDemand.get();
        event.commit();
      }
    }
  }

  private void keep(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  private StoreFailedException failed(Throwable cause) {
    keep(cause);
    return new StoreFailedException(
        "a part of the store could not be brought into memory: " + cause, cause);
  }

  private void failIfFailed() {
    Throwable cause = failure;
    if (cause != null) {
      throw failed(cause);
    }
  }

  /**
   * Starts to replay in the background. Called once, or not at all. If too many files are open to
   * read the rest of the log, that is tried again every second, until {@link #finish} or a close.
   *
   * @param check asked by whoever waits for a chunk; throws if there is nothing more to wait for
   * @param onFailure told of what ended a thread before its time
   */
  public void start(Runnable check, Consumer<Throwable> onFailure) {
    waitCheck = check;
    isPatient = true; // the store already serves, and only some transactions wait
    start(threadCount, onFailure);
  }

  private void start(int count, Consumer<Throwable> onFailure) {
    if (done) {
      free();
      return;
    }
    running.set(count);
    for (int i = 0; i < count; i++) {
      EngineThread thread = new EngineThread(execution, "howdah-replay-" + i);
      threads.add(thread);
      thread.start(this::run, onFailure);
    }
  }

  private void run() {
    try {
      readLate();
      replayRest();
    } catch (Throwable t) {
      keep(t); // without an allocation, since t may be an OutOfMemoryError
      throw t;
    } finally {
      if (running.decrementAndGet() == 0 && done) {
        free();
      }
    }
  }

  /** Replays one chunk after the other, until all are replayed or this is closed. */
  private void replayRest() {
    awaitStashed();
    for (int chunk = nextChunk.getAndIncrement();
        chunk < chunks.count() && !closing && failure == null;
        chunk = nextChunk.getAndIncrement()) {
      if (!isReplayed(chunk)) {
        tryReplay(chunk);
      }
    }
    // Other threads replay the last chunks. If one of them fails, its chunk must be replayed here.
    for (int spins = 0; !done && !closing; spins++) {
      failIfFailed();
      for (int chunk = 0; chunk < chunks.count() && !done; chunk++) {
        if (!isReplayed(chunk)) {
          tryReplay(chunk);
        }
      }
      pause(spins);
    }
  }

  /**
   * Returns once every word is replayed, and visible to the caller: does what is left, beside the
   * threads in the background if they were started, else on as many threads.
   *
   * @throws StoreFailedException if it cannot be done
   * @throws StorageException if the caller reads the rest of the log and cannot, even if that may
   *     pass; if a thread in the background does, it is a {@code StoreFailedException}
   */
  public void finish() {
    failIfFailed();
    isPatient = false;
    if (threads.isEmpty() && threadCount > 1) {
      start(threadCount - 1, _ -> {});
    }
    readLate();
    replayRest();
    failIfFailed();
    if (done) {
      free();
    }
  }

  /** Ends the threads and frees memory. Discards words that are not replayed. Idempotent. */
  @Override
  public void close() {
    closing = true;
    threads.forEach(EngineThread::close);
    free();
    states.close();
  }

  private void free() {
    if (freed.compareAndSet(false, true)) {
      memory.close();
    }
  }
}
