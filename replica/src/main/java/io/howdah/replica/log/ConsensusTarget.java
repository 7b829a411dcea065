package io.howdah.replica.log;

import io.howdah.core.Execution;
import io.howdah.core.StoreId;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.Ring;
import io.howdah.log.flush.BatchId;
import io.howdah.log.flush.BatchTarget;
import io.howdah.log.flush.BatchWriter;
import io.howdah.log.report.LogStall;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of a replica group as the target of a leader's batches: proposes each batch and waits
 * until it has come back, committed and counted. So the stable LSN is what a majority has
 * (docs/protocol.md, R70).
 */
public final class ConsensusTarget implements BatchTarget {

  /** Maximum length of an entry, in bytes. An engine has to take entries of this length. */
  public static final int MAX_ENTRY_BYTES = EntryLayout.MAX_LENGTH;

  private static final long WATCH_NANOS = 1_000_000_000;

  private final StoreId store;
  private final long epoch;
  private final long nonce;
  private final Consumer<ByteBuffer> proposals;
  private final Execution execution;
  private final int maxEntryBytes;

  /** Why no further batch will come back; null while this node leads. */
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /** Sequence of the epoch's last batch that counts. */
  private volatile long counted;

  /** Whether a barrier of this epoch has come back since the flusher last looked. */
  private volatile boolean isPassed;

  private volatile @Nullable Thread waiter;

  /**
   * Creates the target of an epoch that has begun.
   *
   * @param proposals takes entries for the engine, and copies them
   * @param maxEntryBytes maximum length of an entry, see {@link #requireFits}
   */
  public ConsensusTarget(
      StoreId store,
      long epoch,
      long nonce,
      Consumer<ByteBuffer> proposals,
      Execution execution,
      int maxEntryBytes) {
    this.store = store;
    this.epoch = epoch;
    this.nonce = nonce;
    this.proposals = proposals;
    this.execution = execution;
    this.maxEntryBytes = maxEntryBytes;
  }

  /**
   * Requires that the longest record of any ring fits into an entry.
   *
   * @throws IllegalArgumentException if it does not
   */
  public static void requireFits(int partitions, long ringBytes, int maxEntryBytes) {
    long needed =
        EntryLayout.HEADER_LENGTH
            + BatchWriter.batchBytes(Ring.maxRecordBytes(ringBytes), partitions);
    if (needed > maxEntryBytes) {
      throw new IllegalArgumentException(
          "records of rings of "
              + ringBytes
              + " bytes do not fit into an entry of "
              + maxEntryBytes
              + " bytes; make the rings shorter");
    }
  }

  /**
   * Lowers each tail to the end of the last record up to the cut. So a round has only records that
   * count with its last entry (docs/protocol.md, R72).
   */
  @Override
  public void limit(List<Ring> rings, long[] batched, long[] tails, long cut) {
    for (int p = 0; p < tails.length; p++) {
      Ring ring = rings.get(p);
      long end = batched[p];
      while (end < tails[p]) {
        long head = ring.word(end);
        if (!RedoRecordLayout.isSaneHead(head)) {
          throw new IllegalStateException(
              "no redo record starts at position " + end + " of the ring of partition " + p);
        }
        if (RedoRecordLayout.kind(head) != RedoRecordLayout.KIND_PART
            && Lsn.dense(ring.word(end + RedoRecordLayout.LSN_OFFSET)) > cut) {
          break;
        }
        end += RedoRecordLayout.length(head);
      }
      tails[p] = end;
    }
  }

  @Override
  public void prepare(long batchBytes, Waiting waiting) {}

  @Override
  public int roomBytes() {
    return maxEntryBytes - EntryLayout.HEADER_LENGTH;
  }

  @Override
  public boolean needsAllSections() {
    return true;
  }

  @Override
  public int write(ByteBuffer batch, BatchId id, long cut, long[] startPositions, Waiting waiting) {
    waiter = Thread.currentThread();
    ByteBuffer entry = Entry.batch(store, epoch, nonce, batch);
    failIfOver();
    isPassed = false;
    proposals.accept(entry);
    // No time limit: only the log can tell whether the batch is committed.
    long proposed = execution.nanoTime();
    while (counted < id.sequence()) {
      failIfOver();
      execution.parkNanos(this, WATCH_NANOS);
      waiting.watch();
      if (counted < id.sequence() && execution.nanoTime() - proposed >= WATCH_NANOS) {
        // An engine may have lost what a member answered, and learn it with the next entry alone:
        // a barrier. If one comes back and the batch does not, the engine has not taken the batch.
        boolean isRefused = isPassed;
        isPassed = false;
        proposals.accept(isRefused ? entry : Entry.barrier(store, epoch, nonce, 0));
        proposed = execution.nanoTime();
      }
    }
    return entry.capacity();
  }

  private void failIfOver() {
    Throwable cause = failure.get();
    if (cause instanceof RuntimeException e) {
      throw e;
    }
    if (cause != null) {
      throw new IllegalStateException(cause);
    }
  }

  /** Tells that a batch of this epoch counts. Called in the order of the log. */
  public void counted(long sequence) {
    counted = sequence;
    unpark();
  }

  /** Tells that a barrier of this epoch counts. Called in the order of the log. */
  public void passed() {
    isPassed = true;
  }

  /** Tells that no further batch will come back. The first cause is kept. */
  public void fail(Throwable cause) {
    failure.compareAndSet(null, cause);
    unpark();
  }

  private void unpark() {
    Thread thread = waiter;
    if (thread != null) {
      execution.unpark(thread);
    }
  }

  @Override
  public LogStall.Reason waitsFor() {
    return LogStall.Reason.MAJORITY;
  }

  @Override
  public long segmentsUsed() {
    return 0;
  }

  @Override
  public boolean keepsRecordsAboveTheCut() {
    return false;
  }

  @Override
  public String describe() {
    return "replica of " + store + ", epoch " + epoch;
  }

  @Override
  public void close() {}
}
