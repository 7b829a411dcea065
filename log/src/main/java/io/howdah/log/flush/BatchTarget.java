package io.howdah.log.flush;

import io.howdah.log.commit.Ring;
import io.howdah.log.report.LogStall;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Where the batches of a log become durable, in order and one at a time: segments of files ({@link
 * SegmentTarget}), or the log of a replica group. The flusher's thread calls all methods but {@link
 * #describe}, {@link #keepsRecordsAboveTheCut} and {@link #close}, which any thread may call.
 */
public interface BatchTarget extends AutoCloseable {

  /** What a target has to do while it waits. Called on the flusher's thread. */
  interface Waiting {

    /**
     * Notes what the log waits for, for the messages about a stall.
     *
     * @param reason {@link LogStall.Reason#FLUSHER} once it waits no longer
     */
    void waitsFor(LogStall.Reason reason);

    /**
     * Does what the flusher does about once a second. Called at least as often.
     *
     * @throws RuntimeException if the store must stop
     */
    void watch();

    /** Returns whether the log is being closed, so that nobody ends a wait for space. */
    boolean isClosing();
  }

  /**
   * Lowers the tails of a round to what its batches may have. Segments take everything: recovery
   * decides about records above the cut (docs/protocol.md, R9).
   *
   * @param batched for each partition, the end of what earlier batches have
   * @param tails for each partition, the end of the published records; at least {@code batched}
   *     afterwards, and at the end of a record
   * @param cut dense; every record with an LSN up to it is before {@code tails}
   */
  default void limit(List<Ring> rings, long[] batched, long[] tails, long cut) {}

  /**
   * Makes room for a batch, or for its first part. May wait.
   *
   * @param batchBytes length of the batch; shorter batches may follow
   */
  void prepare(long batchBytes, Waiting waiting);

  /** Returns the maximum length of the next batch, in bytes. */
  int roomBytes();

  /**
   * Returns whether the next batch must have a section for each partition, possibly empty, because
   * a reader may begin with it.
   */
  boolean needsAllSections();

  /**
   * Makes a batch durable, and returns then. After an exception the state of the batch is unknown,
   * and no more batches may be written.
   *
   * @param batch little-endian, from position to limit; the bytes up to the next multiple of {@link
   *     io.howdah.core.layout.BatchLayout#ALIGNMENT} are there and may be changed. Valid during the
   *     call
   * @param id of the batch
   * @param cut dense, as the batch says it
   * @param startPositions for each partition, where its last section begins in its ring; valid
   *     during the call
   * @return bytes written
   */
  int write(ByteBuffer batch, BatchId id, long cut, long[] startPositions, Waiting waiting);

  /** Returns what the log waits for during {@link #write}. */
  LogStall.Reason waitsFor();

  /** Returns the number of segments used, 0 without segments. */
  long segmentsUsed();

  /**
   * Returns whether a record in a written batch survives although it is above the batch's cut, if
   * what it depends on survives (docs/protocol.md, R9). If not, a commit is durable only with all
   * commits before it.
   */
  boolean keepsRecordsAboveTheCut();

  /** Returns the place of the log, for messages. */
  String describe();

  /** Ends the use. Called after the flusher has ended. */
  @Override
  void close();
}
