package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.engine.EngineThread;
import io.howdah.core.engine.NoAction;
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
public final class DeferredReplay implements Runnable, AutoCloseable {

  private static final long WAITING = 0;
  private static final long CLAIMED = 1;
  private static final long REPLAYED = 2;

  private static final int SPINS = 50;
  private static final long PARK_NANOS = 20_000;
  private static final long LONG_PARK_NANOS = 1_000_000;
  private static final long RETRY_NANOS = 1_000_000_000;

  /** Is told when every word is in memory. */
  @FunctionalInterface
  public interface DoneListener {

    /**
     * Is told of it.
     *
     * @param words that were not in memory when the store opened
     * @param chunksOnDemand parts of the region that a thread required before their turn
     */
    void replayed(long words, long chunksOnDemand);
  }

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

  /** Whether to repeat the reading of the log after a transient failure. */
  private volatile boolean repeatsReading;

  private volatile boolean done;
  private volatile boolean closing;
  private volatile long doneNanos;
  private volatile @Nullable Throwable failure;

  /** Called by a waiting thread; throws if the wait must end. */
  private volatile Runnable waitCheck = NoAction.NONE;

  /** Is told that all is replayed, by the last thread in the background. */
  private volatile @Nullable DoneListener doneListener;

  /**
   * Creates the replay of a log that is completely read.
   *
   * @param stashes one for each thread that has stashed; the threads have ended
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
   * Creates the replay of a log whose beginning is not read yet.
   *
   * @param late the part that is not read; null if there is none
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
    if (late == null && words(stashes) == 0) {
      return count; // as after each close
    }
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

  /** Returns the number of these words that are not replayed yet. */
  public long wordsLeft() {
    return wordsLeft.get();
  }

  /** Returns the number of chunks that were replayed because a thread required them. */
  public int onDemandChunks() {
    return onDemand.get();
  }

  /** Returns the duration of the replay until now or until its end, in nanoseconds. */
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

  /** Like {@link #require(long, Runnable)}, without a limit of the wait. */
  void require(long address) {
    require(address, NoAction.NONE);
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
      requireChunk(chunk, NoAction.NONE);
    }
  }

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
      // A chunk is replayed within milliseconds. Reading the rest of a log takes much longer, and
      // many waiting threads would take the processors from the thread that reads.
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
      // The caller may have checked the chunk before the log was read. chunksLeft does not include
      // empty chunks: to count one would end the replay too early.
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
        throw failed(new IllegalStateException("chunk " + chunk + " of the log was not replayed"));
      }
    }
    doneNanos = execution.nanoTime() - created;
    // Volatile, after a read-modify-write of chunksLeft that follows those of all other threads
    // that have replayed a chunk.
    done = true;
    commitEvent();
  }

  private long replayStashed(int chunk) {
    long count = 0;
    if (late != null && !of(chunk, late.stashes()).isEmpty(chunk)) {
      count = of(chunk, late.stashes()).replay(chunk);
    }
    return stash(chunk).isEmpty(chunk) ? count : count + stash(chunk).replay(chunk);
  }

  /** Reads the rest of the log, unless another thread does. */
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
      if (!repeatsReading || !e.isTransient()) {
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

  /** Waits until the whole log is stashed, or this replay is closed. */
  private void awaitStashed() {
    for (int spins = 0; !stashed && !closing; spins++) {
      failIfFailed();
      pause(spins);
    }
  }

  private void commitEvent() {
    if (event != null) {
      event.end();
      if (event.shouldCommit()) {
        event.words = words;
        event.chunksOnDemand = onDemand.get();
        event.commit();
      }
    }
  }

  private void recordFailure(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  private StoreFailedException failed(Throwable cause) {
    recordFailure(cause);
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
   * Starts to replay in the background. Called at most once. If the rest of the log cannot be read
   * because too many files are open, the threads try again every second, until {@link #finish} or a
   * close.
   *
   * @param check called by every thread that waits for a chunk; throws if the wait must end
   * @param onFailure receives the failure of a thread
   */
  public void start(Runnable check, Consumer<Throwable> onFailure) {
    start(check, onFailure, (_, _) -> {});
  }

  /**
   * Starts to replay in the background; see the other method.
   *
   * @param onDone is told once when every word is in memory, if some are not yet
   */
  public void start(Runnable check, Consumer<Throwable> onFailure, DoneListener onDone) {
    doneListener = onDone;
    waitCheck = check;
    repeatsReading = true; // the store is open, and only some transactions wait
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
      thread.start(this, onFailure);
    }
  }

  /** The body of each thread. */
  @Override
  public void run() {
    try {
      readLate();
      replayRest();
    } catch (Throwable t) {
      recordFailure(t); // without an allocation, since t may be an OutOfMemoryError
      throw t;
    } finally {
      if (running.decrementAndGet() == 0 && done) {
        free();
        DoneListener listener = doneListener;
        if (listener != null) {
          listener.replayed(words, onDemand.get());
        }
      }
    }
  }

  /** Replays one chunk after the other, until all are replayed or this replay is closed. */
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
   * Replays all remaining words, together with the threads in the background. If these were not
   * started, starts them. On return every word is visible to the caller.
   *
   * @throws StoreFailedException if a thread in the background has failed, or a word cannot be
   *     replayed
   * @throws StorageException if this thread cannot read the rest of the log; it does not repeat
   *     that after a transient failure
   */
  public void finish() {
    failIfFailed();
    repeatsReading = false;
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
