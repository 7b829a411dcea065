package io.howdah.store.open;

import io.howdah.checkpoint.Checkpointer;
import io.howdah.checkpoint.RegionImage;
import io.howdah.checkpoint.StoreFiles;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import io.howdah.log.recovery.LogRecovery;
import io.howdah.log.recovery.RecoveredLog;
import io.howdah.log.recovery.RedoSink;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks the files of a store that nobody has open, by the rules by which an opening judges them,
 * and changes nothing: it fails where an opening that verifies the image would fail, and remarks on
 * what an opening would mend or give up.
 */
public final class StoreCheck {

  /** What rings are for. */
  private enum Rings {
    /** They tell of the end of the log, and what it does not hold. */
    USED,
    /** They tell of the end of the log; what only they hold does not count. */
    CHECKED,
    /** Nothing. */
    IGNORED
  }

  private StoreCheck() {}

  /**
   * What a check found; {@code CheckReport} describes the other values.
   *
   * @param completeLsn up to which nothing is missing; beyond it some may survive
   * @param lsn the newest commit that an opening recovers, of the log or of rings
   * @param logLsn the newest commit that the log has, and so a copy without rings
   */
  public record Found(
      boolean closed,
      long fromLsn,
      long completeLsn,
      long lsn,
      long logLsn,
      long records,
      long logBytes,
      List<String> remarks) {

    public Found {
      remarks = List.copyOf(remarks);
    }
  }

  /**
   * Checks a store.
   *
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  public static Found of(Storage storage, Execution execution, SuperblockFile file) {
    return of(storage, execution, file, Rings.USED);
  }

  /**
   * Checks a store, and tells of what its log holds, as a copy without its rings would find it.
   *
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  public static Found ofLog(Storage storage, Execution execution, SuperblockFile file) {
    return of(storage, execution, file, Rings.CHECKED);
  }

  /**
   * Checks a store as if its rings, and the force note and the summaries of its log, were not
   * there.
   *
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  public static Found rolledBack(Storage storage, Execution execution, SuperblockFile file) {
    return of(storage, execution, file, Rings.IGNORED);
  }

  /** Returns a state in which rings are not looked for. */
  public static Superblock withoutRings(Superblock superblock) {
    return superblock.rings() instanceof RingPlacement.None
        ? superblock
        : superblock.change().withRings(RingPlacement.ABSENT).build();
  }

  private static Found of(Storage storage, Execution execution, SuperblockFile file, Rings rings) {
    Superblock superblock = file.current();
    StoreOpening.requireSupported(storage, superblock);
    List<String> remarks = new ArrayList<>();
    if (file.hadDamagedSlot()) {
      remarks.add(
          "one of the two copies of the superblock is damaged; opening the store repairs it from the other");
    }
    for (String directory : StoreFiles.missingDirectories(storage)) {
      remarks.add(
          "the directory "
              + directory
              + " is missing; nothing in it is needed, and opening the store makes it again");
    }
    // First, as an opening does: a file that is missing or too short is no damaged page.
    RegionImage.requireWhole(storage, superblock.storeId(), superblock.geometry());
    Checkpointer checkpointer = new Checkpointer(storage, file);
    checkpointer.requireNewest();
    checkpointer.checkSome();
    HeaderWords header = new HeaderWords();
    checkpointer.check(header.bytes);
    Optional<CorruptStoreException> journal = checkpointer.journalProblem();
    if (journal.isPresent()) {
      remarks.add(
          "the journal of the newest checkpoint is damaged ("
              + journal.get().getMessage()
              + "); opening the store discards it and replays the log from the checkpoint before."
              + " Until the checkpoint after that the pages of the image cannot be checked, so this check has not verified them");
    } else if (checkpointer.isAbandoned()) {
      remarks.add(
          "a damaged journal was given up before, and there was no checkpoint since: the pages of"
              + " the image cannot be checked, so this check has not verified them");
    }
    Superblock judged = checkpointer.withoutLeftover();
    RecoveredLog log =
        rings == Rings.IGNORED
            ? LogRecovery.readRolledBack(storage, execution, withoutRings(judged), header)
            : LogRecovery.read(storage, execution, judged, header);
    if (!StoreOpening.mayBeNew(superblock)) {
      header.requireRight(superblock.geometry().maxSizeBytes());
    }
    long lsn = log.lastLsn();
    RecoveredLog inLog =
        rings != Rings.IGNORED && (rings == Rings.CHECKED || hasRecordsInRings(log))
            ? inLog(storage, execution, judged, log)
            : log;
    log = rings == Rings.CHECKED ? inLog : log;
    remark(superblock, log, remarks);
    if (lsn > inLog.lastLsn()) {
      remarks.add(
          "commits up to LSN "
              + lsn
              + " are in the rings of the process that was killed, and those above LSN "
              + inLog.lastLsn()
              + " only there: opening the store recovers them, a restore does not copy them; open"
              + " and close the store first, as by howdah checkpoint");
    }
    return new Found(
        superblock.clean(),
        superblock.checkpoint().imageLsn(),
        log.completeLsn(),
        lsn,
        inLog.lastLsn(),
        log.counts().records(),
        log.counts().scannedBytes(),
        remarks);
  }

