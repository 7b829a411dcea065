package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups that do not come to their end, and what they leave of the store. */
final class BackupThatEndsEarlyTest {

  private static final int MIB = 1 << 20;
  private static final int PIECES = 48;

  @TempDir private Path folder;

  private final SimulatedDisk target = SimulatedDisk.seeded(1);

  private Store filled() {
    Store store =
        Store.open(folder.resolve("store"), StoreOptions.defaults().withMaxSize(2L * PIECES * MIB));
    for (int i = 0; i < PIECES; i++) {
      store.run(
          TxOptions.async(),
          tx -> {
            long block = tx.allocate(MIB);
            for (int at = 0; at < MIB; at += 4096) {
              tx.putLong(block + at, 1);
            }
          });
    }
    return store;
  }

  @Test
  void aCloseEndsABackup() throws Exception {
    Store store = filled();
    AtomicInteger writes = new AtomicInteger();
    Thread closer = Thread.ofPlatform().unstarted(store::close);
    Storage slow =
        Watched.port(
            Storage.class,
            target.storage(),
            method -> {
              if (method.equals("write") && writes.incrementAndGet() >= 2) {
                if (writes.get() == 2) {
                  closer.start();
                }
                Thread.sleep(50); // a store that waits for all of it would take seconds
              }
            });
    assertThatThrownBy(() -> store.admin().backup(() -> slow))
        .isInstanceOf(StoreClosedException.class);
    closer.join();
    assertThat(writes.get()).as("pieces").isLessThan(PIECES);
    assertThat(target.storage().list("")).as("what is left of the copy").isEmpty();
    try (Store again = Store.open(folder.resolve("store"))) {
      assertThat(again.admin().recoveryReport().counts().records()).isZero();
    }
  }

  @Test
  void aBackupThatFindsNoMemoryLeavesTheStoreAtWork() {
    try (Store store = filled()) {
      Storage without =
          Watched.port(
              Storage.class,
              target.storage(),
              method -> {
                if (method.equals("write")) {
                  throw new OutOfMemoryError("by the test");
                }
              });
      assertThatThrownBy(() -> store.admin().backup(() -> without))
          .isInstanceOfSatisfying(
              StorageException.class,
              e -> assertThat(e.reason()).isEqualTo(StorageException.Reason.NO_MEMORY));
      assertThat(store.<Long, RuntimeException>call(tx -> tx.allocate(8))).isPositive();
      store.admin().checkpoint();
    }
  }
}
