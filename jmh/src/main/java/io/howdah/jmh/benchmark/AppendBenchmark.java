package io.howdah.jmh.benchmark;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Ring;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A redo record that goes to a ring, by its number of words: lease, announcement, LSN, record,
 * return of the lane, without transaction and without a flusher. Expected: 40 ns and 1 ns for each
 * word, a multiplication and a copy in one piece. Found on a quiet machine (docs/benchmarks.md): 35
 * ns for 12 words, and 1.4 ns for each further word. Hypothesis: a CRC of short records costs less
 * than a quarter of that; the flusher takes one over a whole batch anyway. Confirmed.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class AppendBenchmark {

  private static final int RING_BYTES = 1 << 20;
  private static final int MAX_WORDS = 1024;

  /** Words of the record beside its head. */
  @Param({"12", "128", "1024"})
  public int words;

  private final long[] content = new long[MAX_WORDS];
  private final byte[] bytes = new byte[MAX_WORDS * Long.BYTES];
  private final CRC32C crc = new CRC32C();
  private Region shared;
  private Region memory;
  private Ring ring;
  private Lane lane;

  /** Creates it, for JMH. */
  public AppendBenchmark() {}

  /** Creates lane and ring. */
  @Setup(Level.Trial)
  public void open() {
    shared = Regions.anonymous(CommitLanes.wordsLengthBytes(1) + 4096 & -4096);
    memory = Regions.anonymous(RING_BYTES + 2L * RingLayout.HEADER_LENGTH + 4095 & -4096);
    ring = new Ring(memory, 0, RING_BYTES);
    lane = new Lane(shared, 0, ring, 42);
    new SplittableRandom(1).nextBytes(bytes);
    Arrays.setAll(content, i -> i * 0x9E37_79B9_7F4A_7C15L);
  }

  /** Gives the memory back. */
  @TearDown(Level.Trial)
  public void close() {
    ring.close();
    memory.close();
    shared.close();
  }

  /**
   * The ablation: a CRC32C of as many bytes, which the commit path would take without the flusher.
   */
  @Benchmark
  public long crc() {
    crc.reset();
    crc.update(bytes, 0, words * Long.BYTES);
    return crc.getValue();
  }

  /** Appends a record. */
  @Benchmark
  public long append() {
    int length = RedoRecordLayout.MIN_LENGTH + words * Long.BYTES;
    if (!lane.tryLease(1)) {
      throw new IllegalStateException("the lane was not returned");
    }
    if (!lane.hasSpace(length)) {
      ring.publishForced(lane.position()); // as the flusher does
      if (!lane.hasSpace(length)) {
        throw new IllegalStateException("a record does not fit into an empty ring");
      }
    }
    lane.announce();
    long lsn = lane.takeLsn();
    lane.begin(RedoRecordLayout.KIND_COMMIT, length, 0, lsn, 0);
    lane.put(content, 0, words);
    lane.publish();
    lane.finish();
    return lsn;
  }
}
