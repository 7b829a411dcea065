package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.howdah.LoggedStore;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The hot path makes no garbage but the handle of each transaction. */
final class AllocationFreeTest {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** An object header, two references and padding. */
  private static final long HANDLE_BYTES = 24;

  private static long allocatedBytesPerRun(int runs, Runnable run) {
    for (int i = 0; i < runs; i++) {
      run.run();
    }
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < runs; i++) {
        run.run();
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    // Rounded down: the JVM itself allocates a little now and then.
    return least / runs;
  }

  private static final TxBody<RuntimeException> SIX_WORDS =
      tx -> {
        long sum = 0;
        for (int i = 0; i < 6; i++) {
          sum += tx.getLong(8192 + 4096L * i);
        }
        for (int i = 0; i < 6; i++) {
          tx.putLong(8192 + 4096L * i, sum + i);
        }
        tx.putInt(8200, tx.getInt(8196) + 1);
      };

  private static final TxBody<RuntimeException> SIX_READS =
      tx -> {
        for (int i = 0; i < 6; i++) {
          tx.getLong(8192 + 4096L * i);
        }
      };

  @Test
  void volatileTransactionsAllocateTheirHandleAlone() {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20))) {
      assertThat(allocatedBytesPerRun(20_000, () -> store.run(SIX_WORDS)))
          .isLessThanOrEqualTo(HANDLE_BYTES);
      assertThat(allocatedBytesPerRun(20_000, () -> store.run(SIX_READS)))
          .isLessThanOrEqualTo(HANDLE_BYTES);
    }
  }

  @Test
  void loggedTransactionsAllocateTheirHandleAlone(@TempDir Path directory) {
    // Rings that hold a round, so that no commit waits for room.
    StoreOptions options = StoreOptions.defaults().withPartitions(2).withRingBytes(16 << 20);
    try (LoggedStore logged =
        new LoggedStore(options, FileStorage.open(directory), UnaryOperator.identity())) {
      assertThat(allocatedBytesPerRun(20_000, () -> logged.store.run(TxOptions.async(), SIX_WORDS)))
          .isLessThanOrEqualTo(HANDLE_BYTES);
    }
  }
}
