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
 * Recovers a log: replays the generations that the superblock lists as closed by their records,
 * finds out what of the current one survives, replays that, and makes all of it durable.
 *
 * <p>The recovery takes effect when a superblock with the recovery record is forced. Until then
 * every step may be repeated, also after a crash. Runs on an engine thread.
 *
 * <p>Memory: some 32 MiB whatever the log's size; what only rings hold, once, which is at most
 * {@code partitions × ringBytes}, and one ring more; and the records of the log that wait for their
 * turn: parts of large transactions, and what was committed while one commit was held up between
 * its LSN and its record.
 */
public final class LogRecovery {

  private LogRecovery() {}

  /**
   * Recovers the log of a store.
   *
   * @param superblock the store's current state; rings that it names mean that the current
   *     generation accepted commits, and that its first segment was durable before
   * @param sink takes the words to replay, above the image of {@code superblock}'s checkpoint
   * @throws CorruptStoreException if something that was durable is missing or damaged; of the log
   *     nothing was changed then, except that segments without a batch may have been removed
   * @throws UnsupportedStoreException if the log is not one that this release can read
   */
  public static RecoveredLog recover(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink) {
    return recover(storage, execution, superblock, sink, Long.MAX_VALUE, () -> {});
  }

  /**
   * Recovers the log of a store as of an LSN: what came after it is not replayed. It is there
   * still, until the caller has taken a checkpoint that covers it.
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
    return run(storage, execution, superblock, sink, limitLsn, beforeChange, true, null);
  }

  /**
   * Recovers the log of a store, but replays only what lies above a shortcut, and checks only what
   * lies behind it. {@link #replayBefore} does the rest.
   *
   * @param sink takes the words of LSNs above {@code shortcut.replayAboveLsn()}
   * @param beforeChange as for {@link #recover(Storage, Execution, Superblock, RedoSink, long,
   *     Runnable)}
   * @throws CorruptStoreException also if log and shortcut contradict each other; without the
   *     shortcut the recovery may succeed then
   */
  public static RecoveredLog recoverBehind(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      LogShortcut shortcut,
      Runnable beforeChange) {
    return run(storage, execution, superblock, sink, Long.MAX_VALUE, beforeChange, true, shortcut);
  }

  /**
   * Replays what {@link #recoverBehind} has left out: every record up to {@code
   * shortcut.replayAboveLsn()}. Changes nothing. The store may be open meanwhile, until a
   * checkpoint trims the log.
   *
   * @param superblock as it was when the log was recovered
   * @return what was read and replayed
   * @throws CorruptStoreException if something of it is missing or damaged
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
                shortcut.replayAboveLsn(),
                null,
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
    return run(storage, execution, superblock, sink, Long.MAX_VALUE, null, true, null);
  }

  /**
   * As {@link #read}, of a store whose files were put back to an earlier state on purpose: does not
   * compare the log with its force note and its summaries, which may be of the later state.
   */
  public static RecoveredLog readRolledBack(
      Storage storage, Execution execution, Superblock superblock, RedoSink sink) {
    return run(storage, execution, superblock, sink, Long.MAX_VALUE, null, false, null);
  }

  private static RecoveredLog run(
      Storage storage,
      Execution execution,
      Superblock superblock,
      RedoSink sink,
      long limitLsn,
      @Nullable Runnable beforeChange,
      boolean isVerifiedByEvidence,
      @Nullable LogShortcut shortcut) {
    try (StagingMemory memory = new StagingMemory();
        RecoveryRun run =
            new RecoveryRun(
                storage,
                execution,
                superblock,
                sink,
                limitLsn,
                beforeChange,
                isVerifiedByEvidence,
                shortcut,
                memory)) {
      return run.recover();
    }
  }
}
