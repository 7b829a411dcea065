package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Compares a log with the batches that its summaries name as durable (docs/protocol.md, R34). The
 * chain of batches must contain each of them. Since each batch contains the checksum of the batch
 * before, the log is then the summarized one, from its first batch to the named one.
 */
final class LogEvidence {

  private static final String ROLLED_BACK =
      ". If the store's files were put back to an earlier state on purpose, the summary is of the"
          + " later state: 'howdah accept-rollback' gives it up, and the store opens with what its"
          + " log contains";

  /** A batch that a file names. It was durable before the file was written. */
  private static final class Claim {
    final String file;
    final LogShortcut named;
    boolean seen;

    Claim(String file, LogShortcut named) {
      this.file = file;
      this.named = named;
    }
  }

  private final List<Claim> claims = new ArrayList<>();

  private LogEvidence() {}

  /** Returns the evidence of a run: the last batch of its shortcut, if it has one. */
  static LogEvidence of(@Nullable LogShortcut shortcut) {
    LogEvidence evidence = new LogEvidence();
    if (shortcut != null) {
      evidence.claims.add(new Claim("a summary of the log", shortcut));
    }
    return evidence;
  }

  /**
   * Adds the batches that the store's summaries name.
   *
   * @throws CorruptStoreException if the superblock is older than a summary
   */
  void addSummaries(Storage storage, Superblock superblock) {
    try (StagingMemory memory = StagingMemory.confined()) {
      for (SummaryFile summary : SummaryFile.readAll(storage, superblock, memory)) {
        requireKnown(summary, superblock);
        claims.add(new Claim(summary.name(), summary.shortcut()));
      }
    }
  }

  /**
   * Throws if the superblock is older than a summary. A superblock is forced before its generation
   * accepts a commit, so the superblock of a summarized generation cannot be missing.
   */
  private static void requireKnown(SummaryFile summary, Superblock superblock) {
    LogShortcut named = summary.shortcut();
    boolean isUnused =
        named.generation() == superblock.generation()
            && !superblock.clean()
            && superblock.rings() instanceof RingPlacement.None;
    if (named.generation() > superblock.generation() || isUnused) {
      throw new CorruptStoreException(
          summary.name(),
          LogSummaryLayout.GENERATION_OFFSET,
          "the summary names commits of generation "
              + named.generation()
              + ", which the superblock does not know: the superblock is older than the log;"
              + " restore the store's files from one copy"
              + ROLLED_BACK);
    }
    for (ClosedGeneration closed : superblock.closedGenerations()) {
      if (closed.generation() == named.generation()
          && (closed.lastBatch() < named.lastBatch().sequence()
              || closed.cut() < named.imageLsn())) {
        throw new CorruptStoreException(
            summary.name(),
            LogSummaryLayout.LAST_BATCH_OFFSET,
            "the summary names batch "
                + named.lastBatch().sequence()
                + " and LSN "
                + named.imageLsn()
                + " of generation "
                + named.generation()
                + " as durable, but the superblock's record of that generation ends with batch "
                + closed.lastBatch()
                + " and LSN "
                + closed.cut()
                + "; restore the store's files from one copy"
                + ROLLED_BACK);
      }
    }
  }

  /**
   * Compares the next batch of a generation's chain with the named ones.
   *
   * @throws CorruptStoreException if it has the sequence of a named batch and is a different one
   */
  void compare(long generation, Batch batch) {
    for (Claim claim : claims) {
      LogShortcut named = claim.named;
      if (generation == named.generation() && batch.sequence == named.lastBatch().sequence()) {
        if (batch.crc != named.lastBatch().crc()) {
          throw contradicted(claim, batch, "has another checksum");
        }
        // The batch with LSN imageLsn has at least that maxLsn, and maxLsn does not decrease.
        if (batch.maxLsn < named.imageLsn()) {
          throw contradicted(claim, batch, "contains LSNs up to " + batch.maxLsn + " only");
        }
        claim.seen = true;
      }
    }
  }

  private static CorruptStoreException contradicted(Claim claim, Batch batch, String how) {
    return new CorruptStoreException(
        batch.file,
        batch.fileOffset,
        "batch "
            + batch.sequence
            + ", which "
            + claim.file
            + " names as durable, "
            + how
            + ": the file is of another copy or an earlier state of the store; restore the log's"
            + " files from one copy"
            + ROLLED_BACK);
  }

  /**
   * Requires, at the end of a generation's chain, that the chain contained all named batches from
   * the first one on that was read.
   *
   * @param missing returns the error for a chain that ends too early, from the evidence
   * @throws CorruptStoreException if a named batch is missing
   */
  void requireSeen(
      long generation, long firstBatch, Function<String, CorruptStoreException> missing) {
    for (Claim claim : claims) {
      long sequence = claim.named.lastBatch().sequence();
      if (claim.named.generation() == generation && !claim.seen && sequence >= firstBatch) {
        throw missing.apply(
            claim.file + " names batch " + sequence + ", which it was written after" + ROLLED_BACK);
      }
    }
  }

  /** Returns the largest LSN up to which a generation was durable according to evidence, or 0. */
  long durableLsn(long generation) {
    long durable = 0;
    for (Claim claim : claims) {
      if (claim.named.generation() == generation && claim.seen) {
        durable = Math.max(durable, claim.named.imageLsn());
      }
    }
    return durable;
  }
}
