package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ForceNoteLayout;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.BatchId;
import io.howdah.log.flush.ForceNote;
import io.howdah.log.flush.NotedForce;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Compares a log with the batches that its force note and its summaries name as durable
 * (docs/protocol.md, R34, R42). The chain of batches must contain each of them. Since each batch
 * contains the checksum of the batch before, the log is then the one that the file is about, from
 * its first batch to the named one.
 */
final class LogEvidence {

  /** A batch that a file names. It was durable before the file was written. */
  private static final class Claim {
    final String file;
    final long generation;
    final BatchId batch;

    /** Dense LSN up to which all were in batches up to this one; 0 if the file does not tell. */
    final long lsn;

    boolean seen;

    Claim(String file, long generation, BatchId batch, long lsn) {
      this.file = file;
      this.generation = generation;
      this.batch = batch;
      this.lsn = lsn;
    }
  }

  private final List<Claim> claims = new ArrayList<>();
  private boolean isNoteMissing;
  private @Nullable StorageException noteFailure;

  private LogEvidence() {}

  /** Returns the evidence of a run: the last batch of its shortcut, if it has one. */
  static LogEvidence of(@Nullable LogShortcut shortcut) {
    LogEvidence evidence = new LogEvidence();
    if (shortcut != null) {
      evidence.claims.add(claim("a summary of the log", shortcut));
    }
    return evidence;
  }

  private static Claim claim(String file, LogShortcut said) {
    return new Claim(file, said.generation(), said.lastBatch(), said.imageLsn());
  }

  /**
   * Adds the batches that the store's force note and its summaries name.
   *
   * @throws CorruptStoreException if the superblock is older than one of them
   */
  void addAll(Storage storage, Superblock superblock) {
    addNote(storage, superblock);
    try (StagingMemory memory = StagingMemory.confined()) {
      for (SummaryFile summary : SummaryFile.readAll(storage, superblock, memory)) {
        add(
            claim(summary.name(), summary.shortcut()),
            superblock,
            LogSummaryLayout.GENERATION_OFFSET,
            LogSummaryLayout.LAST_BATCH_OFFSET);
      }
    }
  }

  private void addNote(Storage storage, Superblock superblock) {
    Optional<List<NotedForce>> note;
    try {
      StoreId id = superblock.storeId();
      note = NotedForce.readAll(storage, id.high(), id.low());
    } catch (StorageException e) {
      noteFailure = e; // nothing depends on the note if the rings can be trusted
      return;
    }
    isNoteMissing = note.isEmpty();
    for (NotedForce noted : note.orElse(List.of())) {
      int slot = ForceNoteLayout.slotOffset(noted.batch().sequence());
      add(
          new Claim(ForceNote.NAME, noted.generation(), noted.batch(), 0),
          superblock,
          slot + ForceNoteLayout.SLOT_GENERATION_OFFSET,
          slot + ForceNoteLayout.SLOT_SEQUENCE_OFFSET);
    }
  }

  private void add(Claim claim, Superblock superblock, long generationOffset, long batchOffset) {
    requireKnown(claim, superblock, generationOffset, batchOffset);
    claims.add(claim);
  }

  /**
   * Throws if the superblock is older than a file. A superblock is forced before its generation
   * accepts a commit, so the superblock of a named generation cannot be missing.
   */
  private static void requireKnown(
      Claim claim, Superblock superblock, long generationOffset, long batchOffset) {
    boolean isUnused =
        claim.generation == superblock.generation()
            && !superblock.clean()
            && superblock.rings() instanceof RingPlacement.None;
    if (claim.generation > superblock.generation() || isUnused) {
      throw new CorruptStoreException(
          claim.file,
          generationOffset,
          "the file names commits of generation "
              + claim.generation
              + ", which the superblock does not know: the superblock is older than the log;"
              + " restore the store's files from one copy"
              + rolledBack(claim));
    }
    for (ClosedGeneration closed : superblock.closedGenerations()) {
      if (closed.generation() == claim.generation
          && (closed.lastBatch() < claim.batch.sequence() || closed.cut() < claim.lsn)) {
        throw new CorruptStoreException(
            claim.file,
            batchOffset,
            "the file names batch "
                + claim.batch.sequence()
                + (claim.lsn == 0 ? "" : " and LSN " + claim.lsn)
                + " of generation "
                + claim.generation
                + " as durable, but the superblock's record of that generation ends with batch "
                + closed.lastBatch()
                + " and LSN "
                + closed.cut()
                + "; restore the store's files from one copy"
                + rolledBack(claim));
      }
    }
  }

  private static String rolledBack(Claim claim) {
    return ". If the store's files were put back to an earlier state on purpose, as by rolling back a"
        + " file system's snapshot, "
        + claim.file
        + " is of the later state: 'howdah accept-rollback' gives it up, and the store opens with"
        + " what its log contains";
  }

  /**
   * Compares the next batch of a generation's chain with the named ones.
   *
   * @throws CorruptStoreException if it has the sequence of a named batch and is a different one
   */
  void compare(long generation, Batch batch) {
    for (Claim claim : claims) {
      if (generation == claim.generation && batch.sequence == claim.batch.sequence()) {
        if (batch.crc != claim.batch.crc()) {
          throw contradicted(claim, batch, "has another checksum");
        }
        // The batch with this LSN has at least that maxLsn, and maxLsn does not decrease.
        if (batch.maxLsn < claim.lsn) {
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
            + rolledBack(claim));
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
      long named = claim.batch.sequence();
      if (claim.generation == generation && !claim.seen && named >= firstBatch) {
        throw missing.apply(
            claim.file
                + " names batch "
                + named
                + ", which it was written after"
                + rolledBack(claim));
      }
    }
  }

  /**
   * Requires the force note of a generation that has accepted commits and whose rings are gone:
   * nothing else tells how far the log was forced. A generation has the note before its superblock
   * names rings.
   *
   * @throws CorruptStoreException if it is missing or damaged
   * @throws StorageException if it cannot be read
   */
  void requireNote() {
    if (noteFailure != null) {
      throw noteFailure;
    }
    if (isNoteMissing) {
      throw new CorruptStoreException(
          ForceNote.NAME,
          ForceNoteLayout.MAGIC_OFFSET,
          "the file is missing or damaged, and the rings of the last opening cannot be used either:"
              + " nothing tells whether commits that were acknowledged as durable are missing from"
              + " the end of the log. Restore the file, or the store, from a copy; or have 'howdah"
              + " accept-rollback' accept what the log contains");
    }
  }

  /** Returns the largest LSN up to which a generation was durable according to evidence, or 0. */
  long durableLsn(long generation) {
    long durable = 0;
    for (Claim claim : claims) {
      if (claim.generation == generation && claim.seen) {
        durable = Math.max(durable, claim.lsn);
      }
    }
    return durable;
  }
}
