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
 * Compares a log with the batches that summaries of it name as durable (docs/protocol.md, R34). The
 * chain of batches must lead through each of them. Each batch carries the checksum of the one
 * before, so the log is then the one of which the summary tells, from its first batch to this one.
 */
final class LogEvidence {

  private static final String ROLLED_BACK =
      ". If the store's files were put back to an earlier state on purpose, the summary is of the"
          + " later state: 'howdah accept-rollback' gives it up, and the store opens with what its"
          + " log holds";

  /** A batch that was durable before the file was written that names it. */
  private static final class Claim {
    final String file;
    final LogShortcut said;
    boolean seen;

    Claim(String file, LogShortcut said) {
      this.file = file;
      this.said = said;
    }
  }

  private final List<Claim> claims = new ArrayList<>();

  private LogEvidence() {}

  /** Returns what a run has to find in any case: the last batch of its shortcut, if it has one. */
  static LogEvidence of(@Nullable LogShortcut shortcut) {
    LogEvidence evidence = new LogEvidence();
    if (shortcut != null) {
      evidence.claims.add(new Claim("a summary of the log", shortcut));
    }
    return evidence;
  }

  /**
   * Takes up what the store's summaries say.
   *
   * @throws CorruptStoreException if the superblock knows less of the log than a summary
   */
  void addSummaries(Storage storage, Superblock superblock) {
    try (StagingMemory memory = StagingMemory.confined()) {
      for (SummaryFile summary : SummaryFile.readAll(storage, superblock, memory)) {
        requireKnown(summary, superblock);
        claims.add(new Claim(summary.name(), summary.shortcut()));
      }
    }
  }

  /** A superblock is forced before its generation accepts a commit, and obeyed from then on. */
  private static void requireKnown(SummaryFile summary, Superblock superblock) {
    LogShortcut said = summary.shortcut();
    boolean isUnused =
        said.generation() == superblock.generation()
            && !superblock.clean()
            && superblock.rings() instanceof RingPlacement.None;
    if (said.generation() > superblock.generation() || isUnused) {
      throw new CorruptStoreException(
          summary.name(),
          LogSummaryLayout.GENERATION_OFFSET,
          "the summary tells of commits in generation "
              + said.generation()
              + ", of which the superblock does not know: the superblock is older than the log;"
              + " restore the store's files from one copy"
              + ROLLED_BACK);
    }
    for (ClosedGeneration closed : superblock.closedGenerations()) {
      if (closed.generation() == said.generation()
          && (closed.lastBatch() < said.lastBatch().sequence() || closed.cut() < said.imageLsn())) {
        throw new CorruptStoreException(
            summary.name(),
            LogSummaryLayout.LAST_BATCH_OFFSET,
            "the summary names batch "
                + said.lastBatch().sequence()
                + " and LSN "
                + said.imageLsn()
                + " of generation "
                + said.generation()
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
   * Compares the next batch of a generation's chain.
   *
   * @throws CorruptStoreException if it is not the one of which a summary tells
   */
  void see(long generation, Batch batch) {
    for (Claim claim : claims) {
      LogShortcut said = claim.said;
      if (generation == said.generation() && batch.sequence == said.lastBatch().sequence()) {
        if (batch.crc != said.lastBatch().crc()) {
          throw contradicted(claim, batch, "has another checksum");
        }
        // The batch of LSN imageLsn has a bound of at least that, and bounds do not fall.
        if (batch.lsnBound < said.imageLsn()) {
          throw contradicted(claim, batch, "holds LSNs up to " + batch.lsnBound + " only");
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
   * Requires, at the end of a generation's chain, that all batches were there which are not before
   * the first one that was read.
   *
   * @param missing returns the error for a chain that ends too early, by what speaks against it
   * @throws CorruptStoreException if one was not
   */
  void requireSeen(
      long generation, long firstBatch, Function<String, CorruptStoreException> missing) {
    for (Claim claim : claims) {
      long named = claim.said.lastBatch().sequence();
      if (claim.said.generation() == generation && !claim.seen && named >= firstBatch) {
        throw missing.apply(
            claim.file + " names batch " + named + ", which it was written after" + ROLLED_BACK);
      }
    }
  }

  /** Returns the largest LSN up to which all of a generation was durable, or 0. */
  long durableLsn(long generation) {
    long durable = 0;
    for (Claim claim : claims) {
      if (claim.said.generation() == generation && claim.seen) {
        durable = Math.max(durable, claim.said.imageLsn());
      }
    }
    return durable;
  }
}
