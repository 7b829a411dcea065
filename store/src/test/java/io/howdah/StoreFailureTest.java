package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreFailedException;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store whose log cannot be forced any more. */
final class StoreFailureTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withOrecs(1 << 12)
          .withPartitions(2)
          .withRingBytes(1 << 16);

  @Test
  void afterAFailedForceNothingIsReadOrWrittenAndTheNextOpeningRecovers() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(SMALL.withStorage(disk.storage()));
    store.run(tx -> tx.root(0, tx.allocate(8)));
    disk.inject(Fault.onNth(Operation.FORCE, 1));
    assertThatThrownBy(() -> store.run(TxOptions.sync(), tx -> tx.root(1, tx.root(0))))
        .isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(() -> store.read(TxOptions.async(), tx -> tx.root(1)))
        .isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store.admin()::stats).isInstanceOf(StoreFailedException.class);
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    try (Store again = Store.open(SMALL.withStorage(disk.storage()))) {
      assertThat((long) again.read(tx -> tx.root(0))).isNotZero();
    }
  }

  /** A force that is tried again may say that it worked, and leave out what it should have kept. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsAcknowledgedBehindAFailedForce(boolean forEver) {
    SimulatedDisk disk = SimulatedDisk.seeded(2);
    Store store = Store.open(SMALL.withStorage(disk.storage()));
    store.run(
        TxOptions.sync(),
        tx -> {
          tx.root(0, tx.allocate(8));
          tx.putLong(tx.root(0), 1);
        });
    // Not the next segment, which is forced as soon as it is prepared.
    String inUse = Collections.min(disk.storage().list("log/0"));
    Fault fault = Fault.onNth(Operation.FORCE, 1).in("log/0/" + inUse);
    disk.inject(forEver ? fault.forEver() : fault);
    for (int value = 2; value <= 3; value++) {
      int own = value;
      assertThatThrownBy(() -> store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), own)))
          .isInstanceOf(StoreFailedException.class);
    }
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    disk.powerCut(CrashChoice.LOSE_ALL);
    if (forEver) {
      assertThatThrownBy(() -> Store.open(SMALL.withStorage(disk.storage())))
          .isInstanceOf(StorageException.class);
      disk.clearFaults();
    }
    try (Store again = Store.open(SMALL.withStorage(disk.storage()))) {
      assertThat((long) again.read(tx -> tx.getLong(tx.root(0)))).isEqualTo(1);
    }
  }

  /** A write that failed has left what it will in the file. The force behind it may work. */
  @Test
  void nothingIsAcknowledgedBehindAFailedWrite() {
    SimulatedDisk disk = SimulatedDisk.seeded(3);
    Store store = Store.open(SMALL.withStorage(disk.storage()));
    store.run(
        TxOptions.sync(),
        tx -> {
          tx.root(0, tx.allocate(8));
          tx.putLong(tx.root(0), 1);
        });
    disk.inject(Fault.onNth(Operation.WRITE, 1).in("log/0/"));
    for (int value = 2; value <= 3; value++) {
      int own = value;
      assertThatThrownBy(() -> store.run(TxOptions.sync(), tx -> tx.putLong(tx.root(0), own)))
          .isInstanceOf(StoreFailedException.class);
    }
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
    disk.powerCut(CrashChoice.LOSE_ALL);
    try (Store again = Store.open(SMALL.withStorage(disk.storage()))) {
      assertThat((long) again.read(tx -> tx.getLong(tx.root(0)))).isEqualTo(1);
    }
  }
}
