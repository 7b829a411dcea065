package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.LogSummary;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.SegmentNames;
import io.howdah.log.recovery.LogRecovery;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * The part of a log that an opening has left out, by a {@link LogSummary}: reads it, stashes its
 * words, and holds the summary to it. Whatever the summary says wrongly is found here, and the
 * store stops (docs/instant-open.md, section 8).
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
  private final HeaderSplit behind;

  private long words;

  /**
   * Creates one.
   *
   * @param superblock as it was when the rest of the log was recovered
   * @param listed the pages of the summary
   * @param touched those, and the pages of the rest of the log
   * @param imageHeader the header's words in the image
   * @param behind what the rest of the log has made of the summary's header
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
      HeaderSplit behind) {
    this.storage = storage;
    this.execution = execution;
    this.superblock = superblock;
    this.summary = summary;
    this.chunks = chunks;
    this.stashes = List.copyOf(stashes);
    this.listed = listed;
    this.touched = touched;
    this.imageHeader = imageHeader;
    this.behind = behind;
  }

  /**
   * Returns where its words are once it is read; each comes before those of the rest of the log.
   */
  List<ChunkStash> stashes() {
    return stashes;
  }

  /** Returns how many words it has, once it is read: those that are stashed, and others. */
  long words() {
    return words;
  }

  /** Returns the pages that it or the rest of the log touches, but for the header's. */
  TouchedPages touched() {
    return touched;
  }

  /**
   * Reads it.
   *
   * @param cancelled whether nobody needs it any more
   * @throws CorruptStoreException if it is damaged, or contradicts the summary; the summaries were
   *     deleted then, durably, so that the next opening reads the log first
   */
  void read(BooleanSupplier cancelled) {
    try (ParallelStashing parallel = new ParallelStashing(chunks, stashes, execution)) {
      HeaderSplit split =
          new HeaderSplit(
              (source, from, to) -> {
                if (cancelled.getAsBoolean()) {
                  throw new CancellationException("the store is closing");
                }
                parallel.redo(source, from, to);
              },
              this::requireListed,
              imageHeader);
      words =
          LogRecovery.replayBefore(storage, execution, superblock, split, summary.shortcut())
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
      throw contradicted("the log touches a page that it leaves out, at address " + address);
    }
  }

  private void requireHeader(HeaderSplit split) {
    for (int word = 0; word < HeaderSplit.WORDS; word++) {
      if (!behind.isWritten(word) && split.words()[word] != summary.header()[word]) {
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
