package io.howdah.crashtest.soak;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * What the process under load and the one that watches it share: words of a file that both map. A
 * word that was stored outlives its process. Each word has one writer at a time; thread-safe.
 *
 * <pre>
 *    0  phase, go, clock, samples wanted, samples taken, opening, replayed records, problems
 *   64  gauges, one word each, see {@link Gauge}
 *  512  shared words as the store has them
 *  576  of each worker: acknowledged, 128 bytes apart
 *       of each worker: recovered, digests of its parts
 *       of each worker: counts of latencies
 * </pre>
 */
final class SoakBoard implements AutoCloseable {

  /** How far the process under load is. */
  enum Phase {
    STARTING(0),
    OPENING(1),
    RECOVERED(2),
    RUNNING(3);

    private final int index;

    Phase(int index) {
      this.index = index;
    }
  }

  /** What the process under load says of itself. */
  enum Gauge {
    HEAP_BYTES(0),
    STORE_BYTES(1),
    LOG_BYTES(2),
    CHECKPOINTS(3);

    private final int index;

    Gauge(int index) {
      this.index = index;
    }
  }

  private static final long PHASE = 0;
  private static final long GO = 8;
  private static final long CLOCK = 16;
  private static final long WANTED = 24;
  private static final long TAKEN = 32;
  private static final long OPENING = 40;
  private static final long PROBLEMS = 48;
  private static final long GAUGES = 56;
  private static final long SHARED = 512;
  private static final long ACKNOWLEDGED = SHARED + 8L * SoakWork.SHARED_WORDS;
  private static final long STRIDE = 128;

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final int workers;
  private final long recovered;
  private final long latencies;

  /** Maps a file; makes it if it is not there. */
  SoakBoard(Path file, int workers) throws IOException {
    this.workers = workers;
    this.recovered = ACKNOWLEDGED + STRIDE * workers;
    this.latencies = recovered + 8L * (1 + SoakPart.values().length) * workers;
    long length = latencies + 8L * LatencyBuckets.COUNT * workers;
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, length, arena);
    } catch (IOException e) {
      arena.close();
      throw e;
    }
  }

  Phase phase() {
    return Phase.values()[(int) get(PHASE)];
  }

  /** What was written to the board before is seen by a reader of the phase. */
  void phase(Phase phase) {
    set(PHASE, phase.index);
  }

  /** Prepares for the next process. */
  void reset() {
    set(GO, 0);
    set(WANTED, 0);
    set(TAKEN, 0);
    phase(Phase.STARTING);
  }

  boolean mayRun() {
    return get(GO) != 0;
  }

  void letRun() {
    set(GO, 1);
  }

  /** Returns the time of the store's clock, in milliseconds. */
  long clock() {
    return get(CLOCK);
  }

  void clock(long millis) {
    set(CLOCK, millis);
  }

  void wantSample(long number) {
    set(WANTED, number);
  }

  long wantedSample() {
    return get(WANTED);
  }

  void takenSample(long number) {
    set(TAKEN, number);
  }

  long takenSample() {
    return get(TAKEN);
  }

  void opened(long nanos) {
    set(OPENING, nanos);
  }

  long openingNanos() {
    return get(OPENING);
  }

  long gauge(Gauge gauge) {
    return get(GAUGES + 8L * gauge.index);
  }

  void gauge(Gauge gauge, long value) {
    set(GAUGES + 8L * gauge.index, value);
  }

  long acknowledged(int worker) {
    return get(ACKNOWLEDGED + STRIDE * worker);
  }

  void acknowledged(int worker, long operations) {
    set(ACKNOWLEDGED + STRIDE * worker, operations);
  }

  /** Shows what the store holds. Problems go by number only; their text is printed. */
  void show(SoakContent content) {
    int parts = SoakPart.values().length;
    for (int worker = 0; worker < workers; worker++) {
      long at = recovered + 8L * (1 + parts) * worker;
      set(at, content.done(worker));
      for (SoakPart part : SoakPart.values()) {
        set(at + 8L * (1 + part.index()), content.digest(worker, part));
      }
    }
    for (int word = 0; word < SoakWork.SHARED_WORDS; word++) {
      set(SHARED + 8L * word, content.shared(word));
    }
    set(PROBLEMS, content.problems().size());
  }

  /** Returns what was shown; the list of problems is empty. */
  SoakContent shown() {
    int parts = SoakPart.values().length;
    long[] done = new long[workers];
    long[][] digests = new long[workers][parts];
    for (int worker = 0; worker < workers; worker++) {
      long at = recovered + 8L * (1 + parts) * worker;
      done[worker] = get(at);
      for (int part = 0; part < parts; part++) {
        digests[worker][part] = get(at + 8L * (1 + part));
      }
    }
    long[] shared = new long[SoakWork.SHARED_WORDS];
    for (int word = 0; word < shared.length; word++) {
      shared[word] = get(SHARED + 8L * word);
    }
    return new SoakContent(done, digests, shared, List.of());
  }

  long problems() {
    return get(PROBLEMS);
  }

  /** Counts a time of a worker, which alone does so. */
  void count(int worker, long nanos) {
    long at = latencies + 8L * (LatencyBuckets.COUNT * (long) worker + LatencyBuckets.of(nanos));
    set(at, get(at) + 1);
  }

  /** Returns the counts of all workers. */
  long[] latencies() {
    long[] counts = new long[LatencyBuckets.COUNT];
    for (int worker = 0; worker < workers; worker++) {
      for (int bucket = 0; bucket < counts.length; bucket++) {
        counts[bucket] += get(latencies + 8L * (LatencyBuckets.COUNT * (long) worker + bucket));
      }
    }
    return counts;
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
