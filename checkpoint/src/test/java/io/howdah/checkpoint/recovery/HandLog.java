package io.howdah.checkpoint.recovery;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Ring;
import io.howdah.log.commit.RingSet;
import io.howdah.log.flush.BatchId;
import io.howdah.log.flush.BatchTarget;
import io.howdah.log.flush.BatchWriter;
import io.howdah.log.flush.ForceNote;
import io.howdah.log.flush.LogExtent;
import io.howdah.log.flush.SegmentFactory;
import io.howdah.log.flush.SegmentHistory;
import io.howdah.log.flush.SegmentTarget;
import io.howdah.log.report.LogStall;
import java.util.ArrayList;
import java.util.List;

/**
 * The real lanes, rings, batches and segments without threads: a test says when the flusher has a
 * round, and lanes stay where it leaves them.
 */
public final class HandLog {

  private final Region words;
  private final RingSet ringSet;
  private final List<Lane> lanes = new ArrayList<>();
  private final SegmentFactory factory;
  private final SegmentHistory history;
  private final ForceNote note;
  private final SegmentTarget target;
  private final BatchWriter batches;
  private final long[] forced;

  /** Segments are made in the thread that needs them. */
  private enum NoWait implements BatchTarget.Waiting {
    INSTANCE;

    @Override
    public void waitsFor(LogStall.Reason reason) {}

    @Override
    public void watch() {}

    @Override
    public boolean isClosing() {
      return false;
    }
  }

  /** Starts a generation; its first segment is durable on return. */
  public HandLog(Storage storage, RingSet rings, Region words, LogStart start) {
    this.words = words;
    this.ringSet = rings;
    CommitWords.start(words, start.baseLsn());
    int stagingBytes = BatchLayout.ALIGNMENT;
    for (Ring ring : rings.rings()) {
      lanes.add(new Lane(words, ring.partition(), ring, start.logSeed(ring.partition())));
      stagingBytes += (int) ring.capacityBytes() + BatchLayout.SECTION_HEADER_LENGTH;
    }
    factory =
        new SegmentFactory(
            storage, start, SegmentLayout.MIN_LENGTH, 1 << 20, SegmentLayout.MAX_LENGTH);
    history = new SegmentHistory(start.nextSegmentSequence(), 0);
    note = ForceNote.open(storage, start, Execution.system());
    target =
        new SegmentTarget(
            factory.next(), history, note::note, _ -> factory.next(), storage.describe());
    batches = new BatchWriter(start, target, lanes.size(), stagingBytes & -BatchLayout.ALIGNMENT);
    forced = new long[lanes.size()];
  }

  /** Leases a lane, if nobody has it. */
  public boolean tryLease(int lane) {
    return lanes.get(lane).tryLease(1);
  }

  /** Returns whether somebody has a lane. */
  public boolean isLeased(int lane) {
    return lanes.get(lane).isLeased();
  }

  /** Returns a lane. */
  public Lane lane(int index) {
    return lanes.get(index);
  }

  /** Returns whether a lane's ring has room for a record. */
  public boolean hasSpace(int lane, long lengthBytes) {
    return lanes.get(lane).hasSpace(lengthBytes);
  }

  /** Commits words side by side through a lane that is free; the region is left as it is. */
  public void run(int lane, long address, long... values) {
    Lane through = lanes.get(lane);
    if (!through.tryLease(1)) {
      throw new IllegalStateException("lane " + lane + " is taken");
    }
    through.announce();
    long lsn = through.takeLsn();
    through.begin(
        RedoRecordLayout.KIND_COMMIT,
        RedoRecordLayout.MIN_LENGTH + (1 + values.length) * Long.BYTES,
        1,
        lsn,
        0);
    through.put(RedoRecordLayout.entryHead(address, values.length));
    for (long value : values) {
      through.put(value);
    }
    through.publish();
    through.finish();
  }

  /** Returns the largest LSN taken. */
  public long clock() {
    return words.getLongAcquire(CommitWords.CLOCK);
  }

  /** Returns the stable LSN. */
  public long stable() {
    return words.getLongAcquire(CommitWords.STABLE);
  }

  /** Returns up to which position of a partition batches were forced. */
  public long forced(int partition) {
    return forced[partition];
  }

  /** Returns the position after the last record published in a partition. */
  public long tail(int partition) {
    return ringSet.rings().get(partition).tail();
  }

  /** One round of the flusher. */
  public void flush() {
    flush(() -> {});
  }

  /**
   * One round of the flusher, with commits going on while it looks at one lane after the other.
   *
   * @param between runs before each look
   */
  public void flush(Runnable between) {
    long[] tails = new long[lanes.size()];
    // As Flusher.readCut does, which has no gaps for a test to use.
    long cut = words.getLongAcquire(CommitWords.CLOCK);
    for (Ring ring : ringSet.rings()) {
      between.run();
      cut = Math.min(cut, ring.inflight());
    }
    for (int p = 0; p < tails.length; p++) {
      between.run();
      tails[p] = ringSet.rings().get(p).tail();
    }
    long bytes = 0;
    int sections = 0;
    for (int p = 0; p < tails.length; p++) {
      bytes += tails[p] - forced[p];
      sections += tails[p] != forced[p] ? 1 : 0;
    }
    long stable = stable();
    if (sections > 0) {
      batches.prepare(bytes, sections, NoWait.INSTANCE);
      boolean first = target.needsAllSections();
      batches.begin();
      for (int p = 0; p < tails.length; p++) {
        if (tails[p] != forced[p] || first) {
          batches.section(ringSet.rings().get(p), forced[p], tails[p]);
        }
      }
      batches.write(Math.max(cut, stable), stable, clock(), NoWait.INSTANCE);
      for (int p = 0; p < tails.length; p++) {
        forced[p] = tails[p];
        ringSet.rings().get(p).publishForced(forced[p]);
      }
    }
    if (cut > stable) {
      words.setLongVolatile(CommitWords.STABLE, cut);
    }
  }

  /** Returns the last batch. */
  public BatchId lastBatch() {
    return history.lastBatch();
  }

  /** Returns the names of the segments that hold a batch, in their order. */
  public List<String> names() {
    return history.extents().stream().map(LogExtent::name).toList();
  }

  /** Moves to a new segment, as if the next batch did not fit. */
  public void nextSegment() {
    target.use(factory.next());
  }

  /** Makes the segment after the one in use ready, as the preparer does, and leaves it. */
  public void prepareSegment() {
    factory.next().file.close();
  }

  /** Returns the smallest ring there can be. */
  public static long ringBytes() {
    return RingLayout.MIN_CAPACITY;
  }

  /** Ends use of files and rings. */
  public void close() {
    target.close();
    note.close();
    ringSet.close();
  }
}
