package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.report.LogCounts;
import org.jspecify.annotations.Nullable;

/**
 * Recovers a log. It replays the closed generations, which the superblock lists with their recovery
 * records. Then it determines which records of the current generation survive, replays them, and
 * makes all of this durable. {@code StoreRecovery} calls it.
 *
 * <p>The recovery takes effect when a superblock with the recovery record is forced. Until then
 * every step may be repeated, also after a crash. Runs on an engine thread.
 *
 * <p>Memory: about 32 MiB, whatever the length of the log; the records that only rings contain, at
 * most {@code partitions × ringBytes}, and one ring more; and records of the log that cannot be
 * replayed yet. These are parts of large transactions, and commits with larger LSNs than one commit
 * that was delayed between its LSN and its record.
 */
public final class LogRecovery {

  private LogRecovery() {}

  /**
   * Recovers the log of a store.
   *
   * @param superblock the store's current state. If it names rings, the current generation has
   *     accepted commits, and its first segment was durable before
   * @param sink receives the words to replay, above the image of {@code superblock}'s checkpoint
   * @throws CorruptStoreException if something that was durable is missing or damaged. The log is
   *     unchanged then, except that segments without a batch may have been removed
   * @throws UnsupportedStoreException if this release cannot read the log
   */
  public static RecoveredLog recover(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink) {
    return recover(storage, execution, superblock, sink, Long.MAX_VALUE, () -> {});
  }

  /**
   * Recovers the log of a store as of an LSN: later records are not replayed. They stay in the log
   * until the caller has made a checkpoint that covers them.
   *
   * @param limitLsn dense
   * @param beforeChange runs before the first change of a file, once the log has been judged; may
   *     run more than once, or never
   */
  public static RecoveredLog recover(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      long limitLsn,
      Runnable beforeChange) {
    return run(storage, execution, superblock, sink, 0, limitLsn, false, beforeChange, true, null);
  }

  /**
   * Recovers the log of a store, but reads only the part from a shortcut on. {@link #replayBefore}
   * reads and replays the rest.
   *
   * @param sink receives the words of LSNs above {@code shortcut.replayAboveLsn()}
   * @param beforeChange as for {@link #recover(Storage, Execution, Superblock, RedoSink, long,
   *     Runnable)}
   * @throws CorruptStoreException also if log and shortcut contradict each other; a recovery
   *     without the shortcut may succeed then
   */
  public static RecoveredLog recoverFrom(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      LogShortcut shortcut,
      Runnable beforeChange) {
    return run(
        storage,
        execution,
        superblock,
        sink,
        0,
        Long.MAX_VALUE,
        false,
        beforeChange,
        true,
        shortcut);
  }

  /**
   * Recovers the log of a store whose memory has outlived the process: records whose words the
   * memory has are read and checked, and not replayed.
   *
   * @param appliedLsn dense: the memory has the words of every published commit up to it
   * @param sink receives the words of larger LSNs
   * @param shortcut where reading begins, or null for the oldest segment; its {@code
   *     replayAboveLsn} is at most {@code appliedLsn}
   * @param beforeChange as for {@link #recover(Storage, Execution, Superblock, RedoSink, long,
   *     Runnable)}
   * @throws CorruptStoreException as {@link #recoverFrom} does
   */
  public static RecoveredLog recoverAbove(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      long appliedLsn,
      @Nullable LogShortcut shortcut,
      Runnable beforeChange) {
    return run(
        storage,
        execution,
        superblock,
        sink,
        appliedLsn,
        Long.MAX_VALUE,
        false,
        beforeChange,
        true,
        shortcut);
  }

  /**
   * Replays the part of the log that {@link #recoverFrom} has not read: every record up to {@code
   * shortcut.replayAboveLsn()}. Changes nothing. The store may be open during the call, but no
   * checkpoint may trim the log.
   *
   * @param superblock as it was when the log was recovered
   * @return how much was read and replayed
   * @throws CorruptStoreException if a batch of this part is missing or damaged
   */
  public static LogCounts replayBefore(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      LogShortcut shortcut) {
    try (StagingMemory memory = new StagingMemory();
        RecoveryRun run =
            new RecoveryRun(
                storage,
                execution,
                superblock,
                sink,
                0,
                shortcut.replayAboveLsn(),
                true,
                () -> {},
                false,
                null,
                memory)) {
      return run.replayBefore(shortcut);
    }
  }

  /**
   * Reads and verifies the log of a store that is not open, like a recovery, and changes nothing.
   *
   * @return the result that a recovery would have
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  public static RecoveredLog check(Storage storage, Execution execution, Superblock superblock) {
    return read(storage, execution, superblock, (source, from, to) -> {});
  }

  /**
   * Reads, verifies and replays the log of a store that no process changes, like a recovery, and
   * changes no file.
   *
   * @param superblock the store's current state, or one whose checkpoint was discarded in memory
   * @param sink receives the words to replay, above the image of {@code superblock}'s checkpoint
   * @return the result that a recovery would have
   * @throws CorruptStoreException if something that was durable is missing or damaged
   */
  public static RecoveredLog read(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink) {
    return run(storage, execution, superblock, sink, 0, Long.MAX_VALUE, true, () -> {}, true, null);
  }

  /**
   * Like {@link #read}, for a store whose files were restored to an earlier state on purpose: does
   * not compare the log with its force note and its summaries, which may belong to the later state.
   */
  public static RecoveredLog readRolledBack(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink) {
    return run(
        storage, execution, superblock, sink, 0, Long.MAX_VALUE, true, () -> {}, false, null);
  }

  private static RecoveredLog run(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      long appliedLsn,
      long limitLsn,
      boolean readOnly,
      Runnable beforeChange,
      boolean isVerifiedByEvidence,
      @Nullable LogShortcut shortcut) {
    try (StagingMemory memory = new StagingMemory();
        RecoveryRun run =
            new RecoveryRun(
                storage,
                execution,
                superblock,
                sink,
                appliedLsn,
                limitLsn,
                readOnly,
                beforeChange,
                isVerifiedByEvidence,
                shortcut,
                memory)) {
      return run.recover();
    }
  }
}
