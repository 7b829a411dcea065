package io.howdah.crashtest.kill;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What the killed process leaves behind: a file that parent and child both map shared. A word
 * stored by the child is in the parent's memory at once, whatever happens to the child. Every word
 * has one writer at a time; thread-safe.
 *
 * <pre>
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWDBOARD"
 *    8 | modes        |
 *   16 | threads      |
 *   24 | cities       |
 *   32 | phase        |  the child's: see {@link Phase}
 *   40 | go           |  the parent's: 1 = run
 *   48 | openNanos    |  the child's: how long opening the store took
 *   56 | redoRecords  |  the child's: how many records that replayed
 *   64 | reserved = 0 |
 *      | ...
 * 4096 | acknowledged |  of each mode and thread: transfers whose commit returned; 128 bytes apart
 *      | recovered    |  of each mode and thread: transfers that the store holds; 8 bytes apart
 *      | populations  |  of each city, as the store holds it
 * </pre>
 */
final class Board implements AutoCloseable {

  /** How far the child is. */
  enum Phase {
    /** The JVM starts. */
    STARTING(0),
    /** The store is being opened. */
    OPENING(1),
    /** The store is open, and what it holds is on the board. */
    RECOVERED(2),
    /** Transfers run. */
    RUNNING(3);

    private final long word;

    Phase(long word) {
      this.word = word;
    }

    private static Phase of(long word) {
      for (Phase phase : values()) {
        if (phase.word == word) {
          return phase;
        }
      }
      throw new IllegalStateException("no phase is " + word);
    }
  }

  private static final long MAGIC = 0x4452_414f_4244_5748L;
  private static final long MODES = 8;
  private static final long THREADS = MODES + Long.BYTES;
  private static final long CITIES = THREADS + Long.BYTES;
  private static final long PHASE = CITIES + Long.BYTES;
  private static final long GO = PHASE + Long.BYTES;
  private static final long OPEN_NANOS = GO + Long.BYTES;
  private static final long REDO_RECORDS = OPEN_NANOS + Long.BYTES;
  private static final long ACKNOWLEDGED = 4096;

  /** Two cache lines, because processors fetch them in pairs. */
  private static final long STRIDE = 128;

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final Arena arena;
  private final MemorySegment memory;
  private final int threads;
  private final int cities;
  private final long recoveredOffset;
  private final long populationsOffset;

  private Board(Path file, int modes, int threads, int cities, boolean create) throws IOException {
    this.threads = threads;
    this.cities = cities;
    this.recoveredOffset = ACKNOWLEDGED + STRIDE * modes * threads;
    this.populationsOffset = recoveredOffset + (long) Long.BYTES * modes * threads;
    long length = populationsOffset + (long) Long.BYTES * cities;
    this.arena = Arena.ofShared();
    StandardOpenOption[] options =
        create
            ? new StandardOpenOption[] {
              StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE
            }
            : new StandardOpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE};
    try (FileChannel channel = FileChannel.open(file, options)) {
      if (!create && channel.size() != length) {
        throw new IOException(file + " has " + channel.size() + " bytes instead of " + length);
      }
      this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
    } catch (IOException e) {
      arena.close();
      throw e;
    }
    if (create) {
      set(MODES, modes);
      set(THREADS, threads);
      set(CITIES, cities);
      set(0, MAGIC);
    }
  }

  /** Creates the file. */
  static Board create(Path file, int modes, int threads, int cities) throws IOException {
    return new Board(file, modes, threads, cities, true);
  }

  /** Maps the file that the parent created with the same numbers. */
  static Board open(Path file, int modes, int threads, int cities) throws IOException {
    Board board = new Board(file, modes, threads, cities, false);
    if (board.get(0) != MAGIC
        || board.get(MODES) != modes
        || board.get(THREADS) != threads
        || board.get(CITIES) != cities) {
      board.close();
      throw new IOException(file + " is the board of another run");
    }
    return board;
  }

  /** Prepares the board for the next child. */
  void reset() {
    set(GO, 0);
    set(PHASE, Phase.STARTING.word);
  }

  Phase phase() {
    return Phase.of(get(PHASE));
  }

  /** Everything written to the board before is visible to whoever sees the phase. */
  void phase(Phase phase) {
    set(PHASE, phase.word);
  }

  boolean mayRun() {
    return get(GO) != 0;
  }

  void letRun() {
    set(GO, 1);
  }

  long openNanos() {
    return get(OPEN_NANOS);
  }

  long redoRecords() {
    return get(REDO_RECORDS);
  }

  void opened(long nanos, long redoRecords) {
    set(OPEN_NANOS, nanos);
    set(REDO_RECORDS, redoRecords);
  }

  long acknowledged(int mode, int thread) {
    return get(ACKNOWLEDGED + STRIDE * ((long) mode * threads + thread));
  }

  void acknowledged(int mode, int thread, long transfers) {
    set(ACKNOWLEDGED + STRIDE * ((long) mode * threads + thread), transfers);
  }

  long recovered(int mode, int thread) {
    return get(recoveredOffset + Long.BYTES * ((long) mode * threads + thread));
  }

  void recovered(int mode, int thread, long transfers) {
    set(recoveredOffset + Long.BYTES * ((long) mode * threads + thread), transfers);
  }

  long population(int city) {
    return get(populationOffset(city));
  }

  void population(int city, long people) {
    set(populationOffset(city), people);
  }

  private long populationOffset(int city) {
    if (city < 0 || city >= cities) {
      throw new IndexOutOfBoundsException("city " + city + " of " + cities);
    }
    return populationsOffset + (long) Long.BYTES * city;
  }

  /** Pairs with the release in {@link #set} of the other process. */
  private long get(long offset) {
    return (long) WORD.getAcquire(memory, offset);
  }

  private void set(long offset, long value) {
    WORD.setRelease(memory, offset, value);
  }

  @Override
  public void close() {
    arena.close();
  }
}
