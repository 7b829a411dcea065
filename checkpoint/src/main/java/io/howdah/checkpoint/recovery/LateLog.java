package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.LogSummary;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.SegmentNames;
import io.howdah.log.recovery.LogRecovery;
import io.howdah.log.recovery.RedoSink;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * The part of a log before the shortcut of a {@link LogSummary}, which an opening has not read.
 * This class reads it, stashes its words, and verifies the summary against it. If the summary is
 * wrong, the store stops (docs/instant-open.md, section 8). {@link DeferredReplay} calls it.
 */
final class LateLog {

  private final Storage storage;
  private final Execution execution;
  private final Superblock superblock;
  private final LogSummary summary;
  private final RegionChunks chunks;
  private final List<ChunkStash> stashes;
  private final TouchedPages listed;
  private final TouchedPages touched;
  private final long[] imageHeader;
  private final HeaderSplit laterHeader;

  private long words;

  /**
   * Creates the late part of a log.
   *
   * @param superblock as it was when the rest of the log was recovered
   * @param listed the pages of the summary
   * @param touched the pages of the summary and of the rest of the log
   * @param imageHeader the words of the region's header in the image
   * @param laterHeader the header of the summary after the replay of the rest of the log
   */
  LateLog(
      Storage storage,
      Execution execution,
      Superblock superblock,
      LogSummary summary,
      RegionChunks chunks,
      List<ChunkStash> stashes,
      TouchedPages listed,
      TouchedPages touched,
      long[] imageHeader,
      HeaderSplit laterHeader) {
    this.storage = storage;
    this.execution = execution;
    this.superblock = superblock;
    this.summary = summary;
    this.chunks = chunks;
    this.stashes = List.copyOf(stashes);
    this.listed = listed;
    this.touched = touched;
    this.imageHeader = imageHeader;
    this.laterHeader = laterHeader;
  }

  /** Returns the stashes of its words, which are replayed before those of the rest of the log. */
  List<ChunkStash> stashes() {
    return stashes;
  }

  /** Returns the number of its words after {@link #read}, including those that are not stashed. */
  long words() {
    return words;
  }

  /** Returns the pages that this part or the rest of the log touches, except the header's. */
  TouchedPages touched() {
    return touched;
  }

  /**
   * Reads this part of the log and stashes its words.
   *
   * @param cancelled whether to stop reading, because the store closes
   * @throws CorruptStoreException if it is damaged, or contradicts the summary. The summaries are
   *     then deleted, durably, so that the next opening reads the whole log first
   */
  void read(BooleanSupplier cancelled) {
    try (ParallelStashing parallel = new ParallelStashing(chunks, stashes, execution)) {
      HeaderSplit split = new HeaderSplit(parallel, this::requireListed, imageHeader);
      RedoSink sink =
          (source, from, to) -> {
            if (cancelled.getAsBoolean()) {
              throw new CancellationException("the store is closing");
            }
            split.redo(source, from, to);
          };
      words =
          LogRecovery.replayBefore(storage, execution, superblock, sink, summary.shortcut())
              .words();
      parallel.drain();
      requireHeader(split);
    } catch (CorruptStoreException e) {
      LogSummary.deleteAll(storage);
      throw e;
    }
  }

  private void requireListed(long address, long lengthBytes) {
    if (!listed.isTouched(address, lengthBytes, true)) {
      throw contradicted("the log touches a page that it does not list, at address " + address);
    }
  }

  private void requireHeader(HeaderSplit split) {
    for (int word = 0; word < HeaderSplit.WORDS; word++) {
      if (!laterHeader.isWritten(word) && split.words()[word] != summary.header()[word]) {
        throw contradicted(
            "the region's word at address "
                + word * (long) Long.BYTES
                + " is another one by the log");
      }
    }
  }

  private static CorruptStoreException contradicted(String how) {
    return new CorruptStoreException(
        SegmentNames.LOG_DIRECTORY,
        -1,
        "a summary of the log has a valid checksum, but "
            + how
            + "; commits since the store was opened may have seen old data. Restore the store from"
            + " a backup");
  }
}
