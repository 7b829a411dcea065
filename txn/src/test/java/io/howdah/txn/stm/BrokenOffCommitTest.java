package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.core.StoreFailedException;
import io.howdah.core.report.ProgramLog;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.alloc.Heap;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a transaction is told whose commit breaks off behind its redo record. */
final class BrokenOffCommitTest {

  private static final int ORECS = 1 << 8;
  private static final long ADDRESS = 8192;

  @TempDir Path directory;

  @Test
  void aCommitThatLosesItsMemoryBehindItsRecordIsNotSaidToHaveNeverHappened() {
    Execution execution = Execution.system();
    Lifecycle lifecycle = new Lifecycle();
    Region region = Regions.anonymous(1 << 16);
    CommitLanes lanes =
        CommitLanes.unlogged(
            Regions.anonymous(CommitLanes.wordsLengthBytes(1)),
            1,
            execution,
            lifecycle::failIfStopped);
    try (FileStorage storage = FileStorage.open(directory)) {
      DirtyPages dirtyPages = DirtyPages.create(observed(storage), 1 << 16, 4096);
      TxEnvironment engine =
          new TxEnvironment(
              region,
              new OrecTable(Regions.anonymous(OrecTable.lengthBytes(ORECS)), ORECS),
              new Heap(region, 1, (_, _) -> {}),
              lanes,
              dirtyPages,
              null,
              execution,
              lifecycle,
              1 << 14,
              1 << 14);
      // As if a close that no longer waits for this commit took its memory, and the log's.
      dirtyPages.close();
      Committer committer = new Committer(engine, new RetryWaits(execution, lifecycle));
      TxRunner runner =
          new TxRunner(
              engine,
              committer,
              new IrrevocableGate(
                  lanes, lifecycle, lifecycle::fail, new ProgramLog("io.howdah.txn", execution)),
              new RetryWaits(execution, lifecycle),
              new TimeLimits(execution),
              64,
              thrown -> {
                lifecycle.fail(thrown);
                lifecycle.stop();
                throw new IllegalStateException("Already closed");
              });
      Attempt attempt = new Attempt(engine, 0, new Counters(), new WordEngine.Nothing());
      assertThatThrownBy(
              () ->
                  runner.execute(
                      attempt,
                      false,
                      false,
                      tx -> {
                        tx.putLong(ADDRESS, tx.getLong(ADDRESS) + 1);
                        return 0;
                      }))
          .isInstanceOf(StoreFailedException.class)
          .hasMessageContaining("interrupted a commit");
    }
  }

  /** Memory that is observed is a region, which can be taken away. */
  private static Storage observed(Storage storage) {
    return (Storage)
        Proxy.newProxyInstance(
            Storage.class.getClassLoader(),
            new Class<?>[] {Storage.class},
            (_, method, arguments) ->
                method.getName().equals("observesMemory")
                    ? (Object) true
                    : method.invoke(storage, arguments));
  }
}
