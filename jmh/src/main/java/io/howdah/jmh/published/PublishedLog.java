package io.howdah.jmh.published;

import io.howdah.core.layout.RedoRecordLayout;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A model of Hathi's log (Saxena et al., DaMoN 2012, section 3): a redo log for each thread, in a
 * buffer and a file of its own. A log is forced by itself: after 10 ms, when half its buffer is
 * full, or when its thread waits. {@link #stable} is the smallest LSN that all logs have reached
 * ({@code min_lsn}).
 *
 * <p>An idle log keeps nothing back here: what it has reached is the clock, unless a commit is
 * announced. In the paper a thread that does not commit holds {@code min_lsn}.
 *
 * <p>A model, not a store: it appends a record after the commit in memory and not within, its files
 * are overwritten from their start, and nothing recovers from them.
 */
final class PublishedLog implements AutoCloseable {

  /** Longest time between two forces of a log, and half its buffer, as the paper has them. */
  private static final long INTERVAL_NANOS = 10_000_000;

  private static final int HALF_WORDS = (512 << 10) / Long.BYTES;
  private static final int BUFFER_WORDS = 2 * HALF_WORDS;

  private static final int FILE_BYTES = 16 << 20;

  /** Words of a record beside an address and a value for each word written. */
  private static final int RECORD_WORDS = 3;

  /** Announced while no commit is under way. */
  private static final long IDLE = Long.MAX_VALUE;

  private static final VarHandle TAIL;
  private static final VarHandle FORCED;
  private static final VarHandle ANNOUNCED;
  private static final VarHandle BOUND;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(ThreadLog.class, "tail", long.class).withInvokeExactBehavior();
      FORCED =
          lookup.findVarHandle(ThreadLog.class, "forced", long.class).withInvokeExactBehavior();
      ANNOUNCED =
          lookup.findVarHandle(ThreadLog.class, "announced", long.class).withInvokeExactBehavior();
      BOUND = lookup.findVarHandle(ThreadLog.class, "bound", long.class).withInvokeExactBehavior();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final List<ThreadLog> logs = new ArrayList<>();
  private final Thread flusher;
  private volatile boolean closing;

  /** How many threads wait for {@link #stable}; then every log is forced without a pause. */
  private volatile int waiting;

  private volatile @Nullable IOException failure;

  /** The log of one thread, which alone appends to it. */
  final class ThreadLog {
    private final FileChannel file;
    private final long[] words = new long[BUFFER_WORDS];
    private final ByteBuffer chunk =
        ByteBuffer.allocateDirect(BUFFER_WORDS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /** LSN of the newest record; published by {@code tail}. */
    private long newest;

    private long tail;
    private long forced;

    @SuppressWarnings("UnusedVariable") // by its handle
    private long announced = IDLE;

    /** Every LSN up to it that this log has a record of is forced. */
    private long bound;

    private long forces;
    private long lastForceNanos = System.nanoTime();

    private ThreadLog(Path path) throws IOException {
      file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      // Written once, so that later writes change no metadata.
      for (int at = 0; at < FILE_BYTES; at += chunk.capacity()) {
        write(chunk.clear(), at);
      }
      file.force(true);
    }

    private void write(ByteBuffer source, long position) throws IOException {
      for (long at = position; source.hasRemaining(); ) {
        at += file.write(source, at);
      }
    }

    /** Says that a commit is about to take an LSN, which is larger than all of this thread's. */
    void announce() {
      ANNOUNCED.setVolatile(this, newest);
    }

    /** Withdraws the announcement of a commit that wrote nothing. */
    void withdraw() {
      ANNOUNCED.setRelease(this, IDLE);
    }

    /** Appends the record of the commit that was announced. */
    void append(long lsn, long[] addresses, long[] values) throws IOException {
      int count = addresses.length;
      int length = RECORD_WORDS + 2 * count;
      long from = tail;
      if (from + length - (long) FORCED.getAcquire(this) > BUFFER_WORDS) {
        force();
      }
      long checksum = RedoRecordLayout.mix(lsn, count);
      put(from, lsn);
      put(from + 1, count);
      for (int i = 0; i < count; i++) {
        put(from + 2 + 2L * i, addresses[i]);
        put(from + 3 + 2L * i, values[i]);
        checksum = RedoRecordLayout.mix(RedoRecordLayout.mix(checksum, addresses[i]), values[i]);
      }
      put(from + length - 1, checksum);
      newest = lsn;
      TAIL.setRelease(this, from + length);
      withdraw();
      long unforced = from + length - (long) FORCED.getAcquire(this);
      if (unforced >= HALF_WORDS && unforced - length < HALF_WORDS) {
        LockSupport.unpark(flusher);
      }
    }

    private void put(long position, long word) {
      words[(int) position & (BUFFER_WORDS - 1)] = word;
    }

    /** Forces what the log holds, and raises its bound. Any thread. */
    synchronized void force() throws IOException {
      // In this order: a commit up to the clock is then announced, or covered by the tail.
      long clock = clock();
      long reached = Math.min(clock, (long) ANNOUNCED.getAcquire(this));
      long end = (long) TAIL.getAcquire(this);
      if (end != forced) {
        chunk.clear();
        for (long at = forced; at < end; at++) {
          chunk.putLong(words[(int) at & (BUFFER_WORDS - 1)]);
        }
        chunk.flip();
        long position = forced * Long.BYTES % FILE_BYTES;
        int beforeEnd = (int) Math.min(chunk.remaining(), FILE_BYTES - position);
        write(chunk.slice(0, beforeEnd), position);
        write(chunk.slice(beforeEnd, chunk.remaining() - beforeEnd), 0);
        file.force(false);
        forces++;
        FORCED.setRelease(this, end);
      }
      lastForceNanos = System.nanoTime();
      BOUND.setRelease(this, Math.max(bound, reached));
    }

    private synchronized boolean isDue() {
      return waiting > 0
          || (long) TAIL.getAcquire(this) - forced >= HALF_WORDS
          || System.nanoTime() - lastForceNanos >= INTERVAL_NANOS;
    }

    /** Waits until every record of this thread is forced: the paper's partition commit. */
    void awaitOwn() throws IOException {
      if ((long) FORCED.getAcquire(this) != tail) {
        force();
      }
    }

    /** Waits until every record of this thread, and all LSNs before it, are forced. */
    void awaitStable() throws IOException {
      awaitOwn();
      if (stable() >= newest) {
        return;
      }
      PublishedLog.this.awaitStable(newest);
    }
  }

  /**
   * Creates the logs.
   *
   * @param folder for their files
   */
  PublishedLog(Path folder, int threads) throws IOException {
    Files.createDirectories(folder);
    try {
      for (int i = 0; i < threads; i++) {
        logs.add(new ThreadLog(folder.resolve("log-" + i)));
      }
    } catch (IOException e) {
      closeFiles();
      throw e;
    }
    flusher = Thread.ofPlatform().name("published-flusher").start(this::run);
  }

  /** Returns the log of a thread. */
  ThreadLog log(int thread) {
    return logs.get(thread);
  }

  /** Returns how many logs there are. */
  int threads() {
    return logs.size();
  }

  /** Returns the largest LSN that any log has. */
  private long clock() {
    long clock = 0;
    for (ThreadLog log : logs) {
      if ((long) TAIL.getAcquire(log) != 0) {
        clock = Math.max(clock, log.newest);
      }
    }
    return clock;
  }

  /** Returns the LSN up to which all logs are forced. */
  long stable() {
    long stable = Long.MAX_VALUE;
    for (ThreadLog log : logs) {
      stable = Math.min(stable, (long) BOUND.getAcquire(log));
    }
    return stable;
  }

  /** Returns how many forces there were. */
  long forces() {
    long forces = 0;
    for (ThreadLog log : logs) {
      synchronized (log) {
        forces += log.forces;
      }
    }
    return forces;
  }

  /** Forces all logs. */
  void forceAll() throws IOException {
    for (ThreadLog log : logs) {
      log.force();
    }
  }

  /** Returns how much the logs hold that is not forced. */
  long unforcedBytes() {
    long bytes = 0;
    for (ThreadLog log : logs) {
      bytes += ((long) TAIL.getAcquire(log) - (long) FORCED.getAcquire(log)) * Long.BYTES;
    }
    return bytes;
  }

  private synchronized void awaitStable(long lsn) throws IOException {
    waiting++;
    LockSupport.unpark(flusher);
    try {
      while (stable() < lsn) {
        requireSound();
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while it waited for a force", e);
    } finally {
      waiting--;
    }
  }

  private void requireSound() throws IOException {
    IOException failed = failure;
    if (failed != null) {
      throw new IOException("the log has stopped", failed);
    }
  }

  private void run() {
    try {
      while (true) {
        boolean last = closing;
        for (ThreadLog log : logs) {
          if (last || log.isDue()) {
            log.force();
          }
        }
        synchronized (this) {
          notifyAll();
        }
        if (last) {
          return;
        }
        if (waiting == 0) {
          LockSupport.parkNanos(this, INTERVAL_NANOS / 2);
        }
      }
    } catch (IOException e) {
      failure = e;
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** A record as a file holds it. */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Found(long lsn, long[] addresses, long[] values) {}

  /** Returns the records of a log's file, which was never overwritten. */
  static List<Found> read(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    List<Found> found = new ArrayList<>();
    while (bytes.remaining() >= RECORD_WORDS * Long.BYTES) {
      long lsn = bytes.getLong();
      long count = bytes.getLong();
      if (count <= 0 || count > (bytes.remaining() - Long.BYTES) / (2 * Long.BYTES)) {
        break;
      }
      long checksum = RedoRecordLayout.mix(lsn, count);
      long[] addresses = new long[(int) count];
      long[] values = new long[(int) count];
      for (int i = 0; i < count; i++) {
        addresses[i] = bytes.getLong();
        values[i] = bytes.getLong();
        checksum = RedoRecordLayout.mix(RedoRecordLayout.mix(checksum, addresses[i]), values[i]);
      }
      if (bytes.getLong() != checksum) {
        break;
      }
      found.add(new Found(lsn, addresses, values));
    }
    return found;
  }

  private void closeFiles() throws IOException {
    for (ThreadLog log : logs) {
      log.file.close();
    }
  }

  /** Forces everything; no thread commits any more. */
  @Override
  public void close() throws IOException {
    closing = true;
    LockSupport.unpark(flusher);
    boolean interrupted = false;
    while (flusher.isAlive()) {
      try {
        flusher.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    closeFiles();
    requireSound();
  }
}
