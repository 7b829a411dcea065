package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.storage.Storage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Replays the batches of a log that another process writes, one after the other, as they become
 * durable. It verifies them as a recovery does, and passes the words of every record up to the cut
 * of the last batch to a {@link RedoSink}, in the order of LSNs. Used by one thread.
 *
 * <p>A generation begins with {@link #begin}, or is continued with {@link #resume}. What the
 * generation before had left above its cut is dropped: records, and parts of transactions whose
 * commit did not come.
 */
public final class LiveReplay implements AutoCloseable {

  private final Storage storage;
  private final LogIdentity identity;
  private final int partitions;
  private final long capacityBytes;
  private final RedoSink sink;
  private final Batch batch = new Batch();
  private final StagingMemory memory = new StagingMemory();

  private long generation;
  private @Nullable RecordStash stash;
  private @Nullable Replay replay;

  /**
   * Creates a replay without a generation.
   *
   * @param storage allocates memory for records that wait
   * @param capacityBytes of the region, in which every word must lie
   */
  public LiveReplay(
      Storage storage,
      long storeIdHigh,
      long storeIdLow,
      int partitions,
      long capacityBytes,
      RedoSink sink) {
    this.storage = storage;
    this.identity = new LogIdentity(storeIdHigh, storeIdLow);
    this.partitions = partitions;
    this.capacityBytes = capacityBytes;
    this.sink = sink;
  }

  /**
   * Begins a generation, in which nothing was written yet.
   *
   * @param baseLsn dense: the first record has its successor
   */
  public void begin(long generation, long baseLsn) {
    begin(generation, baseLsn, false);
  }

  /**
   * Continues a generation behind a batch at which no record waited for a later one. The next batch
   * must have a section for every partition.
   *
   * @param cut dense: of that batch
   */
  public void resume(long generation, long cut) {
    begin(generation, cut, true);
  }

  private void begin(long generation, long baseLsn, boolean isResumed) {
    closeStash();
    RecordStash stash = new RecordStash(storage, memory);
    this.stash = stash;
    this.generation = generation;
    replay =
        new Replay(
            "log of the replica group",
            partitions,
            baseLsn,
            0,
            0,
            Long.MAX_VALUE,
            isResumed,
            capacityBytes,
            stash,
            sink);
  }

  /**
   * Replays a batch of the generation.
   *
   * @param bytes little-endian; the batch, unpadded, from its position to its limit
   * @param place of the batch, for errors
   * @return the dense LSN up to which everything is replayed
   * @throws CorruptStoreException if the batch is not one of this generation, or is damaged, or
   *     does not continue the batches before
   */
  public long add(ByteBuffer bytes, String place) {
    Replay replay = this.replay;
    int at = bytes.position();
    if (replay == null
        || bytes.remaining() < BatchLayout.HEADER_LENGTH
        || !Batch.isBegun(bytes, at, identity.storeTag(), generation)
        || Batch.length(bytes, at) != bytes.remaining()
        || !Batch.isPlausible(bytes, at, partitions, bytes.remaining())
        || !Batch.hasValidChecksum(bytes, at, bytes.remaining())) {
      throw new CorruptStoreException(
          place, -1, "no batch of generation " + generation + " of this store, or a damaged one");
    }
    batch.set(bytes, at);
    batch.file = place;
    replay.add(batch);
    return replay.maxCut();
  }

  private void closeStash() {
    RecordStash stash = this.stash;
    if (stash != null) {
      stash.close();
      this.stash = null;
      replay = null;
    }
  }

  /** Frees the memory of records that wait. */
  @Override
  public void close() {
    closeStash();
    memory.close();
  }
}
