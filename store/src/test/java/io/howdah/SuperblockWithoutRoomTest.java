package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreFailedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A superblock that cannot be written stops the store, also where there is no room for it, as on a
 * file system that writes to new places: what is durable is unknown then.
 */
@Timeout(120)
final class SuperblockWithoutRoomTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);

  /** One slot has the state that names the journal, so nothing may take the journal's place. */
  @Test
  void theJournalThatASlotNamesStaysAndTheStoreStops() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(OPTIONS.withStorage(disk.storage()));
    long block = store.call(tx -> tx.allocate(8));
    store.admin().checkpoint();
    store.run(tx -> tx.putLong(block, 1));
    disk.inject(
        Fault.onNth(Operation.WRITE, 2).in("store.howdah").with(StorageException.Reason.NO_SPACE));
    assertThatThrownBy(() -> store.admin().checkpoint())
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("store.howdah")
        .hasMessageContaining("no space left");
    assertThatThrownBy(() -> store.run(tx -> tx.putLong(block, 2)))
        .isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    disk.kill();
    try (Store again = Store.open(OPTIONS.withStorage(disk.storage()))) {
      assertThat(again.admin().recoveryReport().foldedPages()).as("folded").isPositive();
      assertThat(again.<Long, RuntimeException>read(tx -> tx.getLong(block))).isOne();
    }
  }

  /** Without the journal, the image's pages could not be held to their sums. */
  @Test
  void whatACrashLeavesOnceTheStoreHasStoppedHasItsJournal() throws Exception {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(OPTIONS.withStorage(disk.storage()));
    long block = store.call(tx -> tx.allocate(8));
    store.admin().checkpoint();
    store.run(tx -> tx.putLong(block, 1));
    disk.inject(
        Fault.onNth(Operation.WRITE, 2).in("store.howdah").with(StorageException.Reason.NO_SPACE));
    assertThatThrownBy(() -> store.admin().checkpoint()).isInstanceOf(RuntimeException.class);
    await(store, block);
    SimulatedDisk killed = disk.fork();
    killed.kill();
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    try (Store again = Store.open(OPTIONS.withStorage(killed.storage()))) {
      assertThat(again.admin().recoveryReport().foldedPages()).as("folded").isPositive();
    }
  }

  /** Waits until the store has stopped, which may be with the next attempt, a second later. */
  private static void await(Store store, long block) throws InterruptedException {
    while (true) {
      try {
        store.run(tx -> tx.putLong(block, 2));
      } catch (StoreFailedException e) {
        return;
      }
      Thread.sleep(10);
    }
  }
}