  private static boolean hasRecordsInRings(RecoveredLog log) {
    return log.rings() instanceof RingTrust.Trusted(long records, long _) && records > 0;
  }

  /** Returns what a copy of the log without the rings holds. */
  private static RecoveredLog inLog(
      Storage storage, Execution execution, Superblock judged, RecoveredLog log) {
    return judged.rings().equals(RingPlacement.ABSENT)
        ? log
        : LogRecovery.check(storage, execution, withoutRings(judged));
  }

  /**
   * The words by which a region is known, as an opening would find them: those of the image, which
   * may not be one that can be checked, of the journal, and over them what the log has.
   */
  private static final class HeaderWords implements RedoSink {

    private static final int END = RegionHeaderLayout.TOP_ADDRESS + Region.WORD_BYTES;

    final ByteBuffer bytes = ByteBuffer.allocate(END).order(ByteOrder.LITTLE_ENDIAN);

    @Override
    public void redo(ByteBuffer source, int from, int to) {
      for (int at = from; at < to; ) {
        long address = RedoRecordLayout.entryAddress(source.getLong(at));
        int run = RedoRecordLayout.entryRun(source.getLong(at));
        at += Long.BYTES;
        if (address < END) {
          int length = (int) Math.min((long) run * Region.WORD_BYTES, END - address);
          bytes.put((int) address, source, at, length);
        }
        at += run * Region.WORD_BYTES;
      }
    }

    void requireRight(long capacityBytes) {
      if (bytes.getLong(RegionHeaderLayout.MAGIC_ADDRESS) != RegionHeaderLayout.MAGIC
          || bytes.getLong(RegionHeaderLayout.VERSION_ADDRESS) != RegionHeaderLayout.VERSION) {
        throw StoreOpening.headerGone();
      }
      RegionHeader.requireTop(bytes.getLong(RegionHeaderLayout.TOP_ADDRESS), capacityBytes);
    }
  }

  /** A backup names rings that never were, so their absence is none of its flaws. */
  private static void remark(Superblock superblock, RecoveredLog log, List<String> remarks) {
    boolean isBackup = superblock.rings().equals(RingPlacement.ABSENT);
    if (log.rings() instanceof RingTrust.Untrusted(String reason) && !isBackup) {
      remarks.add(
          "the rings of the process that had the store open cannot be used ("
              + reason
              + "): commits that were not yet forced to the log are lost, as after a power cut");
    }
    if (log.outcome()
            instanceof RecoveryOutcome.AfterPowerCut(long _, int _, long discarded, long tornBytes)
        && (discarded > 0 || tornBytes > 0)) {
      remarks.add(
          "opening the store discards "
              + discarded
              + " commits and "
              + tornBytes
              + " bytes at the end of the log that no commit was acknowledged by, unless the last"
              + " batch is damaged, which cannot be told from a torn one");
    }
  }
}
